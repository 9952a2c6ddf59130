import Foundation
import KithModel

/// Text in the header of an email: folded lines of ASCII.
///
/// Text that is not plain ASCII becomes encoded words (RFC 2047). Whatever the text contains, it cannot begin another
/// header field, because line breaks and control characters never reach the header.
enum HeaderText {
    /// The longest line, without its line break (RFC 2047, section 2).
    static let line = 76
    /// The bytes of one encoded word before encoding. With them it has 64 characters, which fit after `Subject: `.
    private static let wordBytes = 39

    /// Unstructured text, such as a subject. `width` is the length of the field's name with its colon and space.
    static func unstructured(_ text: String, after width: Int) -> String {
        let text = PlainLine.text(text)
        let words = text.split(separator: " ")
        // `=?` would look like the beginning of an encoded word.
        guard isPlain(text), !text.contains("=?"), words.allSatisfy({ $0.utf8.count < line - width }) else {
            return encoded(text)
        }
        var folded = "", length = width
        for word in words {
            if !folded.isEmpty {
                let fits = length + 1 + word.utf8.count <= line
                folded += fits ? " " : "\r\n "
                length = fits ? length + 1 : 1
            }
            folded += word
            length += word.utf8.count
        }
        return folded
    }

    /// A phrase, such as a name before an address.
    static func phrase(_ text: String, after width: Int) -> String {
        let text = PlainLine.text(text)
        guard isPlain(text), !text.contains("=?"), text.utf8.count < line - width - 2 else { return encoded(text) }
        let isAtoms = text.utf8.allSatisfy { $0 == UInt8(ascii: " ") || isAtom($0) }
        if isAtoms { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Encoded words, one on each line. None of them ends within a character.
    private static func encoded(_ text: String) -> String {
        var words: [Data] = [Data()]
        for scalar in text.unicodeScalars {
            let bytes = Data(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > wordBytes { words.append(Data()) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\($0.base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// The text of an unfolded field. Spaces between encoded words are dropped (RFC 2047, section 6.2).
    static func decode(_ field: String) -> String {
        field.replacing("?= =?", with: "?==?").replacing(/(=\?utf-8\?B\?[A-Za-z0-9+\/=]*\?=)+/) { match in
            let words = match.output.0.matches(of: /=\?utf-8\?B\?([A-Za-z0-9+\/]*=*)\?=/)
            let bytes = words.flatMap { Data(base64Encoded: String($0.output.1)) ?? Data() }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Whether the byte is `atext` (RFC 5322, section 3.2.3).
    private static func isAtom(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
