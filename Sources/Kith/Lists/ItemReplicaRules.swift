import KithModel

/// A list can have many items.
struct ItemReplicaRules: ReplicaRules {
    let schema = ListItem.schema
    let isMany = true

    func title(of fields: Fields) -> String? { fields["title"]?.text }
}
