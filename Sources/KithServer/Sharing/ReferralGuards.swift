import KithModel

/// The rules of a programme against rewards that nobody has earned. Each can be switched off.
package struct ReferralGuards: Hashable, Sendable {
    /// What happens with a share that a device has only noted. The server does not know whether it was sent.
    package enum NotedShares: String, CaseIterable, Hashable, Sendable {
        /// It brings the friend, and the rewards wait for the operator.
        case hold
        /// It brings the friend like an email that the server has sent.
        case count
        /// It brings nobody.
        case ignore
    }

    /// Refuses somebody who refers himself.
    package var selfReferral = true
    /// Refuses a person who was referred before.
    package var duplicate = true
    /// Holds friends with a disposable email, until the operator decides.
    package var disposable = true
    /// Domains that count as disposable, with all domains below them.
    package var disposableDomains: Set<String> = []
    /// The referrals of one advocate in 24 hours that are not held; nil for any number.
    package var referralsADay: Int? = 20
    /// The people who can share to one friend within 24 hours without a doubt; nil for any number.
    package var advocatesOfRecipient: Int? = 5
    /// The people who can join the programme within ``bulkTime`` without a doubt; nil for any number.
    package var joinsInBulk: Int? = 100
    /// A friend who joins sooner after the share is held; nil for no such rule.
    package var soonest: Duration? = .seconds(10)
    /// What happens with a share that a device has only noted.
    package var notedShares = NotedShares.hold
    /// Marks two who joined from the same network.
    package var sameNetwork = true
    /// How long rewards are held in any case.
    package var holding = Duration.zero
    /// How long a doubtful referral waits for the operator. It is refused after that.
    package var review = Duration.days(30)
    /// The rewards of one advocate in the programme; nil for any number.
    package var rewards: Int?

    /// The time in which joins are counted by ``joinsInBulk``.
    package static let bulkTime = Duration.seconds(600)

    /// The default rules.
    package init() {}

    /// Decides about a referral.
    ///
    /// The function reads nothing but its argument, so that the same facts always give the same verdict, and the operator
    /// can be told why.
    package func verdict(_ referral: ReferralFacts) -> Verdict {
        var refusing: [ReferralReason] = []
        if selfReferral, referral.isSelfReferral { refusing.append(.selfReferral) }
        if duplicate, referral.isKnownFriend { refusing.append(.duplicate) }
        if let rewards, referral.rewardsOfAdvocate >= rewards { refusing.append(.limit) }
        let marks: [ReferralReason] = sameNetwork && referral.isSameNetwork ? [.sameNetwork] : []
        guard refusing.isEmpty else { return .refused(refusing + marks) }

        var holding: [ReferralReason] = []
        if disposable, !disposableDomains.isDisjoint(with: referral.friendDomains) { holding.append(.disposable) }
        if let referralsADay, referral.referralsInADay >= referralsADay { holding.append(.velocity) }
        if let advocatesOfRecipient, referral.otherAdvocates >= advocatesOfRecipient {
            holding.append(.recipientVelocity)
        }
        if let joinsInBulk, referral.joinsInBulk >= joinsInBulk { holding.append(.bulk) }
        if let soonest, let shared = referral.shared, referral.joined - shared < soonest { holding.append(.tooSoon) }
        if notedShares != .count, referral.isNoted { holding.append(.noted) }
        if !holding.isEmpty { return .held(holding + marks, until: referral.occurred + review, isDoubtful: true) }
        if self.holding > .zero {
            return .held([.holding] + marks, until: referral.occurred + self.holding, isDoubtful: false)
        }
        return .granted(marks)
    }
}
