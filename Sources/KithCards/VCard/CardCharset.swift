import TextEncodings

/// The charset of the text for which a card declares none.
///
/// It is guessed once per card from all of that text, because one value can be too short to decide, or be truncated
/// inside a character.
package enum CardCharset: UInt8, Sendable {
    case utf8
    /// Latin-1 is a subset of it.
    case windows1252

    /// A UTF-8 text in this charset; nil if the charset lacks one of its characters, or if the bytes would look like
    /// UTF-8.
    func encoded(_ text: [UInt8]) -> [UInt8]? {
        guard self == .windows1252, text.contains(where: { $0 >= 0x80 }) else { return text }
        guard let bytes = Windows1252.bytes(text) else { return nil }
        return UTF8Evidence(bytes).letters == 0 ? bytes : nil
    }
}
