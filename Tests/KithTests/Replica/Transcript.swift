import Kith
import KithModel

/// What a replica announces, a line for each announcement: the origin, the kind, then what was added, modified and
/// removed.
struct Transcript {
    private let lines = Kept<[String]>([])

    /// Listens from here on.
    init(_ phone: Phone) {
        _ = phone.client.replica.hub.listen { [lines] announcement in
            lines.change { $0.append(Self.line(announcement)) }
        }
    }

    /// The lines since the last call.
    func take() -> [String] {
        let taken = lines.value
        lines.change { $0.removeFirst(taken.count) }
        return taken
    }

    private static func line(_ announcement: Announcement) -> String {
        if let changed = announcement.lists { return line("lists", changed, \.name) }
        if let changed = announcement.items { return line("items", changed, \.title) }
        if let changed = announcement.members { return line("members", changed, \.role.rawValue) }
        if let differences = announcement.contacts { return line(differences.changes(in: .everyone)) }
        return "populated"
    }

    private static func line<Record>(_ kind: String, _ changed: Changed<Record>, _ text: (Record) -> String) -> String {
        var parts = changed.added.map { "+" + text($0) }
        parts += changed.modified.map { "~" + text($0) }
        parts += changed.removed.map { "−" + text($0) }
        return "\(changed.origin) \(kind) \(parts.joined(separator: " "))"
    }

    private static func line(_ changes: NetworkChanges) -> String {
        func text(_ contact: NetworkContact) -> String { contact.given ?? contact.relation.rawValue }
        var parts = changes.added.map { "+" + text($0) }
        parts += changes.updated.map { "~" + text($0.contact) }
        parts += changes.removed.map { "−" + text($0) }
        return "\(changes.origin) contacts \(parts.joined(separator: " "))"
    }
}
