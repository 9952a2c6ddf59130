package import Foundation
package import KithModel

/// A programme in which people are rewarded for bringing others: the operator's JSON document, checked.
package struct Programme: Hashable, Sendable {
    /// A text in several languages, by their tags.
    package typealias Texts = [String: String]

    /// What a share says in one channel.
    package struct ShareText: Hashable, Sendable {
        /// The subject of an email; nil for the standard subject.
        package var subject: Texts?
        /// The text; `{{link}}`, `{{code}}` and `{{name}}` stand for the link, the code and the advocate's name.
        package var text: Texts
    }

    /// Named content that the app shows, such as a banner.
    package struct Zone: Hashable, Sendable {
        package let name: String
        /// Who sees it.
        package var audience: Set<Audience>
        /// A JSON object, as its text.
        package var content: String
    }

    /// Whom a zone is for.
    package enum Audience: String, CaseIterable, Hashable, Sendable, Codable { case anonymous, identified }

    /// What the link of a share shows.
    package enum Landing: String, CaseIterable, Hashable, Sendable {
        /// The page of the programme.
        case page
        /// The operator's own page, at ``url``. A paused programme still shows the page of the programme.
        case redirect
    }

    /// What somebody gets.
    package struct Reward: Hashable, Sendable {
        /// The name of the reward in the operator's systems: `voucher-5`.
        package let name: String
        /// What people read: “5 € voucher”.
        package var title: Texts
        /// The event of the friend that earns it: `joined`, or a name that the app sends, such as `purchase`.
        package var event: String
    }

    /// The name in links of operators and in files: 1 to 32 of a-z, 0-9 and hyphens.
    package let name: String
    /// Whether people can share and be rewarded. Links of a paused programme still open.
    package var isPaused = false
    /// The title of the page.
    package var title: Texts
    /// The text of the page.
    package var text: Texts
    /// Where “join” on the page leads; the code is added as the parameter `code`. nil for the page to sign in.
    package var url: URL?
    /// What the link of a share shows.
    package var landing = Landing.page
    /// Whether the links of shares show the operator's own page.
    package var leadsElsewhere: Bool { landing == .redirect && !isPaused && url != nil }
    /// The texts of the channels. Channels without a text use that of `link`.
    package var shares: [ShareChannel: ShareText] = [:]
    package var zones: [Zone] = []
    package var codes = ShareCodeRules()
    /// What the advocate gets for a friend.
    package var advocateReward: Reward?
    /// What the friend gets.
    package var friendReward: Reward?
    package var attribution = Attribution()
    package var guards = ReferralGuards()
    /// Emails that an advocate may share in a day.
    package var sharesADay = 50

    /// The text in the first wanted language that there is.
    ///
    /// A language of a region falls back to the language itself (RFC 4647, section 3.4), and everything falls back to
    /// English, then to the first of the languages in their order.
    ///
    /// - Parameters:
    ///   - texts: The text in several languages.
    ///   - languages: Tags, best first.
    /// - Returns: The text; empty if there is none.
    package static func text(_ texts: Texts, in languages: [String]) -> String {
        language(of: texts, in: languages).flatMap { texts[$0] } ?? ""
    }

    /// The language that ``text(_:in:)`` chooses; nil if there is no text.
    package static func language(of texts: Texts, in languages: [String]) -> String? {
        let known = Dictionary(texts.keys.map { ($0.lowercased(), $0) }) { min($0, $1) }
        for tag in languages + ["en"] {
            var parts = tag.lowercased().split { $0 == "-" || $0 == "_" }
            while !parts.isEmpty {
                if let language = known[parts.joined(separator: "-")] { return language }
                parts.removeLast()
            }
        }
        return known.min { $0.key < $1.key }?.value
    }

    /// What an app gets of the programme.
    ///
    /// - Parameters:
    ///   - languages: Tags, best first.
    ///   - audience: The account's kind, which decides the zones.
    /// - Returns: The programme in one language.
    package func shown(in languages: [String], to audience: Audience) -> ShareProgramme {
        func text(_ texts: Texts) -> String { Self.text(texts, in: languages) }
        func offer(_ reward: Reward?) -> ShareProgramme.RewardOffer? {
            reward.map { ShareProgramme.RewardOffer(name: $0.name, title: text($0.title)) }
        }
        return ShareProgramme(
            name: name, isPaused: isPaused, title: text(title), text: text(self.text), url: url,
            shares: shares.mapValues { share in
                ShareProgramme.ShareText(subject: share.subject.map { text($0) }, text: text(share.text))
            },
            zones: zones.filter { $0.audience.contains(audience) }.map { zone in
                ShareProgramme.Zone(name: zone.name, content: zone.content)
            },
            codes: codes, advocateReward: offer(advocateReward), friendReward: offer(friendReward))
    }

    /// The events that earn something, in the order of their names.
    var rewardedEvents: [String] { Set([advocateReward?.event, friendReward?.event].compactMap(\.self)).sorted() }

    /// What an event earns, for each side.
    func rewards(for event: String) -> [(side: KithModel.Reward.Side, reward: Reward)] {
        var rewards: [(side: KithModel.Reward.Side, reward: Reward)] = []
        if let advocateReward, advocateReward.event == event { rewards.append((.advocate, advocateReward)) }
        if let friendReward, friendReward.event == event { rewards.append((.friend, friendReward)) }
        return rewards
    }
}
