public import KithModel

/// Removed records, kept so that they can be restored.
public struct Removal: Sendable {
    let records: [(key: RecordKey, record: StoredRecord)]

    init(_ keys: [RecordKey], _ transaction: ReplicaTransaction) throws {
        records = try keys.compactMap { key in
            guard var record = try transaction.record(key) else { return nil }
            // If the server may have the record, an undo makes a copy. Later the outbox cannot tell: it forgets after seven
            // days what it has sent, and with a new device identity at once.
            if record.sequence == 0, try transaction.outbox.unsent(of: key).mayBeKnown { record.sequence = 1 }
            return (key, record)
        }
    }

    init(records: [(key: RecordKey, record: StoredRecord)]) { self.records = records }

    /// How many items were removed, including those of removed lists.
    public var itemCount: Int { records.count { $0.key.collection == .items } }
}

extension Removal {
    /// The lists that were removed.
    public var lists: [ListID] { records.filter { $0.key.collection == .lists }.map(\.key.list) }
}

extension Changes {
    /// Restores removed records.
    ///
    /// A removal that is still unsent is cancelled. A removal that was sent, or that somebody else has made too, is final
    /// on the server, so a copy is created: the same content under a new identity, at each call. What is there already
    /// stays as it is.
    /// ``Lists/undoLastRemoval()`` does not restore it again.
    ///
    /// - Throws: ``KithError`` with `notFound` if the items' list no longer exists.
    @discardableResult
    public func undo(_ removal: Removal) throws -> Restoration {
        var undo = RemovalUndo(in: self)
        return try undo.restore(removal)
    }
}
