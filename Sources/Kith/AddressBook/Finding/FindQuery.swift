import KithModel

/// What someone has typed to find a contact: words, and perhaps a number.
struct FindQuery {
    let words: [FindWord]
    let number: TypedNumber?

    init(_ typed: String, _ reader: PhoneReader) {
        words = FoldedText(typed).words.map { FindWord(Array($0)) }
        number = TypedNumber(typed, reader)
    }

    /// Whether each word begins a word of a contact's name.
    func begins(nameOf contact: AddressBook.Contact) -> Bool {
        words.allSatisfy { word in contact.filed.contains(where: word.begins) }
    }
}

/// A word that is looked for, as it was typed, and in Latin letters if it was typed in others.
struct FindWord {
    /// Its letters.
    let spellings: [[UInt8]]
    /// Its letters if an ä, ö or ü was typed as ae, oe or ue.
    let withoutDigraphs: [[UInt8]]
    /// What it sounds like.
    let sounds: [SoundAlike]
    /// The keys of the words of names that begin so, or may.
    let keys: [ClosedRange<UInt64>]
    /// How many bytes it has: the more, the fewer words begin so.
    let length: Int
    private let beginnings: [SearchableText]

    /// A word of fewer letters sounds like too many.
    private static let fewestLettersOfSound = 3

    init(_ typed: [UInt8]) {
        var spelling = LatinSpelling()
        let texts = [FoldedText(words: [typed])] + (spelling[typed[...]].map { [FoldedText($0)] } ?? [])
        beginnings = texts.map { SearchableText($0) }
        spellings = texts.map { Array($0.bytes.dropFirst()) }
        withoutDigraphs = Self.withoutDigraphs(typed)
        keys = spellings.map { PlaceTable.keys(beginningWith: $0) }
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
}

/// A number as far as it is typed, in each manner in which it may be meant, in digits from 0 to 9.
struct TypedNumber {
    /// With the country's code.
    private(set) var international: [[UInt8]]
    /// Without the code and what is dialled in its place; or as much as there is of the number.
    private(set) var national: [[UInt8]] = []
    /// What to look for within written numbers.
    let parts: [[UInt8]]

    /// Fewer digits are within too many numbers to be looked for there.
    private static let fewestDigitsWithin = 3

    /// The number that was typed; nil if it is none.
    init?(_ typed: String, _ reader: PhoneReader) {
        let written = typed.filter { !$0.isWhitespace }
        let isNumber = written.dropFirst().allSatisfy { $0.isWholeNumber || "-./()".contains($0) }
        let digits = Digits.read(written)
        guard isNumber, let first = written.first, first.isWholeNumber || first == "+" || first == "(", !digits.isEmpty
        else { return nil }
        international = [digits]
        if first != "+" {
            national = [digits]
            // As most of the world dials; the parser knows how the others do.
            if digits.starts(with: [0, 0]) { international.append(Array(digits.dropFirst(2))) }
            if digits[0] == 0 { national.append(Array(digits.dropFirst())) }
        }
        if let number = reader.e164(typed) { international.append(Array(number.digits)) }
        international.removeAll(where: \.isEmpty)
        national.removeAll(where: \.isEmpty)
        parts = (international + national).filter { $0.count >= Self.fewestDigitsWithin }
            .map { $0.map { $0 + UInt8(ascii: "0") } }
    }
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
