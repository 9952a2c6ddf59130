import Foundation

/// Base64 (RFC 4648, section 4) as it stands in cards.
enum Base64 {
    /// What `text` stands for; nil if it is not sound. Blanks, line ends and whatever else is no sign of base64 are
    /// passed over.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var text = text.filter { $0.isBase64 }
        // Some programs leave the filling at the end out.
        while !text.count.isMultiple(of: 4) { text.append(.equals) }
        return Data(base64Encoded: Data(text)).map { [UInt8]($0) }
    }
}
