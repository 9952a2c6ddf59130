import GRDB
import KithModel

/// Moves lists from one store to another, in one transaction.
///
/// A list that the server does not know keeps its identity: its rows and mutations are assigned to the other store. A
/// list that the server knows is copied under new identities, and the original is removed, or left if I do not own it. It
/// stays if another device has changed it since.
/// If the source account can no longer send, the original is deleted only from the device.
struct ListMove {
    let transaction: ReplicaTransaction
    let from: ReplicaAccount
    let to: ReplicaAccount
    /// The lists in which the server may have received an edit. Read before the move, which may give the remaining
    /// edits new numbers.
    private let sent: Set<ListID>
    /// The unsent edits of each list, oldest first, with those of my membership in it. Read once for all lists.
    private let unsent: [ListID: [StoredMutation]]

    init(from: ReplicaAccount, to: ReplicaAccount, in transaction: ReplicaTransaction) throws {
        (self.transaction, self.from, self.to) = (transaction, from, to)
        let outbox = Store(transaction.db, from).outbox
        sent = Set(try outbox.sentKeys().filter { $0.feed != .own }.map(\.list))
        unsent = Dictionary(grouping: try outbox.unsent().filter(\.key.isAboutList), by: \.key.list)
    }

    /// A move between the stores of these scopes. The userless store is created if it is missing.
    ///
    /// - Throws: ``KithError`` with `notFound` if this device has no such store, `refused` if the target's account was
    ///   deleted; an error of the database.
    init(from: AccountScope, to: AccountScope, in transaction: ReplicaTransaction) throws {
        if from == .userless || to == .userless { try transaction.makeUserlessStore() }
        guard let source = try ReplicaAccount.at(from, transaction.db),
            let target = try ReplicaAccount.at(to, transaction.db)
        else { throw KithError(.notFound, "This device has no such account. Open a session for it first.") }
        guard from == to || target.state != .inactive else {
            throw KithError(.refused, "The \(to) was deleted: nothing of it is sent any more. Move to another.")
        }
        try self.init(from: source, to: target, in: transaction)
    }

    private var db: Database { transaction.db }
    private var source: Store { Store(db, from) }
    private var target: Store { Store(db, to) }

    /// Moves these lists; all of them if nil. Within one store, nothing moves.
    ///
    /// - Returns: The old and the new identity of each moved list.
    func move(_ lists: [ListID]?) throws -> [ListID: ListID] {
        guard from.key != to.key else { return [:] }
        let present = try SharedList.fetchAll(in: source)
        let known = Dictionary(uniqueKeysWithValues: present.map { ($0.id, $0) })
        var moved: [ListID: ListID] = [:]
        for id in lists ?? present.map(\.id) {
            guard let list = known[id] else { throw KithError.missing(.list(id)) }
            try rememberBefore(id)
            moved[id] = try isUnknown(id) ? moveUnknown(list) : copy(list)
        }
        return moved
    }

    private func rememberBefore(_ list: ListID) throws {
        try transaction.recorder(ListRecorder.self)?.rememberBefore(list, in: transaction)
    }

    private func noteMoved(_ items: [ListItem]) {
        transaction.recorder(ListRecorder.self)?.noteMoved(items, in: transaction)
    }

    private func isUnknown(_ id: ListID) throws -> Bool {
        let sequence = try Int64.fetchOne(
            db, sql: "SELECT sequence FROM list WHERE account = ? AND id = ?", arguments: [from.key, id])
        return sequence == 0 && !sent.contains(id)
    }

    /// Moves a list that the server does not know. The target account may have a list with the same identity, or may
    /// have removed one.
    private func moveUnknown(_ list: SharedList) throws -> ListID {
        let key = RecordKey.list(list.id)
        let there = try RecordTable(SharedList.schema).record(at: key, in: target)
        if try there == nil && !removedThere.contains(key) { return try changeScopes(list.id) }
        guard let shown = try SharedList.fetch(list.id, in: target), shown.role != .viewer else {
            return try copy(list)
        }
        return try merge(list.id)
    }

    private var removedThere: RemovedIdentities { RemovedIdentities(target) }

    /// Adds the items that are missing in the existing list with the same identity. An item gets a new identity if
    /// another item has its identity, or if an item with it was removed.
    private func merge(_ id: ListID) throws -> ListID {
        var added: Set<ItemID> = []
        for item in try ListItem.fetchAll(of: id, in: source) {
            let key = RecordKey.item(item.id, in: id)
            let fields = try record(key).copied(ListItem.schema)
            let there = try RecordTable(ListItem.schema).record(at: key, in: target)
            if let there, !there.isRemoved, there.copied(ListItem.schema) == fields { continue }
            let isFree = try there == nil && !removedThere.contains(key)
            let place = isFree ? item.id : transaction.dependencies.makeID()
            try create(.item(place, in: id), fields)
            added.insert(place)
        }
        try moveRemovals(id, to: id)
        try drop(id)
        if to.key == transaction.account.key {
            noteMoved(try ListItem.fetchAll(of: id, in: target).filter { added.contains($0.id) })
        }
        return id
    }

    /// Copies the identities of the list's removed items, so that an import does not bring them back.
    private func moveRemovals(_ list: ListID, to new: ListID) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO removedIdentity (account, list, id, date)
                SELECT ?, ?, id, date FROM removedIdentity WHERE account = ? AND list = ? AND id <> list
                """, arguments: [to.key, new, from.key, list])
        try db.execute(
            sql: "DELETE FROM removedIdentity WHERE account = ? AND list = ? AND id <> list",
            arguments: [from.key, list])
    }

    private func changeScopes(_ id: ListID) throws -> ListID {
        let arguments: StatementArguments = [to.key, from.key, id]
        try db.execute(sql: "UPDATE list SET account = ? WHERE account = ? AND id = ?", arguments: arguments)
        try db.execute(sql: "UPDATE item SET account = ? WHERE account = ? AND list = ?", arguments: arguments)
        let edits = unsent[id, default: []]
        // Each edit gets a new place in the outbox, behind those that already wait there. The list's position among the
        // old account's lists does not apply to the new account. The edits of a group stay together, as far as they are
        // about this list.
        var labels: [Int64: Int64] = [:]
        for edit in edits where edit.key.feed != .own {
            try db.execute(
                sql: """
                    INSERT INTO mutation (account, id, grouping, feed, collection, record, seen, change, edited, edits, made)
                    SELECT ?, id, ?, feed, collection, record, seen, change, edited, edits, made
                    FROM mutation WHERE ordinal = ?
                    """, arguments: [to.key, edit.group.flatMap { labels[$0] }, edit.ordinal])
            if let group = edit.group, labels[group] == nil {
                let ordinal = db.lastInsertedRowID
                labels[group] = ordinal
                try db.execute(sql: "UPDATE mutation SET grouping = ordinal WHERE ordinal = ?", arguments: [ordinal])
            }
        }
        try transaction.withdraw(edits, of: from)
        try db.execute(sql: "DELETE FROM membership WHERE account = ? AND id = ?", arguments: [from.key, id])
        try moveRemovals(id, to: id)
        if to.key == transaction.account.key { noteMoved(try ListItem.fetchAll(of: id, in: target)) }
        return id
    }

    /// Makes a list of the current account again under new identities, because a list of another account has its identity. That
    /// identity counts as removed, so that an import does not make the list a second time.
    ///
    /// - Returns: false if the list is not shown.
    func remake(_ id: ListID) throws -> Bool {
        guard let list = try SharedList.fetch(id, in: source) else { return false }
        try rememberBefore(id)
        let new = try duplicate(list)
        try drop(id)
        try removedThere.note(.list(id), at: transaction.now)
        noteMoved(try ListItem.fetchAll(of: new, in: target))
        return true
    }

    private func copy(_ list: SharedList) throws -> ListID {
        let id = try duplicate(list)
        if from.state == .inactive || from.state == .invalidToken {
            try forget(list.id)
        } else if try isUnknown(list.id) {
            try drop(list.id)
        } else if list.role == .owner {
            try removeUnchanged(list.id)
        } else {
            try remove(.membership(list.id))
        }
        if to.key == transaction.account.key { noteMoved(try ListItem.fetchAll(of: id, in: target)) }
        return id
    }

    /// Writes a list, its items and the other records that its editors have made into the target, under new identities.
    private func duplicate(_ list: SharedList) throws -> ListID {
        let id: ListID = transaction.dependencies.makeID()
        try rememberBefore(id)
        try create(.list(id), try record(.list(list.id)).copied(SharedList.schema))
        for table in transaction.collections.listTables where table.schema.creator == .editor {
            for (_, record) in try table.records(of: .ofList(list.id.retyped()), in: source) where !record.isRemoved {
                let key = RecordKey(
                    table.schema.collection, in: .ofList(id.retyped()), transaction.dependencies.makeID())
                try create(key, record.copied(table.schema))
            }
        }
        try moveRemovals(list.id, to: id)
        return id
    }

    private func record(_ key: RecordKey) throws -> StoredRecord {
        guard let record = try transaction.collections.table(of: key.collection)?.record(at: key, in: source) else {
            throw KithError.missing(key)
        }
        return record
    }

    private func create(_ key: RecordKey, _ fields: Fields) throws {
        let record = StoredRecord(fields: fields, sequence: 0, modified: transaction.now)
        let table = transaction.collections.table(of: key.collection)
        try table?.save(record, at: key, in: target)
        for part in table?.schema.parts(of: fields) ?? [fields] { try append(.set(part), to: key, in: target, seen: 0) }
    }

    private func remove(_ key: RecordKey, _ place: GroupPlace = .alone) throws {
        var record = try record(key)
        record.isRemoved = true
        try transaction.collections.table(of: key.collection)?.save(record, at: key, in: source)
        try append(.delete, to: key, in: source, seen: record.sequence, place)
    }

    /// Removes a list for everyone, on the condition that its server has the content that was copied. Another device may have
    /// changed the list since this one has last read it, or an edit of this one may be at the server: the list then stays in
    /// the source, and there are two.
    private func removeUnchanged(_ id: ListID) throws {
        let (key, feed) = (RecordKey.list(id), ReplicaFeed.ofList(id.retyped()))
        var digests = FeedDigests(source)
        var digest = try digests.digest(of: feed)
        for (member, record) in try RecordTable(Member.schema).records(of: feed, in: source) where record.sequence > 0 {
            digest.remove(member.id, sequence: record.sequence)
        }
        // The copy has the unsent edits. Sent from here, they would change the content before the condition is checked. If
        // the list stays, it is read again without them.
        let edits = unsent[id, default: []].filter { $0.number == nil && $0.key.feed == feed }
        if !edits.isEmpty {
            try transaction.withdraw(edits, of: from)
            try digests.mark(feed, isDoubtful: true)
        }
        let condition = Mutation.Change.set([Mutation.Change.contentDigest: .text(digest.description)])
        let sequence = try record(key).sequence
        try remove(key, append(condition, to: key, in: source, seen: sequence, .first))
    }

    /// Deletes a list and its unsent edits from the device; the copy contains these edits. The account rereads
    /// everything if it can use its server again. It then also sends the edits that the server may have.
    private func forget(_ list: ListID) throws {
        try drop(list)
        try transaction.change(from) { $0.token = nil }
    }

    /// Deletes the rows of a list, and its unsent edits, except those that the server may have.
    private func drop(_ list: ListID) throws {
        try transaction.withdraw(unsent[list, default: []], of: from)
        let place: StatementArguments = [from.key, list]
        for table in ["item", "member"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE account = ? AND list = ?", arguments: place)
        }
        for table in ["list", "membership"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE account = ? AND id = ?", arguments: place)
        }
        var digests = FeedDigests(source)
        try digests.forget(.ofList(list.retyped()))
        try source.parked.forget(.ofList(list.retyped()))
    }

    /// - Returns: The place of the group's next edit.
    @discardableResult
    private func append(
        _ change: Mutation.Change, to key: RecordKey, in store: Store, seen: Int64, _ place: GroupPlace = .alone
    ) throws -> GroupPlace {
        try store.outbox.append(
            change, to: key, seen: seen, at: transaction.now, place, id: transaction.dependencies.makeID())
    }
}
