import KithModel

/// The collections that a server supports, with the rules of each.
package struct Collections: Sendable {
    /// The rules, in the order in which they are applied.
    package let all: [any CollectionRules]
    /// The rules of the collections of which a feed has at most one record.
    let single: [any CollectionRules]
    /// The place of each collection in ``all``.
    private let places: [RecordCollection: Int]

    init(_ all: [any CollectionRules]) {
        self.all = all
        single = all.filter { $0.isSingle }
        places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.schema.collection, $0) })
    }

    /// These collections and further ones.
    package func adding(_ rules: any CollectionRules...) -> Collections { Collections(all + rules) }

    /// The rules of `collection`; nil if this server does not support it.
    subscript(collection: RecordCollection) -> (any CollectionRules)? { places[collection].map { all[$0] } }

    /// The rules of the supported ones of these collections, in the order in which they are applied.
    func inOrder(_ collections: some Sequence<RecordCollection>) -> [any CollectionRules] {
        collections.compactMap { places[$0] }.sorted().map { all[$0] }
    }
}
