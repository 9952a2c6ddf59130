import Foundation
import Kith
import KithModel

extension NetworkContact {
    /// The connection for `--json`.
    var shape: Shape {
        let own: Shape = [
            "account": id, "name": fullName, "relation": relation, "asked": asked?.date, "accepted": accepted?.date,
            "notified": notified?.date, "blocked": isBlocked, "muted": isMuted(at: Timestamp(.now)),
            "mutedFrom": mutedFrom?.date, "mutedUntil": mutedUntil?.date, "bot": isBot, "modified": modified.date,
        ]
        return own + profile.shape(of: Profile.allFields.filter(\.isInSummary))
    }

    /// The person's name, or else “account” and the short id.
    var called: String { fullName ?? id.called }

    /// The relation of the two, and my decisions, in a few words.
    var standing: String {
        var words: [String] = []
        switch relation {
        case .none: break
        case .connected: words.append("connected")
        case .sent: words.append("you have asked")
        case .received: words.append("asks you")
        case .declined: words.append("declined by you")
        }
        if isBlocked { words.append("blocked") }
        if isMuted(at: Timestamp(.now)) { words.append(mutedUntil.map { "muted until \($0.date.day)" } ?? "muted") }
        if isBot { words.append("bot") }
        return words.joined(separator: ", ")
    }
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
        return Table(header: ["Name", "Status", "Work", "You two", "Id"], self) { contact in
            let standing = contact.standing
            return [
                Table.Cell(contact.fullName ?? "(no name)"), Table.Cell(contact.status ?? ""),
                Table.Cell(contact.profile.work), Table.Cell(standing == "connected" ? "" : standing),
                Table.Cell(ids[contact.id], .faint),
            ]
        }.lines(colour: colour)
    }
}

extension Profile {
    /// An object with these fields.
    fileprivate func shape(of fields: [ProfileField]) -> Shape {
        Shape(Dictionary(uniqueKeysWithValues: fields.map { ($0.part.rawValue, value(of: $0)) }))
    }

    private func value(of field: ProfileField) -> any Encodable & Sendable {
        switch field.content {
        case .text(let path, _): return self[keyPath: path]
        case .entries(let path, _): return self[keyPath: path].map(\.shape)
        case .addresses: return addresses.map(\.shape)
        case .picture: return picture?.shape
        }
    }

    /// The profile for `--json` as others see it: without its visibility, which only its owner has.
    var shownShape: Shape { shape(of: Self.allFields) + ["name": fullName] }

    /// The profile for `--json` as its owner sees it.
    var shape: Shape {
        let parts = Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0.rawValue, visibility(of: $0)) })
        return shownShape + [
            "visibility": parts, "listed": isListed, "discoverable": isDiscoverable,
            "claimedEmail": claimedEmail,
            "notifiedOfJoins": isNotifiedOfJoins,
        ]
    }

    /// The profile line by line: the name of each field and its value. The title stands in front of the name.
    var rows: [(part: Part, label: String, text: String)] {
        let fields = Self.allFields.filter { $0.part == .title } + Self.allFields.filter { $0.part != .title }
        return fields.flatMap { field in
            texts(of: field).map { (part: field.part, label: field.label, text: $0) }
        }
    }

    private func texts(of field: ProfileField) -> [String] {
        switch field.content {
        case .text(let path, _): return [self[keyPath: path]].compactMap(\.self)
        case .entries(let path, _):
            return self[keyPath: path].map { entry in
                [entry.value, entry.label.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
            }
        case .addresses: return addresses.map { $0.text.replacing("\n", with: ", ") }
        case .picture: return [picture.map { "\($0.small.prefix(12))…" }].compactMap(\.self)
        }
    }
}
