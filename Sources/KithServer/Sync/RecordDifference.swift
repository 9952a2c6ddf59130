/// A record that is not as it was read.
struct RecordDifference: Sendable {
    let place: RecordKey
    /// How it was read; nil if it was not there.
    let old: StoredRecord?
    /// How the ledger leaves it.
    let new: StoredRecord
}
