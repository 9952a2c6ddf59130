package import KithModel

/// What is decided about the rewards of a referral. Each reason is kept and shown to the operator.
package enum Verdict: Hashable, Sendable {
    /// Both are rewarded. The reasons are only marks.
    case granted([ReferralReason])
    /// Both wait. At `until`, a doubtful referral is refused, and any other is granted, unless the operator has decided.
    case held([ReferralReason], until: Timestamp, isDoubtful: Bool)
    /// Nobody is rewarded.
    case refused([ReferralReason])

    /// The reasons.
    package var reasons: [ReferralReason] {
        switch self {
        case .granted(let reasons), .held(let reasons, _, _), .refused(let reasons): reasons
        }
    }

    /// The verdict at a later time.
    package func at(_ now: Timestamp) -> Verdict {
        guard case .held(let reasons, let until, let isDoubtful) = self, until <= now else { return self }
        return isDoubtful ? .refused(reasons) : .granted(reasons)
    }
}
