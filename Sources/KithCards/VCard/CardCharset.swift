/// The charset of the text for which a card names none.
///
/// It is guessed once per card, from all of that text: one value may be too short
/// to tell, or be cut off within a letter.
package enum CardCharset: UInt8, Sendable {
    case utf8
    /// Latin-1 is a part of it.
    case windows1252

    /// A text of UTF-8 in this charset; nil if it has no letter for one of the text, or if the bytes would look like
    /// UTF-8.
    func encoded(_ text: [UInt8]) -> [UInt8]? {
        guard self == .windows1252, text.contains(where: { $0 >= 0x80 }) else { return text }
        guard let bytes = Windows1252.bytes(text) else { return nil }
        return UTF8Evidence(bytes).letters == 0 ? bytes : nil
    }
}
