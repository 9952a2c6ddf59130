/// A telephone number in its one true form: a plus, the country's code, and the rest, digits only.
///
/// The form is that of ITU-T E.164. A number of this type is normalised already;
/// because it is a type of its own, no number can be normalised twice.
public struct E164: Hashable, Sendable {
    /// The number itself: `+436641234567`.
    public let text: String

    /// How many digits a number has: at most 15 (E.164, section 6), and some that are
    /// dialled are longer, as libphonenumber allows (its `MAX_LENGTH_FOR_NSN` and country code).
    package static let digits = 4...20

    /// The number that `text` is, or nil if it is anything but a plus and digits that do not begin with 0.
    ///
    /// What people write is read by a ``PhoneNumberParser``.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), Self.digits.contains(digits.count),
            digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.text = text
    }
}

extension E164: Comparable {
    /// Compares the digits as text, so that the numbers of one country stand together.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

extension E164: CustomStringConvertible {
    /// The number: `+436641234567`.
    public var description: String { text }
}

extension E164: TextCodable {
    package static var refusal: String { "is not in E.164 form" }
}
