import KithModel

/// The device's rules for referrals, which only the server makes.
struct ReferralReplicaRules: ReplicaRules {
    let schema = Referral.schema
    let isMany = true

    func title(of fields: Fields) -> String? { fields["friendName"]?.text }
}
