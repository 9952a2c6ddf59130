import Foundation
import TextEncodings

/// The content-transfer-encoding quoted-printable (RFC 2045, section 6.7): lines of at most 76 characters of ASCII.
enum QuotedPrintable {
    /// The text, with `\r\n` after each line and at the end.
    static func encode(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
        return end.map { encode(line: Array($0.utf8)) + "\r\n" }.joined()
    }

    /// The text of encoded lines that end with `\n`; nil if they are not quoted-printable in UTF-8.
    static func decode(_ encoded: Substring) -> String? {
        let joined = ArraySlice(encoded.replacing("=\n", with: "").utf8)
        guard let bytes = HexCodes.quotedPrintable.decoded(strictly: joined) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func encode(line: [UInt8]) -> String {
        var encoded: [UInt8] = [], length = 0
        // Some programs change a line that begins with a dot or with “From ” (RFC 2049, section 3).
        let isRisky = line.first == UInt8(ascii: ".") || line.starts(with: "From ".utf8)
        for (index, byte) in line.enumerated() {
            let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            let isLiteral =
                isSpace ? index < line.count - 1 : (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let isKept = isLiteral && !(index == 0 && isRisky)
            let piece = isKept ? [byte] : HexCodes.quotedPrintable.code(of: byte)
            // One character is left for the soft line break.
            if length + piece.count > 75 {
                encoded += Array("=\r\n".utf8)
                length = 0
            }
            encoded += piece
            length += piece.count
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
