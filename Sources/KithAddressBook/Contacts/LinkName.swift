import KithCards
import KithModel

/// The name by which a card is compared with the cards of other people.
///
/// Given and family names, and what tells father and son apart. Titles and middle names stand on one card and not on the
/// next. A card without these has its full name, its first nickname, or its first company.
struct LinkName {
    /// A word, folded, and its letters if each umlaut is spelled with two of them.
    private struct Word {
        let letters: ArraySlice<UInt8>
        let spelled: ArraySlice<UInt8>

        func isSame(as other: Word) -> Bool { letters == other.letters || spelled == other.spelled || isMixed(other) }

        /// Whether one has an umlaut where the other has two letters.
        private func isMixed(_ other: Word) -> Bool { letters == other.spelled || spelled == other.letters }

        /// `a` for `ada`.
        func isInitial(of other: Word) -> Bool { letters.count == 1 && other.letters.first == letters.first }
    }

    /// Family names before given ones, as in scripts that have no space between them.
    private var texts: [(kind: Kind, text: String)] = []

    /// The words of all texts.
    private var folded = FoldedText()

    private enum Kind { case family, given, generation, whole }

    /// Nil if the card has no name.
    init?(of card: Card) {
        for component in card.name.components {
            switch component.kind {
            case .surname, .surname2: texts.append((.family, component.value))
            case .given: texts.append((.given, component.value))
            case .generation: texts.append((.generation, component.value))
            // Before RFC 9554 a vCard had no other place for it than among the suffixes.
            case .credential where Self.generations.contains(FoldedText(component.value).bytes):
                texts.append((.generation, component.value))
            default: break
            }
        }
        for (_, text) in texts { folded.append(text) }
        if folded.isEmpty { take(card.name.full) }
        if folded.isEmpty { take(card.nicknames.first?.name) }
        if folded.isEmpty { take(card.organizations.first?.name) }
        if folded.isEmpty { return nil }
    }

    private mutating func take(_ whole: String?) {
        guard let whole else { return }
        texts = [(.whole, whole)]
        folded.append(whole)
    }

    /// What a suffix says if it tells father and son apart.
    private static let generations = Set(
        ["jr", "jun", "junior", "sr", "sen", "senior", "ii", "iii", "iv"].map { FoldedText($0).bytes })

    // MARK: Equal names

    /// What stands for the name: cards have the same one if they have any of these in common.
    ///
    /// `Lovelace, Ada` and `Ada Lovelace` are one name, and so are `Joerg` and `Jörg`, `山田太郎` and `山田 太郎`.
    func forEachSpelling(_ body: (Int) -> Void) {
        body(Self.sum(folded))
        if texts.contains(where: { $0.text.hasUmlauts }) {
            var spelled = FoldedText()
            for (_, text) in texts { spelled.append(text.spellingUmlauts) }
            body(Self.sum(spelled))
        }
        if folded.isWrittenWithoutSpaces { body(joined.hashValue) }
    }

    /// The words' hashes added up: so their order does not count.
    private static func sum(_ folded: FoldedText) -> Int {
        var sum = 0
        folded.forEachWord { sum &+= $0.hashValue }
        return sum
    }

    /// All letters in a row, the family's name first.
    private var joined: [UInt8] {
        var joined: [UInt8] = []
        for kind in [Kind.whole, .family, .given, .generation] {
            for (_, text) in texts.filter({ $0.kind == kind }) {
                FoldedText(text).forEachWord { joined.append(contentsOf: $0) }
            }
        }
        return joined
    }

    // MARK: Names that agree

    /// Whether two names that are not the same can be one person's: one leaves out or abbreviates what the other says.
    ///
    /// `Ada` and `A. Lovelace` agree with `Ada Lovelace`. A single word that is not the given name does not: families
    /// have their name in common, companies theirs. Father and son do not agree.
    func agrees(with other: LinkName) -> Bool {
        let (mine, others) = (words(), other.words())
        let (shorter, longer) = mine.count <= others.count ? (self, other) : (other, self)
        let (few, many) = mine.count <= others.count ? (mine, others) : (others, mine)
        func isIn(_ word: Word, _ words: [Word]) -> Bool {
            words.contains { word.isSame(as: $0) || word.isInitial(of: $0) || $0.isInitial(of: word) }
        }
        let (younger, older) = (shorter.words(.generation), longer.words(.generation))
        guard younger.count == older.count, younger.allSatisfy({ isIn($0, older) }) else { return false }
        guard few.allSatisfy({ isIn($0, many) }) else { return false }
        let family = longer.words(.family)
        if few.allSatisfy({ isIn($0, family) }) { return false }
        let given = longer.words(.given)
        return few.count > 1 || few.allSatisfy { isIn($0, given) }
    }

    private func words(_ kind: Kind? = nil) -> [Word] {
        texts.filter { kind == nil || $0.kind == kind }.flatMap { _, text in
            zip(FoldedText(text).words, FoldedText(text.spellingUmlauts).words).map(Word.init)
        }
    }
}
