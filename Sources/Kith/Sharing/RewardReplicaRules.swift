import KithModel

/// The device's rules for rewards, which only the server makes.
struct RewardReplicaRules: ReplicaRules {
    let schema = Reward.schema
    let isMany = true

    func title(of fields: Fields) -> String? { fields["title"]?.text ?? fields["name"]?.text }
}
