/// A record that is not as it was read.
struct RecordDifference: Sendable {
    let place: RecordPlace
    /// How it was read; nil if it was not there.
    let old: RecordRow?
    /// How the ledger leaves it.
    let new: RecordRow
}
