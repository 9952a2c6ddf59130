import GRDB
import KithModel

/// The rules for the account's own profile.
struct ProfileReplicaRules: ReplicaRules {
    let schema = Profile.schema

    /// Moves the unsent parts of my profile, without the picture.
    func moveUnsent(
        from old: ReplicaAccount, to new: ReplicaAccount, in transaction: ReplicaTransaction
    ) throws {
        let pictures: Set = ["pictureSmall", "pictureLarge"]
        var fields: Fields = [:]
        var moved: [StoredMutation] = []
        for mutation in try Outbox(db: transaction.db, account: old.key).unsent(of: .profile) {
            guard case .edit(let set, _) = mutation.change else { continue }
            for (name, value) in set where !pictures.contains(name) { fields[name] = value }
            if pictures.isDisjoint(with: set.keys) { moved.append(mutation) }
        }
        guard !fields.isEmpty, let table = transaction.collections.table(of: .profiles) else { return }
        let record = StoredRecord(fields: fields, sequence: 0, modified: transaction.now)
        try table.save(record, transaction.db, new.key, .profile)
        try Outbox(db: transaction.db, account: new.key).append(
            .set(fields), to: .profile, seen: 0, at: transaction.now, group: nil, inGroup: false,
            id: transaction.dependencies.makeID())
        try transaction.withdraw(moved)
    }

    /// Marks my picture as unsent. It is sent again before any edit that refers to it.
    func sendAgainWhatIsNotInFeeds(in transaction: ReplicaTransaction) throws {
        try transaction.db.execute(
            sql: """
                UPDATE picture SET isUnsent = 1 WHERE account = ?1 AND hash IN (
                    SELECT pictureSmall FROM profile WHERE account = ?1
                    UNION SELECT pictureLarge FROM profile WHERE account = ?1)
                """, arguments: [transaction.account.key])
    }
}
