import GRDB
import KithModel

/// Lists on their way from behind one wall to behind another, in one transaction.
///
/// A list that the server never heard of keeps its identity: its rows and
/// mutations change walls. One that the server knows is copied under new
/// identities, and removed (or, where it is not mine, left) behind its old wall.
struct ListMove {
    let transaction: ReplicaTransaction
    let from: ReplicaAccount
    let to: ReplicaAccount

    private var db: Database { transaction.db }

    /// - Returns: The identity of each moved list before and after.
    func move(_ lists: [ListID]?) throws -> [ListID: ListID] {
        let present = try SharedList.fetchAll(db, from.key)
        var moved: [ListID: ListID] = [:]
        for id in lists ?? present.map(\.id) {
            guard let list = present.first(where: { $0.id == id }) else { throw KithError.missing(.list(id)) }
            try transaction.noteList(.list(id))
            moved[id] = try isUnknown(id) ? changeWalls(id) : copy(list)
        }
        return moved
    }

    private var outbox: Outbox { Outbox(db: db, account: from.key) }

    private func isUnknown(_ id: ListID) throws -> Bool {
        let sequence = try Int64.fetchOne(
            db, sql: "SELECT sequence FROM list WHERE account = ? AND id = ?", arguments: [from.key, id])
        let inFlight = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM mutation WHERE account = ? AND feed = ? AND number IS NOT NULL)",
            arguments: [from.key, id])
        return sequence == 0 && inFlight == false
    }

    private func changeWalls(_ id: ListID) throws -> ListID {
        let arguments: StatementArguments = [to.key, from.key, id]
        try db.execute(sql: "UPDATE list SET account = ? WHERE account = ? AND id = ?", arguments: arguments)
        try db.execute(sql: "UPDATE item SET account = ? WHERE account = ? AND list = ?", arguments: arguments)
        // A new place in the outbox: behind what already waits there.
        for mutation in try outbox.unsent() where mutation.key.list == id && mutation.key.feed != nil {
            try db.execute(
                sql: """
                    INSERT INTO mutation (account, id, feed, collection, record, seen, change, edited, edits, made)
                    SELECT ?, id, feed, collection, record, seen, change, edited, edits, made FROM mutation WHERE ordinal = ?
                    """, arguments: [to.key, mutation.ordinal])
            try outbox.withdraw([mutation])
        }
        // Its place among the lists there is of no use here.
        try outbox.withdraw(outbox.unsent(of: .membership(id)))
        try db.execute(sql: "DELETE FROM membership WHERE account = ? AND id = ?", arguments: [from.key, id])
        if to.key == transaction.account.key { transaction.noteMoved(try ListItem.fetchAll(db, to.key, in: id)) }
        return id
    }

    private func copy(_ list: SharedList) throws -> ListID {
        let id: ListID = transaction.surroundings.makeID()
        try transaction.noteList(.list(id))
        try create(.list(id), try record(.list(list.id)).copied(SharedList.schema))
        for item in try ListItem.fetchAll(db, from.key, in: list.id) {
            try create(
                .item(transaction.surroundings.makeID(), in: id),
                try record(.item(item.id, in: list.id)).copied(ListItem.schema))
        }
        try remove(list.role == .owner ? .list(list.id) : .membership(list.id))
        if to.key == transaction.account.key { transaction.noteMoved(try ListItem.fetchAll(db, to.key, in: id)) }
        return id
    }

    private func record(_ key: RecordKey) throws -> StoredRecord {
        guard let record = try RecordTable.of(key.collection)?.record(db, from.key, key) else {
            throw KithError.missing(key)
        }
        return record
    }

    private func create(_ key: RecordKey, _ fields: Fields) throws {
        let record = StoredRecord(fields: fields, sequence: 0, modified: transaction.now)
        try RecordTable.of(key.collection)?.save(record, db, to.key, key)
        try append(.set(fields), to: key, of: to, seen: 0)
    }

    private func remove(_ key: RecordKey) throws {
        var record = try record(key)
        record.isRemoved = true
        try RecordTable.of(key.collection)?.save(record, db, from.key, key)
        try append(.delete, to: key, of: from, seen: record.sequence)
    }

    private func append(_ change: Mutation.Change, to key: RecordKey, of account: ReplicaAccount, seen: Int64) throws {
        try Outbox(db: db, account: account.key).append(
            change, to: key, seen: seen, at: transaction.now, group: nil, inGroup: false,
            id: transaction.surroundings.makeID())
    }
}
