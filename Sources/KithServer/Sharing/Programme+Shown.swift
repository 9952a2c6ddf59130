package import KithModel

extension Programme {
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
