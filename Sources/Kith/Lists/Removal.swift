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
    /// created: the same content under a new identity, at each call. What is there already stays as it is.
    /// ``Lists/undoLastRemoval()`` does not restore it again.
    ///
    /// - Throws: ``KithError`` with `notFound` if the items' list no longer exists.
    @discardableResult
    public func undo(_ removal: Removal) throws -> Restoration {
        var copies: [ListID: ListID] = [:]
        var lists: [ListID] = []
        // Items of different lists may have the same id.
        var items: [(id: ItemID, list: ListID)] = []
        // It is read once, because it takes as long as there are edits in the log.
        var sent: Set<RecordKey>?
        for (key, record) in removal.records {
            let list = copies[key.list] ?? key.list
            if key.collection == .lists {
                if try isPresent(key) {
                    lists.append(list)
                    continue
                }
                let id: ListID = try takeBack(key, record, &sent) ? list : makeID()
                copies[key.list] = id
                lists.append(id)
                if id != key.list { try edit(.list(id), .set(record.copied(SharedList.schema)), creating: true) }
            } else if list == key.list, try isPresent(key) {
                // The item was restored with its list.
                items.append((key.id.retyped(), list))
            } else {
                if try self.list(list) == nil { throw KithError.missing(.list(list)) }
                let stays = list == key.list ? try takeBack(key, record, &sent) : false
                let id: ItemID = stays ? key.id.retyped() : makeID()
                items.append((id, list))
                if !stays { try edit(.item(id, in: list), .set(record.copied(ListItem.schema)), creating: true) }
            }
        }
        try forgetKept(Set(removal.records.map(\.key)))
        return Restoration(
            lists: try lists.compactMap { try list($0) }, items: try items.compactMap { try item($0.id, in: $0.list) })
    }

    /// Whether a record is there, and not removed.
    private func isPresent(_ key: RecordKey) throws -> Bool {
        try transaction.record(key).map { !$0.isRemoved } ?? false
    }

    /// Cancels a removal if it was not sent. Returns whether that was possible. `sent` are the records that the server may
    /// have; they are read if they are needed and it is nil.
    private func takeBack(_ key: RecordKey, _ record: StoredRecord, _ sent: inout Set<RecordKey>?) throws -> Bool {
        let unsent = try transaction.outbox.unsent(of: key)
        if let last = unsent.last, last.change == .delete, last.number == nil {
            try transaction.outbox.withdraw([last])
            var restored = try transaction.record(key) ?? record
            restored.isRemoved = false
            try transaction.put(restored, key)
            return true
        }
        guard record.sequence == 0, try transaction.record(key) == nil else { return false }
        let known = try sent ?? transaction.outbox.sentKeys()
        sent = known
        if known.contains(key) { return false }
        try edit(key, .set(record.copied(schema(of: key))), creating: true)
        return true
    }
}
