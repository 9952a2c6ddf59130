import KithModel

/// A move of unsent edits from one store to another, in one transaction.
///
/// A new session replaces an anonymous account that nobody can open any more, or the user has decided to move a store.
/// Each collection moves its own edits: see ``ReplicaRules/moveUnsent(_:)``.
package final class UnsentMove {
    let transaction: ReplicaTransaction
    /// The store that the edits leave.
    let old: ReplicaAccount
    /// The store that receives them.
    let new: ReplicaAccount
    /// Whether the user has decided to move the store, so that its feeds are moved already. Otherwise a new session
    /// replaces the old account, whose token the server refuses.
    let isDecided: Bool
    /// The new identities of the feeds that have moved so far. Collections that come later may refer to them.
    var feeds: [FeedID: FeedID] = [:]
    /// The records of which the server may have received an edit.
    private let sent: Set<RecordKey>

    init(
        from old: ReplicaAccount, to new: ReplicaAccount, isDecided: Bool, in transaction: ReplicaTransaction
    ) throws {
        (self.transaction, self.old, self.new, self.isDecided) = (transaction, old, new, isDecided)
        // Read before the move, which may give the remaining edits new numbers.
        sent = try Store(transaction.db, old).outbox.sentKeys()
    }

    /// The rows of the store that the edits leave.
    var oldStore: Store { Store(transaction.db, old) }
    /// The rows of the store that receives them.
    var newStore: Store { Store(transaction.db, new) }

    /// The unsent edits of a collection, by record, in the order of their first edits.
    func unsent(of collection: RecordCollection) throws -> [(key: RecordKey, mutations: [StoredMutation])] {
        var order: [RecordKey] = []
        var mutations: [RecordKey: [StoredMutation]] = [:]
        for mutation in try oldStore.outbox.unsent() where mutation.key.collection == collection {
            if mutations[mutation.key] == nil { order.append(mutation.key) }
            mutations[mutation.key, default: []].append(mutation)
        }
        return order.map { (key: $0, mutations: mutations[$0, default: []]) }
    }

    /// The records of a collection that the server has not confirmed, with their unsent edits.
    func unconfirmed(in collection: RecordCollection) throws -> [(RecordKey, StoredRecord, [StoredMutation])] {
        try unsent(of: collection).compactMap { key, mutations in
            guard let record = try oldRecord(key), record.sequence == 0, !record.isRemoved else { return nil }
            return (key, record, mutations)
        }
    }

    /// Whether the server may have received an edit of the record.
    func wasSent(_ key: RecordKey) -> Bool { sent.contains(key) }

    /// A record as the old store shows it.
    func oldRecord(_ key: RecordKey) throws -> StoredRecord? {
        try transaction.collections.table(of: key.collection)?.record(at: key, in: oldStore)
    }

    /// A record as the new store shows it.
    func newRecord(_ key: RecordKey) throws -> StoredRecord? {
        if new.key == transaction.account.key { return try transaction.record(key) }
        return try transaction.collections.table(of: key.collection)?.record(at: key, in: newStore)
    }

    /// Writes an edit into the new store, where it waits for the server.
    func write(_ fields: Fields, to key: RecordKey) throws {
        let there = try newRecord(key)
        guard
            let after = PendingState.applied(
                .set(fields), to: there?.fields ?? [:], by: transaction.collections[key.collection])
        else { return }
        let record = StoredRecord(fields: after, sequence: there?.sequence ?? 0, modified: transaction.now)
        if new.key == transaction.account.key {
            try transaction.put(record, key)
        } else {
            try transaction.collections.table(of: key.collection)?.save(record, at: key, in: newStore)
        }
        for part in transaction.collections[key.collection]?.schema.parts(of: fields) ?? [fields] {
            try newStore.outbox.append(
                .set(part), to: key, seen: record.sequence, at: transaction.now, .alone,
                id: transaction.dependencies.makeID(), rules: transaction.collections.folding(of: key.collection))
        }
    }

    /// Deletes moved edits of a record from the old store, except those that the server may have: see
    /// ``ReplicaTransaction/withdraw(_:of:)``. If none is left, the store shows the record as the server has it: it is
    /// deleted if the server does not know it, and read again otherwise.
    func withdraw(_ mutations: [StoredMutation], of key: RecordKey) throws {
        try transaction.withdraw(mutations, of: old)
        guard try oldStore.outbox.unsent(of: key).isEmpty else { return }
        if try oldRecord(key)?.sequence == 0 {
            try transaction.collections.table(of: key.collection)?.delete(key, in: oldStore)
        } else {
            try transaction.change(old) { $0.token = nil }
        }
    }
}
