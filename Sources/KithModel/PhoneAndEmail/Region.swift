public import Foundation

/// A region of the world that numbers are dialled from: two letters of ISO 3166-1, in capitals.
///
/// It says what a number without a country's code means. It comes from the user,
/// else from the locale, and can be changed later.
public struct Region: Hashable, Sendable, CustomStringConvertible {
    /// The two letters: `AT`.
    public let code: String

    /// The region of this code in either case, or nil if it is not two letters.
    public init?(_ code: String) {
        guard code.utf8.count == 2, code.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 & 0xDF }) else {
            return nil
        }
        self.code = code.uppercased()
    }

    /// The region of a locale; nil if it names none, as `C` and `POSIX` do.
    public init?(_ locale: Locale) {
        guard let code = locale.region?.identifier else { return nil }
        self.init(code)
    }

    /// The code.
    public var description: String { code }
}
