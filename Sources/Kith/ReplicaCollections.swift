import KithModel

/// The rules of every collection that this device knows.
enum ReplicaCollections {
    static let all: [any ReplicaRules] = [
        ListReplicaRules(), ItemReplicaRules(), MemberReplicaRules(), MembershipReplicaRules(),
        ProfileReplicaRules(), ContactReplicaRules(),
    ]

    private static let byCollection = Dictionary(uniqueKeysWithValues: all.map { ($0.schema.collection, $0) })

    /// The rules of `collection`; nil if this version does not know it.
    static subscript(collection: RecordCollection) -> (any ReplicaRules)? { byCollection[collection] }
}
