import KithModel

/// A user's reference to one of several things: its name, its number, or the start of its id.
///
/// The closest match wins, in this order: the whole id, the exact name, the number, the name without regard to case,
/// accents and white space at its ends, the start of the name, the start of the id (or its end, for an account), at
/// least as long as listings show it. If several things match equally well, the error lists them: a command never
/// guesses.
package struct Reference: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The one of `all` that matches. Throws a ``Failure``: `notFound` with the nearest names, or `ambiguous` with the
    /// matches.
    ///
    /// `kind` is a word for the sentence: `list`, `item` … `command` is the one that shows all of them.
    package func resolve<ID>(
        among all: [Nameable<ID>], kind: String, listedBy command: String? = nil
    ) throws -> Nameable<ID> {
        let fitting = fitting(among: all)
        guard let only = fitting.first, fitting.count == 1 else {
            throw failure(fitting, among: all, kind: kind, listedBy: command)
        }
        return only
    }

    /// The one of `elements` that matches by its name, as ``resolve(among:kind:listedBy:)``.
    func find<Element, ID>(
        in elements: [Element], kind: String, listedBy command: String? = nil,
        by name: (_ index: Int, Element) -> Nameable<ID>
    ) throws -> Element {
        let names = elements.enumerated().map { name($0, $1) }
        let found = try resolve(among: names, kind: kind, listedBy: command)
        guard let index = names.firstIndex(where: { $0.id == found.id }) else {
            throw notFound(among: names, kind: kind)
        }
        return elements[index]
    }

    /// Those of `all` that match, by the closest kind of match that finds any.
    func fitting<ID>(among all: [Nameable<ID>]) -> [Nameable<ID>] {
        let typed = text.trimmed
        let folded = typed.folded
        if folded.isEmpty { return [] }
        let readings: [(Nameable<ID>) -> Bool] = [
            { $0.id.description.lowercased() == typed.lowercased() },
            { $0.isCalled { $0 == text } },
            { $0.number != nil && $0.number == Int(typed) },
            { $0.isCalled { $0.trimmed.folded == folded } },
            { $0.isCalled { $0.trimmed.folded.hasPrefix(folded) } },
            { ShortIDs<ID>.isShort(typed, of: $0.id) },
        ]
        for reading in readings {
            let fitting = all.filter(reading)
            if !fitting.isEmpty { return fitting }
        }
        return []
    }

    /// The reason why no match, or several of them, are not an answer.
    func failure<ID>(
        _ fitting: [Nameable<ID>], among all: [Nameable<ID>], kind: String, listedBy command: String? = nil
    ) -> Failure {
        fitting.isEmpty
            ? notFound(among: all, kind: kind, listedBy: command) : ambiguous(fitting, among: all, kind: kind)
    }

    private func ambiguous<ID>(_ fitting: [Nameable<ID>], among all: [Nameable<ID>], kind: String) -> Failure {
        let ids = ShortIDs(all.map(\.id))
        let way = Set(fitting.map(\.name)).count == 1 ? "Use an id:" : "Say more of the name, or use an id:"
        return Failure(
            .notFound, "ambiguous", "“\(text)” fits \(fitting.count) \(kind)s. \(way)",
            candidates: fitting.prefix(Self.shown).map {
                [ids[$0.id], $0.name, $0.distinction].compactMap(\.self).joined(separator: "  ")
            })
    }

    private func notFound<ID>(
        among all: [Nameable<ID>], kind: String, listedBy command: String? = nil
    ) -> Failure {
        let names = all.compactMap(\.name)
        let nearest = Similarity(to: text).nearest(of: names, limit: 3)
        let sentence =
            if all.isEmpty {
                "There is no \(kind) “\(text)”: there are no \(kind)s at all."
            } else if nearest.isEmpty {
                "There is no \(kind) “\(text)”." + (command.map { " To see them all: \($0)" } ?? "")
            } else {
                "There is no \(kind) “\(text)”. Did you mean:"
            }
        return Failure.notFound(sentence, candidates: nearest)
    }

    /// The largest number of candidates in an error.
    private static let shown = 10
}

extension AccountID {
    /// The account's short id for sentences, if its name is not known. It can be typed as the name of a person.
    package var short: String { ShortIDs([self])[self] }

    /// The account's description if its name is not known.
    package var called: String { "account \(short)" }
}

extension String {
    /// The text without white space and invisible signs at its ends, which nobody sees and types again.
    var trimmed: String {
        let text = drop(while: \.isInvisible)
        guard let last = text.lastIndex(where: { !$0.isInvisible }) else { return "" }
        return String(text[...last])
    }

    func sharedStart(with other: Self) -> Int {
        self == other ? 0 : zip(self, other).prefix { $0 == $1 }.count
    }
}

extension Character {
    /// Whether nobody sees it at the end of a text: white space, and signs without a width, such as U+200B.
    fileprivate var isInvisible: Bool {
        isWhitespace || unicodeScalars.allSatisfy { [.format, .control].contains($0.properties.generalCategory) }
    }
}
