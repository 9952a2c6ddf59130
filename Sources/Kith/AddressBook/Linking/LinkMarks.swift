import KithModel

/// By what a card may be found to be of the same person as another.
///
/// Each mark is a hash of 64 bits, so that the cards of a large book are compared
/// as numbers. It is seeded anew each time the program starts: nobody can write
/// a card that is taken for another's.
struct LinkMarks {
    /// The uid, whatever the manner of writing it.
    let uid: Int?
    /// The name, in whatever order its words are; nil if the card has none.
    let name: Int?
    /// What cards that share a number or an email have in common as these are written; nil if only reading them can tell.
    let traces: [Int]?

    /// A number without E.164 form counts from this many digits on: then it is a subscriber's, without its area's code.
    /// Shorter ones are short codes, which many people have.
    static let fewestDigits = 7

    init(_ card: Card) {
        uid = card.uid.flatMap(Self.bareUID).map { card.mark("uid", $0) }
        name = card.linkName.map { card.mark("name", $0) }
        traces = Self.traces(card)
    }

    /// The marks of a card's numbers and emails.
    static func reaching(_ card: Card, numbers: [E164?], addresses: [EmailAddress?]) -> [Int] {
        var marks: [Int] = []
        for (phone, number) in zip(card.phones, numbers) {
            if let number {
                marks.append(card.mark("number", number))
            } else {
                let digits = Digits.read(phone.number)
                if digits.count >= fewestDigits { marks.append(card.mark("digits", digits)) }
            }
        }
        for case let address? in addresses { marks.append(card.mark("email", address)) }
        return marks
    }

    /// `urn:uuid:` and the case of letters make no other uid (RFC 9562, section 4).
    private static func bareUID(_ uid: String) -> [UInt8]? {
        var bare = uid.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }[...]
        if bare.starts(with: "urn:uuid:".utf8) { bare = bare.dropFirst("urn:uuid:".utf8.count) }
        return bare.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : Array(bare)
    }
}

extension Card {
    /// A mark of what it has of a kind. Cards of different kinds have none in common: a group is never linked with a
    /// person.
    fileprivate func mark(_ kind: String, _ value: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(linkKind)
        hasher.combine(kind)
        hasher.combine(value)
        return hasher.finalize()
    }

    /// What the card describes. One without a person's name, but with a company's, is the company's, whether its program
    /// says so or not.
    fileprivate var linkKind: Kind {
        kind == .individual && name.displayText == nil && !organizations.isEmpty ? .org : kind
    }

    /// What stands for the words of the name by which cards are compared; nil if there are none.
    ///
    /// Given and family names, and what tells father and son apart. Titles and middle names stand on one card and not
    /// on the next. `Lovelace, Ada` and `Ada Lovelace` are one name: the words' hashes are added up.
    fileprivate var linkName: Int? {
        var folded = FoldedText()
        for component in name.components {
            switch component.kind {
            case .given, .surname, .surname2, .generation: folded.append(component.value)
            // Before RFC 9554 a vCard had no other place for it than among the suffixes.
            case .credential where Self.generations.contains(FoldedText(component.value).bytes):
                folded.append(component.value)
            default: break
            }
        }
        if folded.isEmpty { name.full.map { folded.append($0) } }
        if folded.isEmpty { nicknames.first.map { folded.append($0.name) } }
        if folded.isEmpty { organizations.first?.name.map { folded.append($0) } }
        guard !folded.isEmpty else { return nil }
        var sum = 0
        folded.forEachWord { sum &+= $0.hashValue }
        return sum
    }

    /// What a suffix says if it tells father and son apart.
    private static let generations = Set(
        ["jr", "jun", "junior", "sr", "sen", "senior", "ii", "iii", "iv"].map { FoldedText($0).bytes })
}
