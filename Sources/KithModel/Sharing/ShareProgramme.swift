public import Foundation

/// A programme of the operator, as an app gets it: in one language, with the zones for its account.
public struct ShareProgramme: Hashable, Sendable, Codable, Identifiable {
    /// What a share says in one channel.
    public struct ShareText: Hashable, Sendable, Codable {
        /// The subject of an email; nil for the standard subject.
        public var subject: String?
        /// The text; `{{link}}`, `{{code}}` and `{{name}}` stand for the link, the code and the name of the person.
        public var text: String

        /// Creates the text of a channel.
        public init(subject: String? = nil, text: String) { (self.subject, self.text) = (subject, text) }
    }

    /// Named content that the app shows, such as a banner.
    public struct Zone: Hashable, Sendable, Codable {
        /// The name.
        public var name: String
        /// A JSON object, as its text.
        public var content: String

        /// Creates a zone with this content.
        public init(name: String, content: String) { (self.name, self.content) = (name, content) }
    }

    /// What somebody gets.
    public struct RewardOffer: Hashable, Sendable, Codable {
        /// The name of the reward in the programme: `voucher-5`.
        public var name: String
        /// What people read: “5 € voucher”.
        public var title: String

        /// Creates the offer of a reward.
        public init(name: String, title: String) { (self.name, self.title) = (name, title) }
    }

    /// The name: 1 to 32 of a-z, 0-9 and hyphens.
    public var name: String
    /// Whether the operator has paused it. Its links open, but nothing is shared by email and nobody is rewarded.
    public var isPaused: Bool
    /// The title of the page.
    public var title: String
    /// The text of the page.
    public var text: String
    /// Where “join” on the page leads; nil for the page to sign in.
    public var url: URL?
    /// The texts of the channels. A channel without a text uses that of ``ShareChannel/link``.
    public var shares: [ShareChannel: ShareText]
    /// What the app shows to this account.
    public var zones: [Zone]
    /// The rules for codes that people choose.
    public var codes: ShareCodeRules
    /// What somebody gets for a friend; nil for nothing.
    public var advocateReward: RewardOffer?
    /// What the friend gets; nil for nothing.
    public var friendReward: RewardOffer?

    /// Creates a programme with these properties.
    public init(
        name: String, isPaused: Bool = false, title: String, text: String, url: URL? = nil,
        shares: [ShareChannel: ShareText] = [:], zones: [Zone] = [], codes: ShareCodeRules = ShareCodeRules(),
        advocateReward: RewardOffer? = nil, friendReward: RewardOffer? = nil
    ) {
        self.name = name
        self.isPaused = isPaused
        self.title = title
        self.text = text
        self.url = url
        self.shares = shares
        self.zones = zones
        self.codes = codes
        self.advocateReward = advocateReward
        self.friendReward = friendReward
    }

    /// The name.
    public var id: String { name }

    /// The text of a share in a channel; nil if the programme has none for it and none for ``ShareChannel/link``.
    public func shareText(for channel: ShareChannel) -> ShareText? { shares[channel] ?? shares[.link] }
}
