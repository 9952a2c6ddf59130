import KithModel

/// The rules for items. A list can have many of them.
struct ItemReplicaRules: ReplicaRules {
    let schema = ListItem.schema
    let isMany = true

    func title(of fields: Fields) -> String? { fields["title"]?.text }
}
