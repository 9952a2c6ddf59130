/// The changes of one collection in a transaction: confirmations of this device's own edits, and everything else.
struct ChangesByAuthor<Record: Sendable & Hashable> {
    /// Confirmations of this device's own edits.
    var own = Changed<Record>(origin: .device)
    /// All other changes, with the origin of the transaction.
    var others: Changed<Record>

    init(_ origin: ChangeOrigin) { others = Changed(origin: origin) }

    /// Adds a record, given its states before and after. Returns whether they differ.
    @discardableResult
    mutating func add(_ before: Record?, _ after: Record?, isConfirmation: Bool = false) -> Bool {
        isConfirmation ? own.add(before, after) : others.add(before, after)
    }
}
