public import KithModel

/// Removed records, kept so that they can be restored.
public struct Removal: Sendable {
    let records: [(key: RecordKey, record: StoredRecord)]

    init(_ keys: [RecordKey], _ transaction: ReplicaTransaction) throws {
        records = try keys.compactMap { key in try transaction.record(key).map { (key, $0) } }
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
    /// A removal that is still unsent is cancelled. A removal that was sent is final on the server, so a copy is
    /// created: the same content under a new identity.
    ///
    /// - Throws: ``KithError`` with `notFound` if the items' list no longer exists.
    @discardableResult
    public func undo(_ removal: Removal) throws -> Restoration {
        var copies: [ListID: ListID] = [:]
        var lists: [ListID] = []
        var items: [ItemID] = []
        for (key, record) in removal.records {
            let list = copies[key.list] ?? key.list
            if key.collection == .lists {
                let id: ListID = try takeBack(key, record) ? list : makeID()
                copies[key.list] = id
                lists.append(id)
                if id != key.list { try edit(.list(id), .set(record.copied(SharedList.schema)), creating: true) }
            } else if list == key.list, try transaction.record(key).map({ !$0.isRemoved }) ?? false {
                // The item was restored with its list.
                items.append(key.id.retyped())
            } else {
                if try self.list(list) == nil { throw KithError.missing(.list(list)) }
                let stays = list == key.list ? try takeBack(key, record) : false
                let id: ItemID = stays ? key.id.retyped() : makeID()
                items.append(id)
                if !stays { try edit(.item(id, in: list), .set(record.copied(ListItem.schema)), creating: true) }
            }
        }
        return Restoration(
            lists: try lists.compactMap { try list($0) }, items: try items.compactMap { try item($0) })
    }

    /// Cancels a removal if it was not sent. Returns whether that was possible.
    private func takeBack(_ key: RecordKey, _ record: StoredRecord) throws -> Bool {
        let unsent = try transaction.outbox.unsent(of: key)
        if let last = unsent.last, last.change == .delete, last.number == nil {
            try transaction.outbox.withdraw([last])
            var restored = try transaction.record(key) ?? record
            restored.isRemoved = false
            try transaction.put(restored, key)
            return true
        }
        guard record.sequence == 0, try transaction.record(key) == nil,
            try !transaction.outbox.wasSent(key)
        else { return false }
        try edit(key, .set(record.copied(schema(of: key))), creating: true)
        return true
    }
}
