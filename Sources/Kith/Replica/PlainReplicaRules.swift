import KithModel

/// The device's rules for a collection that only needs titles for its records.
struct PlainReplicaRules: ReplicaRules {
    let schema: Schema
    let content: StoreContent
    var isMany = false
    /// The fields that can be the title. The first of them that a record has is its title.
    let titles: [String]
    var folding = FoldingRules()

    func title(of fields: Fields) -> String? { titles.lazy.compactMap { fields[$0]?.text }.first }
}
