import KithCards
import KithModel

/// The hashes by which cards of the same person are found.
///
/// Each mark is a hash of 64 bits, so the cards of a large book are compared as numbers. The seed is new at each start, so
/// nobody can construct a card that collides with another.
struct LinkMarks {
    /// The mark of the uid, regardless of its spelling.
    let uid: Int?
    /// The mark of the name, regardless of the order of its words; nil if the card has no name.
    let name: Int?
    /// The marks of other spellings of the name.
    let spellings: [Int]
    /// What cards that share a number or an email have in common as these are written; nil if only reading them can tell.
    let traces: [Int]?

    /// A number without E.164 form counts from this many digits on: then it is a subscriber's, without its area's code.
    /// Shorter ones are short codes, which many people have.
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
    func hasName(of other: LinkMarks) -> Bool {
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
}

extension LinkMarks {
    /// A card with more numbers and emails than this is read.
    private static let mostTraces = 32

    /// The last digits of the numbers, the letters before the `@` of the emails: cheap to tell, and equal where these are.
    /// Nil if any is written so that only reading it can tell.
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

    /// The last four digits. Whatever is put before a number or taken from there, they stay. An extension is none of them:
    /// it is written with other characters.
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

    /// A number for the small letters before the `@`.
    private static func trace(ofEmail text: String) -> Int? {
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
        // Behind those of numbers.
        return trace | 1 << 32
    }
}
