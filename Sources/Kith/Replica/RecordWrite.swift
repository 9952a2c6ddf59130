import KithModel

/// The write of one record.
struct RecordWrite {
    /// The record before; nil if there was none.
    let before: StoredRecord?
    /// The record afterwards; nil if it was deleted.
    let after: StoredRecord?
    /// Whether the record was deleted only because it can no longer be read.
    let isLost: Bool
}
