/// A telephone number in its canonical form: a plus, the country code and the remaining digits.
///
/// The form is defined in ITU-T E.164. A value of this type is already normalized; the type prevents normalizing it
/// twice.
public struct E164: Hashable, Sendable {
    /// The number itself: `+436641234567`.
    public let text: String

    /// The number of digits. E.164 allows at most 15 (section 6). Some dialled numbers are longer, so the limit is that
    /// of libphonenumber (its `MAX_LENGTH_FOR_NSN` and country code).
    package static let digits = 4...20

    /// Creates a number; nil unless `text` is a plus followed by digits, of which the first is not 0.
    ///
    /// A ``PhoneNumberParser`` reads numbers as people write them.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), Self.digits.contains(digits.count),
            digits.first != UInt8(ascii: "0"), digits.allSatisfy(\.isDigit)
        else { return nil }
        self.text = text
    }
}

extension E164: Comparable {
    /// Compares the digits as text, so that the numbers of one country are adjacent.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

extension E164: TextCodable {
    /// The number: `+436641234567`.
    public var description: String { text }

    package static var refusal: String { "is not in E.164 form" }
}
