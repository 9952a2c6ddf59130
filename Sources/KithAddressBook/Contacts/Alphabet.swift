import Foundation

/// The letters of a book's names, in the order of a locale.
///
/// The system takes about a microsecond to compare two names, and to sort a
/// hundred thousand takes near two million comparisons. So it is asked only
/// about letters, and names are sorted by the numbers of theirs. What a letter
/// is, is the locale's affair: Å is an A to Germans and comes behind Z in
/// Sweden, CH is a letter of its own in Prague, and ß is ss.
///
/// Names are compared by which letters they have, then by how these are
/// accented. Capitals make no difference. What it does not know is three
/// characters that are one letter or two, as `ddz` is in Hungary.
struct Alphabet: Sendable {
    /// A letter's number, and that of its accent: 0 for none. Numbers below 2 are no letter's.
    private struct Rank: Sendable {
        var letter: UInt16
        var accent: UInt16
    }

    /// What each character is sorted as: one letter, or two where the locale takes it for two.
    private var ranks: [Unicode.Scalar: [Rank]] = [:]
    /// Of the characters with which most names are written, by their values.
    private var quick: [Rank?] = []
    /// Two characters that are one letter, by the first.
    private var pairs: [Unicode.Scalar: [(second: Unicode.Scalar, rank: Rank)]] = [:]
    /// The titles of sections, by the letters' numbers; nil where it is no letter.
    private var titles: [String?] = []

    /// An alphabet with these characters and those of ASCII.
    init(of characters: Set<Unicode.Scalar>, in locale: Locale) {
        let comparison = Comparison(locale: locale)
        let characters = characters.union((0x20...0x7E).map { Unicode.Scalar($0 as UInt8) })
        var spellings: [Unicode.Scalar: [String]] = [:]
        for character in characters { spellings[character] = comparison.letters(of: character) }
        let digraphs = comparison.digraphs()
        // Each accented letter's plain one too, as it gives its name to their section.
        let bases = spellings.values.joined().map { $0.folding(options: .diacriticInsensitive, locale: nil) }
        let letters = Set(spellings.values.joined()).union(bases).union(digraphs).sorted(by: comparison.isBefore)

        var numbers: [String: Rank] = [:]
        var rank = Rank(letter: 1, accent: 0)
        titles = [nil, nil]
        for (index, letter) in letters.enumerated() {
            if index > 0, !comparison.isOtherLetter(letters[index - 1], letter) {
                rank.accent += 1
            } else {
                rank = Rank(letter: rank.letter + 1, accent: 0)
                let isLetter = letter.unicodeScalars.first?.properties.isAlphabetic ?? false
                titles.append(isLetter ? letter.uppercased(with: locale) : nil)
            }
            numbers[letter] = rank
        }
        ranks = spellings.mapValues { $0.compactMap { numbers[$0] } }
        quick = (0..<0x80).map { value in
            Unicode.Scalar(value).flatMap { ranks[$0]?.count == 1 ? ranks[$0]?[0] : nil }
        }
        for digraph in digraphs {
            let characters = Array(digraph.unicodeScalars)
            guard let rank = numbers[digraph] else { continue }
            for first in comparison.cases(of: characters[0]) {
                for second in comparison.cases(of: characters[1]) { pairs[first, default: []].append((second, rank)) }
            }
        }
    }

    /// Whether it knows all these characters.
    func knows(_ characters: Set<Unicode.Scalar>) -> Bool { characters.allSatisfy { ranks[$0] != nil } }

    /// Adds the characters of a text that an alphabet needs to be told of.
    static func add(charactersOf text: String, to characters: inout Set<Unicode.Scalar>) {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        for character in self.characters(of: text) where !character.isASCII { characters.insert(character) }
    }

    /// What a text is sorted by: letters with their accents, however these are encoded.
    private static func characters(of text: String) -> String.UnicodeScalarView {
        let isDecomposed = text.unicodeScalars.contains { (0x300...0x36F).contains($0.value) }
        return (isDecomposed ? text.precomposedStringWithCanonicalMapping : text).unicodeScalars
    }

    // MARK: Sorting

    /// Where a name stands.
    struct Key: Sendable {
        /// The first four letters.
        let head: UInt64
        /// Whether it begins with none, the letters, and the accents.
        let ranks: [UInt16]
    }

    /// Where a name stands whose fields are these, and the title of its section: `#` if it begins with no letter.
    func key(of fields: [String]) -> (key: Key, title: String) {
        var letters: [UInt16] = [0]
        var accents: [UInt16] = [0]
        var isAccented = false
        for field in fields {
            if letters.count > 1 {
                letters.append(1)
                accents.append(0)
            }
            forEachRank(of: field) { rank in
                letters.append(rank.letter)
                accents.append(rank.accent)
                if rank.accent > 0 { isAccented = true }
            }
        }
        let title = letters.count > 1 ? titles[Int(letters[1])] : nil
        // What begins with no letter comes behind all that do.
        if title == nil { letters[0] = 1 }
        var head: UInt64 = 0
        for place in 0..<4 { head = head << 16 | (place < letters.count ? UInt64(letters[place]) : 0) }
        return (Key(head: head, ranks: isAccented ? letters + accents : letters), title ?? "#")
    }

    private func forEachRank(of field: String, _ body: (Rank) -> Void) {
        var characters = Self.characters(of: field)[...]
        while let character = characters.popFirst() {
            if !pairs.isEmpty, let next = characters.first,
                let pair = pairs[character]?.first(where: { $0.second == next })
            {
                characters.removeFirst()
                body(pair.rank)
            } else if character.value < 0x80, let rank = quick[Int(character.value)] {
                body(rank)
            } else {
                ranks[character]?.forEach(body)
            }
        }
    }
}

extension Alphabet.Key: Comparable {
    static func == (left: Self, right: Self) -> Bool { left.ranks == right.ranks }

    static func < (left: Self, right: Self) -> Bool {
        left.head != right.head ? left.head < right.head : left.ranks.lexicographicallyPrecedes(right.ranks)
    }
}

/// What a locale says of letters.
private struct Comparison {
    let locale: Locale

    func isBefore(_ left: String, _ right: String) -> Bool {
        left.compare(right, locale: locale) == .orderedAscending
    }

    /// Whether two neighbours differ in more than an accent: if they do, what follows them does not matter.
    func isOtherLetter(_ left: String, _ right: String) -> Bool { isBefore(left + "9", right + "1") }

    /// The letters that a character is sorted as, small.
    func letters(of character: Unicode.Scalar) -> [String] {
        let small = String(character).lowercased(with: locale)
        guard let spelling = Self.spelledOut[small], !isOtherLetter(small, spelling), !isOtherLetter(spelling, small)
        else { return [small] }
        return spelling.map(String.init)
    }

    /// The pairs of characters that are one letter: they come behind the first with anything behind it.
    func digraphs() -> [String] {
        Self.pairs.filter { pair in pair.first.map { isBefore("\($0)ʒ", pair) } ?? false }
    }

    func cases(of character: Unicode.Scalar) -> [Unicode.Scalar] {
        [character] + String(character).uppercased(with: locale).unicodeScalars
    }

    /// What some locales take for two letters. In others it is one.
    private static let spelledOut = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "þ": "th",
    ]

    /// What some locales take for one letter. In others it is two.
    private static let pairs = [
        "aa", "ch", "cs", "dd", "dz", "dž", "ff", "gy", "lj", "ll", "ly", "ng", "nj", "ny", "ph", "rh", "sz", "th",
        "ty",
        "zs",
    ]
}
