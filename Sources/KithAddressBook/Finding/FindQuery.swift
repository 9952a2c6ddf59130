import KithCards
import KithModel

/// What someone has typed to find a contact: words, and perhaps a number.
struct FindQuery {
    let words: [FindWord]
    let number: TypedNumber?

    init(_ typed: String, _ reader: PhoneReader) {
        words = zip(FoldedText(typed).words, FoldedText(typed.spellingUmlauts).words).map { FindWord(Array($0), $1) }
        number = TypedNumber(typed, reader)
    }

    /// The one that is in the fewest names, as a rule.
    var longestWord: FindWord? { words.max { $0.length < $1.length } }

    /// Whether each word begins a word of a contact's name.
    func begins(nameOf contact: AddressBook.Contact) -> Bool {
        words.allSatisfy { word in contact.filed.contains(where: word.begins) }
    }

    /// Whether each word is a whole word of a contact's name.
    func isPart(ofNameOf contact: AddressBook.Contact) -> Bool {
        words.allSatisfy { word in contact.filed.contains(where: word.isWhole) }
    }

    /// Whether a contact, each word of whose name this is, has no other word in the name that is shown.
    func isWholeName(of contact: AddressBook.Contact) -> Bool {
        FoldedText(contact.displayName).words.count <= words.count
    }
}

/// A word that is looked for, as it was typed; in Latin letters if it was typed in others; with two letters for each umlaut.
struct FindWord {
    /// Its letters, in each spelling.
    let spellings: [[UInt8]]
    /// Its letters if an ä, ö or ü was typed as ae, oe or ue.
    let withoutDigraphs: [[UInt8]]
    /// What it sounds like.
    let sounds: [SoundAlike]
    /// The keys of the words of names that begin so, or may.
    let keys: [ClosedRange<UInt64>]
    /// The keys of the words of names that are this one, or may be.
    let wholeKeys: [UInt64]
    /// How many bytes it has: the more, the fewer words begin so.
    let length: Int
    private let beginnings: [SearchableText]

    /// A word of fewer letters sounds like too many.
    private static let fewestLettersOfSound = 3

    /// - Parameters:
    ///   - typed: Its letters.
    ///   - spelled: Its letters with two for each umlaut.
    init(_ typed: [UInt8], _ spelled: ArraySlice<UInt8>) {
        var spelling = LatinSpelling()
        var texts = [FoldedText(words: [typed])] + (spelling[typed[...]].map { [FoldedText($0)] } ?? [])
        if !spelled.elementsEqual(typed) { texts.append(FoldedText(words: [Array(spelled)])) }
        beginnings = texts.map { SearchableText($0) }
        spellings = texts.map { Array($0.bytes.dropFirst()) }
        withoutDigraphs = Self.withoutDigraphs(typed)
        keys = spellings.map { PlaceTable.keys(beginningWith: $0) }
        wholeKeys = keys.map(\.lowerBound)
        sounds = spellings.compactMap { $0.count < Self.fewestLettersOfSound ? nil : SoundAlike($0[...]) }
        length = typed.count
    }

    /// The letters with each choice of ae, oe and ue taken for an umlaut; of many, each by itself and all at once.
    private static func withoutDigraphs(_ letters: [UInt8]) -> [[UInt8]] {
        let digraphs = letters.indices.dropFirst().filter { index in
            letters[index] == UInt8(ascii: "e") && "aou".utf8.contains(letters[index - 1])
        }
        guard !digraphs.isEmpty else { return [] }
        let choices =
            digraphs.count <= mostDigraphs
            ? (1..<1 << digraphs.count).map { choice in
                digraphs.indices.filter { choice >> $0 & 1 == 1 }.map { digraphs[$0] }
            }
            : digraphs.map { [$0] } + [Array(digraphs)]
        return choices.map { choice in letters.indices.filter { !choice.contains($0) }.map { letters[$0] } }
    }

    /// Of more digraphs in a word not all choices are tried.
    private static let mostDigraphs = 3

    func begins(_ card: FiledCard) -> Bool { beginnings.contains(where: card.names.contains) }

    func isWhole(_ card: FiledCard) -> Bool { beginnings.contains(where: card.names.hasWord) }
}

/// The names by which one is chosen of several contacts with the same number or address.
struct SoughtNames {
    let given: String?
    let family: String?

    /// The first that goes by both names; else by the family's, else by the given one; else the first. Only those count
    /// with a card that has what is looked for: a table may know others, by accident.
    func best(
        of contacts: some Sequence<AddressBook.Contact>, whichHave has: (FiledCard) -> Bool
    ) -> AddressBook.Contact? {
        var best: (contact: AddressBook.Contact, likeness: Int)?
        for contact in contacts where contact.filed.contains(where: has) {
            let likeness = contact.filed.map(likeness).max() ?? 0
            if best.map({ likeness > $0.likeness }) ?? true { best = (contact, likeness) }
        }
        return best?.contact
    }

    private func likeness(_ card: FiledCard) -> Int {
        func isSame(_ sought: String?, _ kind: Card.Name.Kind) -> Bool {
            guard let sought, let name = card.card.name[kind] else { return false }
            return FoldedText(sought).bytes == FoldedText(name).bytes
        }
        return (isSame(family, .surname) ? 2 : 0) + (isSame(given, .given) ? 1 : 0)
    }
}
