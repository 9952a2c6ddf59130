import KithModel

/// Restores the records of a removal, as ``Changes/undo(_:)`` describes.
struct RemovalUndo {
    private let changes: Changes
    /// The identities that the removed lists have now.
    private var copies: [ListID: ListID] = [:]
    private var lists: [ListID] = []
    /// Items of different lists may have the same id.
    private var items: [(id: ItemID, list: ListID)] = []
    /// The records that the server may have. They are read once, and only if they are needed, because it takes as long as
    /// there are edits in the log.
    private var sent: Set<RecordKey>?

    init(in changes: Changes) { self.changes = changes }

    mutating func restore(_ removal: Removal) throws -> Restoration {
        for (key, record) in removal.records {
            if key.collection == .lists { try restoreList(key, record) } else { try restoreItem(key, record) }
        }
        try changes.forgetKept(Set(removal.records.map(\.key)))
        return Restoration(
            lists: try lists.compactMap { try changes.list($0) },
            items: try items.compactMap { try changes.item($0.id, in: $0.list) })
    }

    private mutating func restoreList(_ key: RecordKey, _ record: StoredRecord) throws {
        let list = copies[key.list] ?? key.list
        if try isPresent(key) { return lists.append(list) }
        let id: ListID = try takeBack(key, record) ? list : changes.makeID()
        copies[key.list] = id
        lists.append(id)
        if id != key.list { try create(.list(id), copying: record) }
    }

    private mutating func restoreItem(_ key: RecordKey, _ record: StoredRecord) throws {
        let list = copies[key.list] ?? key.list
        // The item may have been restored with its list.
        if list == key.list, try isPresent(key) { return items.append((key.id.retyped(), list)) }
        if try changes.list(list) == nil { throw KithError.missing(.list(list)) }
        let stays = list == key.list ? try takeBack(key, record) : false
        let id: ItemID = stays ? key.id.retyped() : changes.makeID()
        items.append((id, list))
        if !stays { try create(.item(id, in: list), copying: record) }
    }

    private func create(_ key: RecordKey, copying record: StoredRecord) throws {
        let schema = try changes.schema(of: key)
        for (index, part) in schema.parts(of: record.copied(schema)).enumerated() {
            try changes.edit(key, .set(part), creating: index == 0 ? .anyID : .no)
        }
    }

    /// Whether a record is there, and not removed.
    private func isPresent(_ key: RecordKey) throws -> Bool {
        try changes.transaction.record(key).map { !$0.isRemoved } ?? false
    }

    /// Cancels a removal if it was not sent. Returns whether that was possible.
    private mutating func takeBack(_ key: RecordKey, _ record: StoredRecord) throws -> Bool {
        let transaction = changes.transaction
        let unsent = try transaction.outbox.unsent(of: key)
        if let last = unsent.last, last.change == .delete, last.number == nil {
            // Without a row, an answer has meanwhile brought the removal by somebody else, which is final. Or the row was
            // lost with a damaged file, and the next round would bring the record back beside its copy. So the removal is
            // still sent.
            guard var restored = try transaction.record(key) else { return false }
            try transaction.outbox.withdraw([last])
            restored.isRemoved = false
            try transaction.put(restored, key)
            return true
        }
        guard record.sequence == 0, try transaction.record(key) == nil else { return false }
        let known = try sent ?? transaction.outbox.sentKeys()
        sent = known
        if known.contains(key) { return false }
        try create(key, copying: record)
        return true
    }
}
