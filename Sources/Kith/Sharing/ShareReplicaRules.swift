import KithModel

/// The device's rules for shares. An account can have many of them.
struct ShareReplicaRules: ReplicaRules {
    let schema = Share.schema
    let content = StoreContent.records
    let isMany = true

    func title(of fields: Fields) -> String? {
        fields["recipient"]?.text.flatMap { Identity($0)?.shown } ?? fields["channel"]?.text
    }
}
