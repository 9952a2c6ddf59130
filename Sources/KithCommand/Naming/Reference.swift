package import KithModel

/// Something that a person can name on the command line: a list, an item, a member, a link.
package struct Nameable<Record>: Sendable {
    package let id: RecordID<Record>
    /// What it is called; nil if it has no name.
    package let name: String?
    /// Its number in the listing that the person has seen; nil if listings show none.
    package let number: Int?

    package init(id: RecordID<Record>, name: String?, number: Int? = nil) {
        self.id = id
        self.name = name
        self.number = number
    }
}

/// How a person names one thing of several: by its name, its number, or the start of its id.
///
/// The closest reading wins, in this order: the whole id, the exact name, the
/// number, the name without regard to case and accents, the start of the name,
/// the start of the id. Several things that fit equally well are an error that
/// shows them: a command never guesses.
package struct Reference: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The one of `all` that is meant. Throws a ``Failure``: `notFound` with the
    /// nearest names, or `ambiguous` with those that fit.
    ///
    /// `kind` is what it is, in a word for the sentence: `list`, `item` …
    package func resolve<Record>(among all: [Nameable<Record>], kind: String) throws -> Nameable<Record> {
        let folded = text.folded
        let digits = text.lowercased().filter { $0 != "-" }
        let readings: [(Nameable<Record>) -> Bool] = [
            { $0.id.description == text.lowercased() },
            { $0.name == text },
            { $0.number != nil && $0.number == Int(text) },
            { $0.name?.folded == folded },
            { $0.name?.folded.hasPrefix(folded) ?? false },
            { $0.id.digits.hasPrefix(digits) },
        ]
        if !folded.isEmpty {
            for reading in readings {
                let fitting = all.filter(reading)
                if fitting.count == 1 { return fitting[0] }
                if fitting.count > 1 { throw ambiguous(fitting, among: all, kind: kind) }
            }
        }
        throw notFound(among: all, kind: kind)
    }

    private func ambiguous<Record>(
        _ fitting: [Nameable<Record>], among all: [Nameable<Record>], kind: String
    ) -> Failure {
        let ids = ShortIDs(all.map(\.id))
        return Failure(
            .notFound, "ambiguous",
            "“\(text)” fits \(fitting.count) \(kind)s. Say more of the name, or use the start of an id:",
            candidates: fitting.prefix(Self.shown).map { "\(ids[$0.id])  \($0.name ?? "")" })
    }

    private func notFound<Record>(among all: [Nameable<Record>], kind: String) -> Failure {
        let names = all.compactMap(\.name)
        let nearest = Similarity(to: text).nearest(of: names, limit: 3)
        let sentence =
            if all.isEmpty {
                "There is no \(kind) “\(text)”: there are no \(kind)s at all."
            } else if nearest.isEmpty {
                "There is no \(kind) “\(text)”."
            } else {
                "There is no \(kind) “\(text)”. Did you mean:"
            }
        return Failure(.notFound, "notFound", sentence, candidates: nearest)
    }

    /// How many candidates an error names at most.
    private static let shown = 10
}

/// The shortest starts of ids that tell them apart.
///
/// Identifiers begin with the time they were made, so those made together
/// share a long start.
package struct ShortIDs<Record>: Sendable {
    private let lengths: [RecordID<Record>: Int]
    /// No start is shorter than this, so that it stays good when more ids come.
    private static var shortest: Int { 8 }

    package init(_ ids: [RecordID<Record>]) {
        let sorted = ids.sorted()
        var lengths: [RecordID<Record>: Int] = [:]
        for (index, id) in sorted.enumerated() {
            var shared = 0
            if index > 0 { shared = max(shared, id.sharedStart(with: sorted[index - 1])) }
            if index + 1 < sorted.count { shared = max(shared, id.sharedStart(with: sorted[index + 1])) }
            lengths[id] = max(shared + 1, Self.shortest)
        }
        self.lengths = lengths
    }

    package subscript(id: RecordID<Record>) -> String {
        String(id.description.prefix(lengths[id] ?? 36))
    }
}

extension RecordID {
    /// The id without its dashes, so that it can be typed with or without them.
    fileprivate var digits: String { description.filter { $0 != "-" } }

    fileprivate func sharedStart(with other: Self) -> Int {
        self == other ? 0 : zip(description, other.description).prefix { $0 == $1 }.count
    }
}
