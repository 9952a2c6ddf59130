import KithModel

/// The rules of referrals. Only the server writes them.
struct ReferralRules: CollectionRules {
    let schema = Referral.schema
}
