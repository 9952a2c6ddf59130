import KithModel

/// A list that this account is no longer a member of cannot be read.
struct MembershipReplicaRules: ReplicaRules {
    let schema = Membership.schema

    func feedLost(with key: RecordKey) -> FeedID? { key.list.retyped() }

    /// The server makes a membership with the list. Its place among the account's lists is known here before that.
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord? {
        try transaction.isMaking(key.list.retyped()) ? .ownMembership(at: time) : nil
    }
}
