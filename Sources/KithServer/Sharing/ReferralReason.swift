/// Why a referral is held or refused, or is only marked.
package enum ReferralReason: String, CaseIterable, Hashable, Sendable, Codable {
    /// The friend has an identity of the advocate.
    case selfReferral = "self-referral"
    /// Another referral was rewarded for a person with the same mailbox or number.
    case duplicate
    /// The friend's email belongs to a domain of mailboxes that anybody can read for a while.
    case disposable
    /// The advocate has referred more people in a day than the programme permits.
    case velocity
    /// More people have shared to the friend within a day than the programme permits.
    case recipientVelocity = "recipient-velocity"
    /// More people have joined within a few minutes than the programme permits.
    case bulk
    /// The friend joined so soon after the share that nobody could have read it.
    case tooSoon = "too-soon"
    /// Only a device says that the advocate has shared to the friend.
    case noted = "noted-share"
    /// The advocate has all the rewards that the programme permits.
    case limit
    /// The programme holds every reward for some days.
    case holding
    /// The two joined from the same network. Families and offices do that, so it decides nothing.
    case sameNetwork = "same-network"
    /// The friend has deleted the account while the rewards were held.
    case gone

    /// The reason for people.
    package var sentence: String {
        switch self {
        case .selfReferral: "The friend has an email or a number of the advocate."
        case .duplicate: "A person with this mailbox or number was referred before."
        case .disposable: "The friend’s email is a mailbox that anybody can open for a while."
        case .velocity: "The advocate has referred unusually many people within a day."
        case .recipientVelocity: "Unusually many people shared to the friend within a day."
        case .bulk: "Unusually many people joined within a few minutes."
        case .tooSoon: "The friend joined sooner after the share than somebody could read it."
        case .noted: "Only the advocate’s device says that something was shared to the friend."
        case .limit: "The advocate already has as many rewards as the programme gives to one person."
        case .holding: "The programme holds rewards for some days."
        case .sameNetwork: "Both joined from the same network. This alone holds nothing."
        case .gone: "The friend has deleted the account while the rewards were held."
        }
    }
}
