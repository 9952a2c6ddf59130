import CPhoneNumber
import Foundation
import KithModel

/// A number as written in an address book, prepared for libphonenumber.
///
/// Address books contain more than that library can parse: `tel:` URIs with all their parameters, marks of writing
/// direction, and every kind of space.
struct WrittenNumber {
    /// The text to parse.
    private(set) var text: String
    /// The region in which it is dialled; nil if unknown.
    private(set) var region: Region?

    init(_ original: String, in region: Region?) {
        (text, self.region) = (original, region)
        readURI()
        if !text.utf8.allSatisfy({ $0 < 0x80 }) { text = Self.plain(text) }
    }

    /// Whether it is a network command, such as `*100#` or `#31#`, and not a number.
    var isServiceCode: Bool {
        let first = text.utf8.first { $0 != UInt8(ascii: " ") }
        return first == UInt8(ascii: "*") || first == UInt8(ascii: "#")
    }

    /// The number up to the first letter after a digit; nil if it has no such letter.
    var withoutNote: WrittenNumber? {
        guard text.utf8.contains(where: { $0 >= UInt8(ascii: "A") }) else { return nil }
        let scalars = text.unicodeScalars
        guard let digit = scalars.firstIndex(where: { "0"..."9" ~= $0 }),
            let letter = scalars[digit...].firstIndex(where: \.properties.isAlphabetic)
        else { return nil }
        var bare = self
        bare.text = String(scalars[..<letter])
        return bare
    }

    /// The number with a plus instead of the leading 00; nil if it does not begin with 00.
    var withPlusForDoubleZero: WrittenNumber? {
        guard text.hasPrefix("00") else { return nil }
        var other = self
        other.text = "+" + text.dropFirst(2)
        return other
    }

    /// The digits of a text, with its leading plus if there is one. Nil if the text contains anything but digits, a
    /// leading plus and separators.
    static func typed(_ text: String) -> String? {
        let typed = plain(text).utf8.filter { !separators.contains($0) }
        let digits = typed.first == UInt8(ascii: "+") ? typed.dropFirst() : typed[...]
        guard digits.allSatisfy(\.isDigit) else { return nil }
        return String(decoding: typed, as: UTF8.self)
    }

    private static let separators = Array(" -./()".utf8)

    /// The text with ASCII digits, with only one kind of space, and without invisible marks.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.numericType == .decimal, let value = properties.numericValue {
                plain.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
            } else if scalar == "\u{FF0B}" {
                plain.append("+")
            } else if properties.isWhitespace {
                plain.append(" ")
            } else if properties.generalCategory != .format {
                plain.append(scalar)
            }
        }
        return String(plain)
    }

    /// Splits a `tel:` URI into its parts (RFC 3966), because libphonenumber supports only some of its parameters.
    ///
    /// A URI that is too long for a number, even if all of it is escapes, stays unchanged.
    private mutating func readURI() {
        guard text.utf8.count <= 4 * CPhoneNumberLongestText, let first = text.utf8.first,
            first | 0x20 == UInt8(ascii: "t"), text.prefix(4).lowercased() == "tel:"
        else { return }
        let uri = String(text.dropFirst(4))
        let parts = (uri.removingPercentEncoding ?? uri).split(separator: ";", omittingEmptySubsequences: false)
        text = String(parts[0])
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            switch pair[0].lowercased() {
            case "ext": text += ";ext=\(pair[1])"
            case "phone-context" where !pair[1].hasPrefix("+"): region = nil  // A private network.
            case "phone-context" where !text.hasPrefix("+"): text = pair[1] + text
            default: break
            }
        }
    }
}
