import KithModel

/// A list makes its feed, and the feed is lost with it.
struct ListReplicaRules: ReplicaRules {
    let schema = SharedList.schema

    func title(of fields: Fields) -> String? { fields["name"]?.text }
    func feedLost(with key: RecordKey) -> FeedID? { key.list.retyped() }

    func purge(in transaction: ReplicaTransaction) throws {
        try RemovedIdentities(db: transaction.db, account: transaction.account.key).purge(at: transaction.now)
    }
}
