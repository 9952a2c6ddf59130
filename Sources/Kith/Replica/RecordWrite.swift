/// The write of one record.
struct RecordWrite {
    /// The record before; nil if there was none.
    let before: StoredRecord?
    /// The record afterwards; nil if it was deleted.
    let after: StoredRecord?
    /// Whether the record was deleted from the device only because this account cannot read it any more.
    let isLost: Bool
}
