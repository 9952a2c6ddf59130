import Foundation
import Kith
import KithModel

extension NetworkContact {
    /// The connection for `--json`.
    func shape(at now: Timestamp = Timestamp(Date())) -> Shape {
        [
            "account": id, "name": fullName, "given": given, "family": family, "nick": nick, "title": title,
            "jobTitle": jobTitle, "company": company, "status": status, "relation": relation, "asked": asked?.date,
            "accepted": accepted?.date, "notified": notified?.date, "blocked": isBlocked, "muted": isMuted(at: now),
            "mutedFrom": mutedFrom?.date, "mutedUntil": mutedUntil?.date, "bot": isBot, "picture": picture?.shape,
            "modified": modified.date,
        ]
    }

    /// The person's name, or else “account” and the short id.
    var called: String { fullName ?? id.called }

    /// The relation of the two, and my decisions, in a few words.
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

    /// The person's title, work and company.
    var work: String { Profile.work(jobTitle, at: company) }
}

extension NetworkContact? {
    /// Whether the two have no relation.
    var isNothing: Bool { self?.relation ?? NetworkContact.Relation.none == NetworkContact.Relation.none }
}

extension Profile.Picture {
    fileprivate var shape: Shape { ["small": small, "large": large] }
}

extension Profile.Entry {
    fileprivate var shape: Shape { ["value": value, "label": label, "type": type] }
}

extension Profile.Address {
    fileprivate var shape: Shape { ["text": text, "label": label] }
}

extension [NetworkContact] {
    /// The table of a listing, or the sentence for an empty one.
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
    /// The title, work and company of a person.
    static func work(_ jobTitle: String?, at company: String?) -> String {
        [jobTitle, company].compactMap(\.self).joined(separator: ", ")
    }

    /// The profile for `--json` as others see it: without its visibility, which only its owner has.
    var shownShape: Shape {
        [
            "name": fullName, "given": given, "family": family, "nick": nick, "title": title, "jobTitle": jobTitle,
            "company": company, "status": status, "phones": phones.map(\.shape), "emails": emails.map(\.shape),
            "sites": sites.map(\.shape), "addresses": addresses.map(\.shape), "language": language,
            "country": country, "timeZone": timeZone, "picture": picture?.shape,
        ]
    }

    /// The profile for `--json` as its owner sees it.
    var shape: Shape {
        let parts = Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0.rawValue, visibility(of: $0)) })
        return shownShape + [
            "visibility": parts, "listed": isListed, "discoverable": isDiscoverable,
            "claimedEmail": claimedEmail,
            "notifiedOfJoins": isNotifiedOfJoins,
        ]
    }

    /// The profile line by line: the name of each field and its value.
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
