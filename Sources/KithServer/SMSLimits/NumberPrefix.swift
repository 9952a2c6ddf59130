package import KithModel

/// A phone number without its last four digits: a block of 10,000 numbers.
///
/// An attacker who earns from messages owns whole blocks of numbers. With a longer prefix, too few messages would go to
/// each prefix to notice that. With a shorter one, an attacker could pause a whole network by not entering codes.
package struct NumberPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The number of digits that the prefix leaves out.
    package static let omitted = 4

    /// A plus and the digits: `+43664123`.
    package let text: String

    /// The prefix of a number.
    package init(of number: E164) { text = String(number.text.dropLast(Self.omitted)) }

    /// The prefix in a text such as `+43664123`; nil if the text is not a prefix.
    package init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), !digits.isEmpty, digits.count <= E164.digits.upperBound,
            digits.allSatisfy(\.isDigit)
        else { return nil }
        self.text = text
    }

    /// The text.
    package var description: String { text }
}
