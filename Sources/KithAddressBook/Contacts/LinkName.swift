import KithCards
import KithModel

/// The name by which a card is compared with the cards of other people.
///
/// It consists of the given and family names, and of a suffix that distinguishes father and son. Titles and middle
/// names are left out, because cards of one person often differ in them. For a card without these names, it is the full
/// name, the first nickname, or the first company.
struct LinkName {
    /// A folded word, and its letters with each umlaut spelled as two.
    private struct Word {
        let letters: ArraySlice<UInt8>
        let spelled: ArraySlice<UInt8>

        func isSame(as other: Word) -> Bool { letters == other.letters || spelled == other.spelled || isMixed(other) }

        /// Whether one has an umlaut where the other has two letters.
        private func isMixed(_ other: Word) -> Bool { letters == other.spelled || spelled == other.letters }

        /// Whether this is the initial of the other word: `a` of `ada`.
        func isInitial(of other: Word) -> Bool { letters.count == 1 && other.letters.first == letters.first }
    }

    /// The texts of the name, in the order of the card.
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
            // Before RFC 9554 a vCard could put the generation only among the suffixes.
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

    /// The suffixes that distinguish father and son.
    private static let generations = Set(
        ["jr", "jun", "junior", "sr", "sen", "senior", "ii", "iii", "iv"].map { FoldedText($0).bytes })

    // MARK: Equal names

    /// Calls `body` with a hash for each spelling of the name. Two names are equal if they have a hash in common.
    ///
    /// `Lovelace, Ada` and `Ada Lovelace` are equal, and so are `Joerg` and `Jörg`, `山田太郎` and `山田 太郎`.
    func forEachSpelling(_ body: (Int) -> Void) {
        body(Self.sum(folded))
        if texts.contains(where: { $0.text.hasUmlauts }) {
            var spelled = FoldedText()
            for (_, text) in texts { spelled.append(text.spellingUmlauts) }
            body(Self.sum(spelled))
        }
        if folded.isWrittenWithoutSpaces { body(joined.hashValue) }
    }

    /// The sum of the words' hashes, which does not depend on their order.
    private static func sum(_ folded: FoldedText) -> Int {
        var sum = 0
        folded.forEachWord { sum &+= $0.hashValue }
        return sum
    }

    /// All letters without spaces, the family name first, as in scripts that are written without spaces.
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

    /// Whether two different names can belong to one person: one leaves out or abbreviates words of the other.
    ///
    /// `Ada` and `A. Lovelace` agree with `Ada Lovelace`. A single word agrees only if it is the given name, because
    /// families and companies share the other words. Father and son do not agree.
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
