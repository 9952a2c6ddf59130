/// A changed record.
package struct RecordDifference: Sendable {
    let place: RecordPlace
    /// The record as it was read; nil if it did not exist.
    let old: RecordRow?
    /// The record as the ledger leaves it.
    let new: RecordRow
}
