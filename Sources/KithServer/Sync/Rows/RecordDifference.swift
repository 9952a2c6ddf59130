/// A changed record.
package struct RecordDifference: Sendable {
    let place: RecordPlace
    /// The record before the transaction; nil if it did not exist.
    let old: RecordRow?
    /// The record after the transaction.
    let new: RecordRow
}
