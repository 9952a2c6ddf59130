import Foundation
import Kith
import KithModel

extension NetworkContact {
    /// The contact as JSON.
    func json(at now: Timestamp = Timestamp(Date())) -> JSON {
        .object([
            "account": .text(id.description), "name": .text(orNull: fullName), "given": .text(orNull: given),
            "family": .text(orNull: family), "nick": .text(orNull: nick), "title": .text(orNull: title),
            "jobTitle": .text(orNull: jobTitle), "company": .text(orNull: company), "status": .text(orNull: status),
            "relation": .text(relation.rawValue), "asked": .moment(asked?.date),
            "accepted": .moment(accepted?.date), "notified": .moment(notified?.date),
            "blocked": .flag(isBlocked), "muted": .flag(isMuted(at: now)), "mutedFrom": .moment(mutedFrom?.date),
            "mutedUntil": .moment(mutedUntil?.date), "bot": .flag(isBot), "picture": picture.json,
            "modified": .moment(modified.date),
        ])
    }

    /// What they are called, whatever is known of them.
    var called: String { fullName ?? id.called }

    /// What the two are to each other, and what I have decided, in a few words.
    func standing(at now: Timestamp = Timestamp(Date())) -> String {
        var words: [String] = []
        switch relation {
        case .none: break
        case .connected: words.append("connected")
        case .sent: words.append("you have asked")
        case .received: words.append("asks you")
        case .declined: words.append("declined by you")
        }
        if isBlocked { words.append("blocked") }
        if isMuted(at: now) { words.append(mutedUntil.map { "muted until \($0.date.day)" } ?? "muted") }
        if isBot { words.append("bot") }
        return words.joined(separator: ", ")
    }

    /// What they do, and where.
    var work: String { Profile.work(jobTitle, at: company) }
}

extension NetworkContact? {
    /// Whether the two are nothing to each other.
    var isNothing: Bool { self?.relation ?? NetworkContact.Relation.none == NetworkContact.Relation.none }
}

extension Profile.Picture? {
    /// The hashes of the picture, or null.
    var json: JSON {
        map { .object(["small": .text($0.small), "large": .text($0.large)]) } ?? .null
    }
}

extension [NetworkContact] {
    /// The table of a listing, or what to say where there is nobody.
    func lines(ifNobody empty: String, colour: Bool) -> [String] {
        if isEmpty { return [empty] }
        let ids = ShortIDs(map(\.id))
        var table = Table(header: ["Name", "Status", "Work", "You two", "Id"])
        for contact in self {
            let standing = contact.standing()
            table.add([
                Table.Cell(contact.fullName ?? "(no name)"), Table.Cell(contact.status ?? ""), Table.Cell(contact.work),
                Table.Cell(standing == "connected" ? "" : standing), Table.Cell(ids[contact.id], .faint),
            ])
        }
        return table.lines(colour: colour)
    }
}

extension Profile {
    /// What somebody does, and where.
    static func work(_ jobTitle: String?, at company: String?) -> String {
        [jobTitle, company].compactMap(\.self).joined(separator: ", ")
    }

    /// The profile as JSON, without what only its owner has: who may see what.
    var shownJSON: [String: JSON] {
        func entries(_ entries: [Entry]) -> JSON {
            .list(entries) {
                .object([
                    "value": .text($0.value), "label": .text(orNull: $0.label), "type": .text(orNull: $0.type),
                ])
            }
        }
        return [
            "name": .text(orNull: fullName), "given": .text(orNull: given), "family": .text(orNull: family),
            "nick": .text(orNull: nick), "title": .text(orNull: title), "jobTitle": .text(orNull: jobTitle),
            "company": .text(orNull: company), "status": .text(orNull: status), "phones": entries(phones),
            "emails": entries(emails), "sites": entries(sites),
            "addresses": .list(addresses) {
                .object(["text": .text($0.text), "label": .text(orNull: $0.label)])
            },
            "language": .text(orNull: language), "country": .text(orNull: country),
            "timeZone": .text(orNull: timeZone), "picture": picture.json,
        ]
    }

    /// The profile as JSON, as its owner sees it.
    var json: JSON {
        var json = shownJSON
        json["visibility"] = .object(
            Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0.rawValue, .text(visibility(of: $0).rawValue)) }))
        json["listed"] = .flag(isListed)
        json["discoverable"] = .flag(isDiscoverable)
        return .object(json)
    }

    /// What there is of it, line by line: what it is called, and what it says.
    var rows: [(part: Part, label: String, text: String)] {
        var rows: [(part: Part, label: String, text: String)] = []
        func add(_ part: Part, _ label: String, _ text: String?) { if let text { rows.append((part, label, text)) } }
        func add(_ part: Part, _ label: String, _ entries: [Entry]) {
            for entry in entries {
                add(
                    part, label, [entry.value, entry.label.map { "(\($0))" }].compactMap(\.self).joined(separator: " "))
            }
        }
        add(.title, "Title", title)
        add(.given, "Given name", given)
        add(.family, "Family name", family)
        add(.nick, "Nickname", nick)
        add(.jobTitle, "Job", jobTitle)
        add(.company, "Company", company)
        add(.status, "Status", status)
        add(.phones, "Phone", phones)
        add(.emails, "Email", emails)
        add(.sites, "Site", sites)
        for address in addresses { add(.addresses, "Address", address.text.replacing("\n", with: ", ")) }
        add(.language, "Language", language)
        add(.country, "Country", country)
        add(.timeZone, "Time zone", timeZone)
        add(.picture, "Picture", picture.map { "\($0.small.prefix(12))…" })
        return rows
    }
}
