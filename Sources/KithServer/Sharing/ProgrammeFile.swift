package import Foundation
import KithModel

/// The operator's file of a programme: one JSON object, which `Documentation/Sharing.md` describes.
package enum ProgrammeFile {
    /// The size of the largest file, in bytes.
    package static let size = 512 * 1024
    /// The largest number of zones.
    private static let mostZones = 100
    /// The largest number of reserved words.
    private static let mostWords = 1_000

    /// Reads a file. A key that is not known is a fault, because a mistyped rule would not protect anything.
    ///
    /// - Throws: ``ServerError`` `malformed`: what to correct, with the path of the value, such as
    ///   `$.shares.email.subject.de`.
    package static func read(_ data: Data) throws(ServerError) -> Programme {
        guard data.count <= size else {
            throw ServerError(.malformed, "The file has more than \(size / 1024) KiB.", path: "$")
        }
        let file = try PlacedValue(data).object([
            "name", "title", "text", "url", "landing", "shares", "zones", "codes", "rewards", "attribution", "guards",
            "shares-a-day",
        ])
        var programme = Programme(
            name: try name(file.required("name")),
            title: try texts(file.required("title"), upTo: Limits.programmeTitle, isLine: true),
            text: try texts(file.required("text"), upTo: Limits.programmeText))
        if let value = file["url"] { programme.url = try address(value) }
        if let value = file["landing"] { programme.landing = try landing(value, programme.url) }
        if let value = file["shares"] { programme.shares = try shares(value) }
        if let value = file["zones"] { programme.zones = try zones(value) }
        if let value = file["codes"] { programme.codes = try codes(value) }
        if let value = file["rewards"] {
            let rewards = try value.object(["advocate", "friend"])
            if let value = rewards["advocate"] { programme.advocateReward = try reward(value) }
            if let value = rewards["friend"] { programme.friendReward = try reward(value) }
        }
        if let value = file["attribution"] { programme.attribution = try attribution(value) }
        if let value = file["guards"] { programme.guards = try guards(value) }
        if let value = file["shares-a-day"] {
            programme.sharesADay = try value.integer(0...Limits.emailSharesADay)
        }
        return programme
    }

    /// The name of a programme or a zone.
    private static func name(_ value: PlacedValue) throws(ServerError) -> String {
        guard let name = value.value.text, name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,31}/) != nil else {
            throw value.fault("has to be a name of 1 to 32 of a-z, 0-9 and hyphens.")
        }
        return name
    }

    /// A text in at least one language.
    private static func texts(
        _ value: PlacedValue, upTo length: Int, isLine: Bool = false, isShare: Bool = false
    ) throws(ServerError) -> Programme.Texts {
        var texts: Programme.Texts = [:]
        for (tag, entry) in try value.entries() {
            guard LanguageTag.isTag(tag) else {
                throw entry.fault("is not a language tag such as en, de-AT or pt-BR.")
            }
            guard !texts.keys.contains(where: { $0.lowercased() == tag.lowercased() }) else {
                throw entry.fault("is there twice, in different capitals.")
            }
            let text = try isLine ? entry.line(upTo: length) : entry.text(upTo: length)
            let placeholder = /\{\{([^{}]*)\}\}/
            let wrong = text.matches(of: placeholder).first { !isShare || !placeholders.contains($0.output.1) }
            if let wrong {
                throw entry.fault(
                    isShare
                        ? "has \(wrong.output.0). The placeholders are {{link}}, {{code}} and {{name}}."
                        : "has \(wrong.output.0). Only the texts of shares have placeholders.")
            }
            if let braces = text.replacing(placeholder, with: " ").firstMatch(of: /\{\{|\}\}/)?.output {
                throw entry.fault(
                    isShare
                        ? "has “\(braces)” without its other half. The placeholders are {{link}}, {{code}} and {{name}}."
                        : "has “\(braces)”. Only the texts of shares have placeholders.")
            }
            texts[tag] = text
        }
        if texts.isEmpty { throw value.fault("has no text. Write one for each language: {\"en\": \"…\"}.") }
        return texts
    }

    private static let placeholders: Set<Substring> = ["link", "code", "name"]

    /// An address that people open after the page.
    private static func address(_ value: PlacedValue) throws(ServerError) -> URL {
        let text = try value.line(upTo: 2_000)
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            parts.scheme == "https" || (parts.scheme == "http" && IPAddress.isLoopback(host: host)), let url = parts.url
        else {
            throw value.fault(
                "has to be an address that begins with https://, or with http:// on this machine (localhost).")
        }
        guard parts.user == nil, parts.password == nil else {
            throw value.fault("has a user before the “@”. Everybody who opens a link would see it: remove it.")
        }
        guard parts.fragment == nil else { throw value.fault("has a part after “#”. Remove it.") }
        if let taken = parts.queryItems?.first(where: { parameters.contains($0.name) }) {
            throw value.fault(
                "has the parameter “\(taken.name)”. The server adds it to each link (code: the code, c: the channel). "
                    + "Remove it, or give it another name.")
        }
        return url
    }

    /// The parameters that the server adds to the address.
    private static let parameters: Set<String> = ["code", "c"]

    /// What the link of a share shows. Without an address, there is nothing else to show than the page.
    private static func landing(_ value: PlacedValue, _ url: URL?) throws(ServerError) -> Programme.Landing {
        let landing = try value.choice(of: Programme.Landing.self)
        if landing == .redirect, url == nil {
            throw value.fault("is redirect, and there is no “url” to lead to. Add one.")
        }
        return landing
    }

    /// The texts of the channels.
    private static func shares(_ value: PlacedValue) throws(ServerError) -> [ShareChannel: Programme.ShareText] {
        var shares: [ShareChannel: Programme.ShareText] = [:]
        for (name, entry) in try value.entries() {
            guard let channel = ShareChannel(rawValue: name) else {
                throw entry.fault("is not the name of a channel: 1 to 32 of a-z, 0-9 and hyphens.")
            }
            let share = try entry.object(["subject", "text"])
            var subject: Programme.Texts?
            if let value = share["subject"] { subject = try texts(value, upTo: 200, isLine: true, isShare: true) }
            let text = try texts(share.required("text"), upTo: Limits.invitationText, isShare: true)
            shares[channel] = Programme.ShareText(subject: subject, text: text)
        }
        return shares
    }

    private static func zones(_ value: PlacedValue) throws(ServerError) -> [Programme.Zone] {
        let entries = try value.elements()
        guard entries.count <= mostZones else { throw value.fault("has more than \(mostZones) zones.") }
        var found: [Programme.Zone] = []
        for entry in entries {
            let zone = try entry.object(["name", "audience", "content"])
            let name = try name(zone.required("name"))
            var audience = Set(Programme.Audience.allCases)
            if let value = zone["audience"] {
                audience = []
                for kind in try value.elements() { audience.insert(try kind.choice(of: Programme.Audience.self)) }
                if audience.isEmpty { throw value.fault("names nobody. Leave it out to show the zone to everybody.") }
            }
            let content = try zone.required("content")
            guard case .object = content.value else { throw content.fault("has to be an object.") }
            let text = CanonicalForm.text(content.value)
            guard text.count <= Limits.zoneContent else {
                throw content.fault(
                    "has \(text.count) characters as JSON; at most \(Limits.zoneContent) are permitted.")
            }
            if found.contains(where: { $0.name == name && !$0.audience.isDisjoint(with: audience) }) {
                throw entry.fault("has the name “\(name)” of another zone that the same people see.")
            }
            found.append(Programme.Zone(name: name, audience: audience, content: text))
        }
        return found
    }

    private static func codes(_ value: PlacedValue) throws(ServerError) -> ShareCodeRules {
        let codes = try value.object(["shortest", "longest", "reserved"])
        let standard = ShareCodeRules().lengths
        var (shortest, longest) = (standard.lowerBound, standard.upperBound)
        if let value = codes["shortest"] { shortest = try value.integer(ShareCode.lengths) }
        if let value = codes["longest"] { longest = try value.integer(ShareCode.lengths) }
        guard shortest <= longest else {
            throw value.fault("has a “shortest” of \(shortest), which is more than the “longest” of \(longest).")
        }
        var reserved: [String] = []
        if let value = codes["reserved"] {
            let entries = try value.elements()
            guard entries.count <= mostWords else { throw value.fault("has more than \(mostWords) words.") }
            for entry in entries {
                guard let word = entry.value.text, (try? ShareCode(word)) != nil else {
                    throw entry.fault("has to be a word that a code can contain: 3 to 32 letters A to Z and digits.")
                }
                reserved.append(word)
            }
        }
        return ShareCodeRules(lengths: shortest...longest, reserved: reserved)
    }

    private static func reward(_ value: PlacedValue) throws(ServerError) -> Programme.Reward {
        let reward = try value.object(["name", "title", "event"])
        let named = try reward.required("name")
        guard let name = named.value.text, name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,63}/) != nil else {
            throw named.fault("has to be a name of 1 to 64 of a-z, A-Z, 0-9, “.”, “_” and hyphens.")
        }
        let title = try texts(reward.required("title"), upTo: 200, isLine: true)
        var event = SharingEvent.joined
        if let value = reward["event"] { event = try value.line(upTo: 64) }
        return Programme.Reward(name: name, title: title, event: event)
    }

    private static func attribution(_ value: PlacedValue) throws(ServerError) -> Attribution {
        let given = try value.object(["rule", "window-days"])
        var attribution = Attribution()
        if let value = given["rule"] { attribution.rule = try value.choice(of: Attribution.Rule.self) }
        if let value = given["window-days"] { attribution.window = .days(Int64(try value.integer(1...366))) }
        return attribution
    }

    private static func guards(_ value: PlacedValue) throws(ServerError) -> ReferralGuards {
        let given = try value.object([
            "self-referral", "duplicate", "disposable", "disposable-domains", "referrals-a-day",
            "advocates-of-recipient", "joins-in-ten-minutes", "soonest-seconds", "noted-shares",
            "same-network", "holding-days", "review-days", "rewards",
        ])
        var guards = ReferralGuards()
        if let value = given["self-referral"] { guards.selfReferral = try value.flag() }
        if let value = given["duplicate"] { guards.duplicate = try value.flag() }
        if let value = given["disposable"] { guards.disposable = try value.flag() }
        if let value = given["disposable-domains"] {
            for entry in try value.elements() { guards.disposableDomains.insert(try domain(entry)) }
        }
        if let value = given["referrals-a-day"] { guards.referralsADay = try value.limit(0...100_000) }
        if let value = given["advocates-of-recipient"] {
            guards.advocatesOfRecipient = try value.limit(1...100_000)
        }
        if let value = given["joins-in-ten-minutes"] { guards.joinsInBulk = try value.limit(1...1_000_000) }
        if let value = given["soonest-seconds"] {
            guards.soonest = try value.limit(0...86_400).map { Duration.seconds($0) }
        }
        if let value = given["noted-shares"] {
            guards.notedShares = try value.choice(of: ReferralGuards.NotedShares.self)
        }
        if let value = given["same-network"] { guards.sameNetwork = try value.flag() }
        if let value = given["holding-days"] { guards.holding = .days(Int64(try value.integer(0...366))) }
        if let value = given["review-days"] { guards.review = .days(Int64(try value.integer(1...366))) }
        if let value = given["rewards"] { guards.rewards = try value.limit(1...1_000_000) }
        return guards
    }

    /// A domain in the form of email addresses.
    private static func domain(_ value: PlacedValue) throws(ServerError) -> String {
        guard let text = value.value.text, !text.contains("@"), let address = EmailAddress("a@\(text)"),
            let domain = address.text.split(separator: "@").last
        else { throw value.fault("has to be a domain such as mail.example.com.") }
        return String(domain)
    }
}
