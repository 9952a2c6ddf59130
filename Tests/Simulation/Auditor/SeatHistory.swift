import KithModel

/// What the getters of one seat have shown.
struct SeatHistory {
    /// The newest text of ``Auditor/history`` that each field has shown, by its index.
    var newest: [Spot: Int] = [:]
    /// Every record.
    var seen: Set<RecordID<Never>> = []
    /// The deleted records that the seat does not show any more.
    var buried: Set<RecordID<Never>> = []
    /// The rejections that were not dismissed.
    var kept: Set<MutationID> = []
    /// The rejections that were dismissed.
    var dismissed: Set<MutationID> = []

    mutating func forgetRecords() { (newest, seen, buried) = ([:], [], []) }
}
