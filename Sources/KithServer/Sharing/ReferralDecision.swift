/// What an operator's decision about a referral has done.
package struct ReferralDecision: Hashable, Sendable {
    /// What has happened.
    package enum Result: String, Hashable, Sendable {
        /// The decision was carried out.
        case done
        /// The referral has this state already, or its rewards were granted, which cannot be taken back.
        case unchanged
        /// There is no such referral.
        case unknown
    }

    package let id: ReferralRow.ID
    package let result: Result
    /// The state afterwards; nil if there is no such referral.
    package let state: ReferralRow.State?
}
