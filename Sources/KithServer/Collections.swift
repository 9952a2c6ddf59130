import KithModel

/// The rules of every collection that this server knows.
enum Collections {
    static let all: [any CollectionRules] = [
        ListRules(), ItemRules(), MemberRules(), MembershipRules(), ProfileRules(), ContactRules(),
    ]

    private static let byCollection = Dictionary(uniqueKeysWithValues: all.map { ($0.schema.collection, $0) })

    /// The rules of `collection`; nil if this server does not know it.
    static subscript(collection: RecordCollection) -> (any CollectionRules)? { byCollection[collection] }
}
