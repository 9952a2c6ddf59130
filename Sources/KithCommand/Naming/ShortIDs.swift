import KithModel

/// What of ids is shown: as little as tells them apart.
///
/// It is their start; of accounts it is their end. Identifiers begin with the time they were made and end at random,
/// so those of people who came together look alike at the start, and to tell people apart is what theirs are for.
package struct ShortIDs<ID: Hashable & CustomStringConvertible & Sendable>: Sendable {
    private let lengths: [ID: Int]
    /// No short id is shorter than this, so that it stays good when more ids come.
    private static var shortest: Int { 8 }
    private static var areEnds: Bool { ID.self == AccountID.self }

    /// Whether a text can be what is shown of an id if that ends with it. Less could be a word, meant as a name.
    static func mayEnd(_ text: String) -> Bool { areEnds && text.count >= shortest }

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
