import KithCards
import KithModel

/// The hashes by which cards of the same person are found.
///
/// Each mark is a hash of 64 bits, so that the cards of a large book are compared as numbers. The seed is new at each
/// start, so nobody can construct a card that collides with another.
struct LinkKeys {
    /// The mark of the uid, regardless of its spelling.
    let uid: Int?
    /// The mark of the name, regardless of the order of its words; nil if the card has no name.
    let name: Int?
    /// The marks of other spellings of the name.
    let spellings: [Int]
    /// Cheap marks of the numbers and emails as written. Cards that share a number or an email share a trace. Nil if
    /// the card must be parsed to tell.
    let traces: [Int]?

    /// The number of digits from which a number without E.164 form counts: it is then a subscriber number without its
    /// area code. Shorter numbers are short codes, which many people have in common.
    static let fewestDigits = 7

    init(_ card: Card) {
        uid = card.uid.flatMap(Self.bareUID).map { card.mark("uid", $0) }
        var names: [Int] = []
        LinkName(of: card)?.forEachSpelling { names.append(card.mark("name", $0)) }
        name = names.first
        spellings = Array(names.dropFirst())
        traces = Self.traces(card)
    }

    /// Whether both have the same name in any spelling, or both have none.
    func hasName(of other: LinkKeys) -> Bool {
        if name == other.name { return true }
        if spellings.isEmpty && other.spellings.isEmpty { return false }
        guard let name, let otherName = other.name else { return false }
        return other.spellings.contains(name) || spellings.contains(otherName)
            || spellings.contains(where: other.spellings.contains)
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

    /// Removes the prefix `urn:uuid:` and converts to lowercase, because neither makes a different uid (RFC 9562,
    /// section 4).
    private static func bareUID(_ uid: String) -> [UInt8]? {
        var bare = uid.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }[...]
        if bare.starts(with: "urn:uuid:".utf8) { bare = bare.dropFirst("urn:uuid:".utf8.count) }
        return bare.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : Array(bare)
    }
}

extension Card {
    /// The mark of a value. Cards of different kinds never have the same mark: a group is never linked with a person.
    fileprivate func mark(_ kind: String, _ value: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(linkKind)
        hasher.combine(kind)
        hasher.combine(value)
        return hasher.finalize()
    }

    /// The kind of the card. A card with a company's name but no person's name counts as the company's, whatever its
    /// kind says.
    fileprivate var linkKind: Kind {
        kind == .individual && name.displayText == nil && !organizations.isEmpty ? .org : kind
    }
}

extension LinkKeys {
    /// A card with more numbers and emails than this is always parsed.
    private static let mostTraces = 32

    /// The last digits of each number, and the letters before the `@` of each email. They are cheap to compute, and
    /// equal if the numbers or emails are equal. Nil if one of them is written in a way that must be parsed.
    static func traces(_ card: Card) -> [Int]? {
        guard card.phones.count + card.emails.count <= mostTraces else { return nil }
        var traces: [Int] = []
        for phone in card.phones {
            guard let trace = trace(ofNumber: phone.number) else { return nil }
            if !traces.contains(trace) { traces.append(trace) }
        }
        for email in card.emails {
            guard let trace = trace(ofEmail: email.address) else { return nil }
            if !traces.contains(trace) { traces.append(trace) }
        }
        return traces
    }

    /// The last four digits of a number. A prefix does not change them. A number with an extension returns nil, because
    /// it contains other characters.
    private static func trace(ofNumber text: String) -> Int? {
        var last = 0
        for byte in text.utf8.dropFirst(text.hasPrefix("tel:") ? 4 : 0) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): last = (last * 10 + Int(byte & 0xF)) % 10_000
            case UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"),
                UInt8(ascii: "-")...UInt8(ascii: "/"):
                break
            default: return nil
            }
        }
        return last
    }

    /// A hash of the lowercase letters before the `@`. Nil if the email must be parsed.
    static func trace(ofEmail text: String) -> Int? {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        var trace = 1
        for byte in text.utf8[..<at] {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-")...UInt8(ascii: "."):
                trace = trace &* 31 &+ Int(byte | 0x20)
            case UInt8(ascii: "+"), UInt8(ascii: "_"): trace = trace &* 31 &+ Int(byte)
            default: return nil
            }
        }
        // Above the traces of numbers, so that the two cannot be equal.
        return trace | 1 << 32
    }
}
