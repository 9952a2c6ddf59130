import KithModel

/// Follows the records of one kind in one transaction.
struct RecordFollower<Record: OwnRecord> {
    /// Records that were inserted without a check for an existing one.
    private var inserted: [Record] = []
    /// The records of the former account after a switch to another; nil without a switch.
    private var left: [Record]?

    mutating func didInsert(_ records: InsertedRecords) {
        guard records.collection == Record.collection else { return }
        inserted += records.map { Record($0, $1) }.compactMap(\.self)
    }

    mutating func willSwitch(in transaction: ReplicaTransaction) throws {
        guard left == nil else { return }
        var known = try Record.fetchAll(in: transaction.store)
        // Observers know the state before the changes of this transaction.
        for key in transaction.order where key.collection == Record.collection {
            known.removeAll { $0.recordKey == key }
            if let before = transaction.shown(key)?.before.flatMap({ Record(key, $0) }) { known.append(before) }
        }
        left = known
    }

    /// The changes of the transaction.
    func changes(in transaction: ReplicaTransaction) throws -> ChangesByAuthor<Record> {
        var changes = ChangesByAuthor<Record>(transaction.origin)
        if let left {
            let now = try Record.fetchAll(in: transaction.store)
            for one in Difference.all(left, now, by: { $0.recordKey }) { changes.add(one.before, one.after) }
            return changes
        }
        for key in transaction.order where key.collection == Record.collection {
            guard let (before, after) = transaction.shown(key) else { continue }
            let (old, new) = (before.flatMap { Record(key, $0) }, after.flatMap { Record(key, $0) })
            // The confirmed record of this device's own edit differs only in the time, which the server sets.
            let isConfirmation = transaction.confirmed.contains(key) && before?.fields == after?.fields
            changes.add(old, new, isConfirmation: isConfirmation)
        }
        changes.others.added += inserted
        return changes
    }
}
