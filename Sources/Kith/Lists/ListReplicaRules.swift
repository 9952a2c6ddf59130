import KithModel

/// The rules for lists. A list creates its feed, and losing the list means losing the feed.
struct ListReplicaRules: ReplicaRules {
    let schema = SharedList.schema

    func title(of fields: Fields) -> String? { fields["name"]?.text }
    func feedLost(with key: RecordKey) -> FeedID? { key.list.retyped() }

    func purge(in transaction: ReplicaTransaction) throws {
        try RemovedIdentities(db: transaction.db, account: transaction.account.key).purge(at: transaction.now)
    }
}
