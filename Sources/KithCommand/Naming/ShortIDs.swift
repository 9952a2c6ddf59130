import KithModel

/// Short forms of ids: as few characters as distinguish them.
///
/// The short form is the start of an id; for accounts it is the end. Identifiers begin with the time of their creation
/// and end with random characters, so accounts that were created at about the same time have similar starts, and their
/// short forms have to distinguish people.
package struct ShortIDs<ID: Hashable & CustomStringConvertible & Sendable>: Sendable {
    private let lengths: [ID: Int]
    /// The minimum length of a short id, so that it stays unique when there are more ids.
    private static var shortest: Int { 8 }
    private static var areEnds: Bool { ID.self == AccountID.self }

    /// Whether a text is a short form of an id, at least as long as listings show it: the start of the id, or its end for
    /// an account, with or without dashes. A shorter text could be a number or a word that is meant as a name.
    static func isShort(_ text: String, of id: ID) -> Bool {
        guard text.count >= shortest else { return false }
        let (text, id) = (text.lowercased(), id.description.lowercased())
        if id.hasPrefix(text) { return true }
        let (digits, all) = (text.filter { $0 != "-" }, id.filter { $0 != "-" })
        return digits.count >= shortest && (all.hasPrefix(digits) || areEnds && all.hasSuffix(digits))
    }

    package init(_ ids: [ID]) {
        let sorted = ids.map { (id: $0, text: Self.fromWhereItIsShown($0)) }.sorted { $0.text < $1.text }
        var lengths: [ID: Int] = [:]
        for (index, (id, text)) in sorted.enumerated() {
            var shared = 0
            if index > 0 { shared = max(shared, text.sharedStart(with: sorted[index - 1].text)) }
            if index + 1 < sorted.count { shared = max(shared, text.sharedStart(with: sorted[index + 1].text)) }
            lengths[id] = max(shared + 1, Self.shortest)
        }
        self.lengths = lengths
    }

    package subscript(id: ID) -> String {
        let (text, length) = (id.description, lengths[id] ?? id.description.count)
        return String(Self.areEnds ? text.suffix(length) : text.prefix(length))
    }

    private static func fromWhereItIsShown(_ id: ID) -> String {
        areEnds ? String(id.description.reversed()) : id.description
    }
}
