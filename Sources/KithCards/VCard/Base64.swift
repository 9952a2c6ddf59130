import Foundation

/// Base64 (RFC 4648, section 4) as vCards contain it.
enum Base64 {
    /// The decoded bytes of `text`; nil if it is not valid. Blanks, line ends and other characters outside the alphabet
    /// are skipped.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var text = text.filter { $0.isBase64 }
        // Some programs omit the padding at the end.
        while !text.count.isMultiple(of: 4) { text.append(.equals) }
        return Data(base64Encoded: Data(text)).map { [UInt8]($0) }
    }
}
