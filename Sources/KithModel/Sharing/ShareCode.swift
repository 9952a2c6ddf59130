/// A code that says who has shared something, such as `ADA-TEA` or `K7Q2-9XWM`.
///
/// People read codes aloud, type them and scan them, so two spellings of a code are equal if they differ only in case,
/// in hyphens and spaces, or between `O` and `0`, and `I`, `L` and `1`, as in Crockford's Base32.
public struct ShareCode: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code as its owner wrote it, in capital letters: letters A to Z, digits, and hyphens between them.
    public let text: String

    /// What two spellings of the code have in common. The server stores codes by their key.
    package let key: String

    /// Reads a code that was typed or is part of a link.
    ///
    /// - Throws: ``Fault/illegalCharacter(_:)`` or ``Fault/outOfRange(_:)``.
    public init(_ typed: String) throws(Fault) {
        var (text, key): ([UInt8], [UInt8]) = ([], [])
        for scalar in typed.unicodeScalars {
            switch scalar {
            case "-", "_", "–", "‑", " ", "\u{A0}":
                if let last = text.last, last != Self.hyphen { text.append(Self.hyphen) }
            case "0"..."9", "A"..."Z", "a"..."z":
                let byte = UInt8(ascii: scalar)
                let letter = byte & (byte >= UInt8(ascii: "a") ? 0xDF : 0xFF)
                text.append(letter)
                key.append(Self.lookAlikes[letter] ?? letter)
            default: throw .illegalCharacter(typed.first { $0.unicodeScalars.contains(scalar) } ?? Character(scalar))
            }
        }
        if text.last == Self.hyphen { text.removeLast() }
        guard Self.lengths.contains(key.count) else { throw .outOfRange(Self.lengths) }
        (self.text, self.key) = (String(decoding: text, as: UTF8.self), String(decoding: key, as: UTF8.self))
    }

    private static let hyphen = UInt8(ascii: "-")

    /// The numbers of letters and digits that any code can have. A programme can allow fewer.
    public static let lengths = 3...32

    private static let lookAlikes = [
        UInt8(ascii: "O"): UInt8(ascii: "0"), UInt8(ascii: "I"): UInt8(ascii: "1"),
        UInt8(ascii: "L"): UInt8(ascii: "1"),
    ]

    /// A code of eight characters that is made from random bits, one of 378 billion. It has no letter that is easily
    /// confused with another letter or a digit, and no vowel, so that it spells no word.
    ///
    /// - Parameter random: 64 random bits.
    public init(random: UInt64) {
        var (rest, text) = (random, "")
        for index in 0..<8 {
            if index == 4 { text.append("-") }
            text.append(Self.alphabet[Int(rest % UInt64(Self.alphabet.count))])
            rest /= UInt64(Self.alphabet.count)
        }
        self.text = text
        key = text.filter { $0 != "-" }
    }

    /// Whether the code has the form of one that was made from random bits. The rules of programmes do not apply to it.
    package var isRandom: Bool { key.count == 8 && key.allSatisfy { Self.alphabet.contains($0) } }

    private static let alphabet = Array("23456789BCDFGHJKMNPQRSTVWXYZ")

    /// The code as its owner wrote it.
    public var description: String { text }

    /// Whether the two are spellings of one code.
    public static func == (left: ShareCode, right: ShareCode) -> Bool { left.key == right.key }

    /// Hashes what equal codes have in common.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Reads a code from its text. Any other text is corrupted data.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.sentence))
        }
    }

    /// Writes the code as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Why a text cannot be somebody's code.
    public enum Fault: Error, Hashable, Sendable {
        /// Codes have letters A to Z, digits and hyphens only.
        case illegalCharacter(Character)
        /// The number of letters and digits is outside of this range.
        case outOfRange(ClosedRange<Int>)
        /// The programme keeps this word, or words with it, for itself.
        case reserved(String)
        /// Somebody else has the code.
        case taken

        /// What is wrong, and what to do next.
        public var sentence: String {
            switch self {
            case .illegalCharacter(let character):
                "A code has letters A to Z, digits and hyphens. Remove “\(character)”."
            case .outOfRange(let range):
                "A code has \(range.lowerBound) to \(range.upperBound) letters and digits. Choose another one."
            case .reserved(let word): "The word “\(word)” is reserved. Choose another code."
            case .taken: "Somebody else has this code. Choose another one."
            }
        }
    }
}
