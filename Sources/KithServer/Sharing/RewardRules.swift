import KithModel

/// The rules of rewards. Only the server writes them.
struct RewardRules: CollectionRules {
    let schema = Reward.schema
}
