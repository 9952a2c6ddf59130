package import Kith
package import KithAddressBook

/// Turns changes of contacts into lines for people. It remembers the contacts, so that it can report the changes of
/// each.
package struct ContactNews: Sendable {
    private var known: [Contact.ID: Contact] = [:]

    package init() {}

    package mutating func lines(_ changed: Changed<Contact>) -> [String] {
        defer {
            for contact in changed.removed { known[contact.id] = nil }
            for contact in changed.added + changed.modified { known[contact.id] = contact }
        }
        if changed.origin == .state {
            return ["\(changed.added.count.things("contact")), and what changes from now on:"]
        }
        return changed.added.map { "+ \($0.line)".printable }
            + changed.modified.map { "~ \($0.displayName)\($0.difference(to: known[$0.id]))".printable }
            + changed.removed.map { "- \($0.line)".printable }
    }
}

extension Contact {
    /// The contact on one line.
    fileprivate var line: String { ([displayName] + [distinction].compactMap(\.self)).joined(separator: "  ") }

    /// The differences from an earlier state: `: +43 664 1 → +43 664 2, no more zoe@example.org`.
    package func difference(to earlier: Contact?) -> String {
        guard let earlier else { return "" }
        var differences: [String] = []
        if earlier.displayName != displayName { differences.append("was called “\(earlier.displayName)”") }
        differences += Self.differences(earlier.phones.map(\.shown), phones.map(\.shown))
        differences += Self.differences(earlier.emails.map(\.original), emails.map(\.original))
        if earlier.cards.count != cards.count {
            differences.append("\(cards.count.things("card")) instead of \(earlier.cards.count)")
        }
        return differences.isEmpty ? "" : ": " + differences.joined(separator: ", ")
    }

    private static func differences(_ old: [String], _ new: [String]) -> [String] {
        let (gone, come) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
        if gone.count == 1 && come.count == 1 { return ["\(gone[0]) → \(come[0])"] }
        return come.map { "now \($0)" } + gone.map { "no more \($0)" }
    }
}
