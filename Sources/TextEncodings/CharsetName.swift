/// The name of a charset in a file. Programs write it in any case, and with or without punctuation.
package struct CharsetName: Sendable {
    /// The letters and digits of the name, in capitals.
    package let plain: String

    package init(_ name: String) {
        plain = String(decoding: name.utf8.filter(Self.isLetterOrDigit), as: UTF8.self).uppercased()
    }

    /// Whether it is a name of UTF-8.
    package var isUTF8: Bool { Self.utf8Names.contains(plain) }

    /// Whether it is a name of Windows-1252, or of Latin-1, which programs often declare when they mean Windows-1252.
    package var isWindows1252: Bool { Self.windows1252Names.contains(plain) }

    private static let utf8Names: Set = ["UTF8", "CSUTF8", "UNICODE11UTF8"]
    private static let windows1252Names: Set = [
        "WINDOWS1252", "CP1252", "XCP1252", "ISO88591", "LATIN1", "L1", "CSISOLATIN1", "CP819", "IBM819",
    ]

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
