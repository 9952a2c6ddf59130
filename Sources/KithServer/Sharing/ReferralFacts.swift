package import KithModel

/// What is known about a referral when a verdict is reached.
package struct ReferralFacts: Hashable, Sendable {
    /// The advocate's proved identities.
    package var advocate: Set<Identity>
    /// The friend's proved identities.
    package var friend: Set<Identity>
    /// Identities of friends who were referred before, in any spelling, that equal one of this friend's.
    package var isKnownFriend: Bool
    /// When the advocate shared to the friend. If the friend used a code, when the server learnt what it leads to, because
    /// nobody could use it before. nil if neither is known.
    package var shared: Timestamp?
    /// When the friend joined: with the sign-up, or with a code that was used after it.
    package var joined: Timestamp
    /// When the event occurred that earns the rewards.
    package var occurred: Timestamp
    /// The advocate's other referrals in the 24 hours before.
    package var referralsInADay: Int
    /// The other people who shared to the friend in the 24 hours before the friend joined. If the friend used a code, none
    /// of them counts.
    package var otherAdvocates: Int
    /// The others who joined the programme in the minutes before: see ``ReferralGuards/bulkTime``.
    package var joinsInBulk: Int
    /// The rewards that the advocate has been granted in the programme.
    package var rewardsOfAdvocate: Int
    /// Whether the two joined from the same network.
    package var isSameNetwork: Bool
    /// Whether only a device says that the advocate has shared to the friend.
    package var isNoted: Bool

    package init(
        advocate: Set<Identity>, friend: Set<Identity>, isKnownFriend: Bool = false, shared: Timestamp? = nil,
        joined: Timestamp, occurred: Timestamp? = nil, referralsInADay: Int = 0, otherAdvocates: Int = 0,
        joinsInBulk: Int = 0, rewardsOfAdvocate: Int = 0, isSameNetwork: Bool = false,
        isNoted: Bool = false
    ) {
        (self.advocate, self.friend, self.isKnownFriend) = (advocate, friend, isKnownFriend)
        (self.shared, self.joined, self.occurred) = (shared, joined, occurred ?? joined)
        (self.referralsInADay, self.otherAdvocates) = (referralsInADay, otherAdvocates)
        (self.joinsInBulk, self.rewardsOfAdvocate) = (joinsInBulk, rewardsOfAdvocate)
        (self.isSameNetwork, self.isNoted) = (isSameNetwork, isNoted)
    }

    /// Whether one number or mailbox belongs to both.
    var isSelfReferral: Bool { !Self.folded(advocate).isDisjoint(with: Self.folded(friend)) }

    /// The domains of the friend's emails, and the domains above them: `a.example.net`, `example.net` and `net`.
    var friendDomains: Set<String> {
        var domains: Set<String> = []
        for case .email(let address) in friend {
            let labels = address.text.split(separator: "@").last?.split(separator: ".") ?? []
            for first in labels.indices { domains.insert(labels[first...].joined(separator: ".")) }
        }
        return domains
    }

    /// The numbers and mailboxes in the form in which two spellings of one mailbox are equal.
    package static func folded(_ identities: Set<Identity>) -> Set<String> {
        Set(
            identities.map {
                switch $0 {
                case .email(let address): FoldedMailbox(address).text
                case .phone(let number): number.text
                }
            })
    }
}
