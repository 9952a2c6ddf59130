public import Foundation

/// A region from which numbers are dialled: two letters of ISO 3166-1, in capitals.
///
/// It determines the meaning of a number without a country code. The user chooses it; otherwise it comes from the
/// locale. It can be changed at any time.
public struct Region: Hashable, Sendable, CustomStringConvertible {
    /// The two letters: `AT`.
    public let code: String

    /// Creates a region from its code in upper or lower case; nil if it is not two letters.
    public init?(_ code: String) {
        guard code.utf8.count == 2, code.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 & 0xDF }) else {
            return nil
        }
        self.code = code.uppercased()
    }

    /// The region of a locale; nil if it has none, such as `C` and `POSIX`.
    public init?(_ locale: Locale) {
        guard let code = locale.region?.identifier else { return nil }
        self.init(code)
    }

    /// The code.
    public var description: String { code }

    /// The flag: the letters as regional indicators (Unicode, UTS #51, annex B).
    public var flag: String {
        var flag = String.UnicodeScalarView()
        for letter in code.unicodeScalars {
            Unicode.Scalar(0x1F1E6 - 0x41 + letter.value).map { flag.append($0) }
        }
        return String(flag)
    }
}

extension Region: Comparable {
    /// Compares the codes.
    public static func < (left: Self, right: Self) -> Bool { left.code < right.code }
}

extension Region: TextCodable {
    package static var refusal: String { "is not the two letters of a country" }
}
