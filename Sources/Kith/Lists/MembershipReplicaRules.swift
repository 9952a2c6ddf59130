import KithModel

/// The rules for memberships. Losing a membership means losing access to the list's feed.
struct MembershipReplicaRules: ReplicaRules {
    let schema = Membership.schema
    let content = StoreContent.nothing
    // Neither the place of a list among mine, nor leaving it, changes what the server decides about another list.
    let folding = FoldingRules(isOrderFree: true)

    let grantsAccess = true
    func grantedRole(_ fields: Fields) -> Role? { (fields["role"]?.text).flatMap(Role.init) }
    func feedLost(with key: RecordKey) -> FeedID? { key.list.retyped() }

    /// The server creates a membership together with the list. Its position may be set on the device before that.
    func implied(
        _ key: RecordKey, at time: Timestamp, in transaction: ReplicaTransaction
    ) throws -> StoredRecord? {
        try transaction.isCreating(key.list.retyped()) ? .ownMembership(at: time) : nil
    }
}
