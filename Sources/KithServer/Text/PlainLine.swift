/// Text from people, reduced to what can stand in one line of a message or a page.
///
/// Control characters, line breaks and the characters that reverse the direction of writing (Unicode Standard Annex 9,
/// section 2) could pretend to be other text. Letters of languages that are written from right to left stay.
package enum PlainLine {
    /// The text in one line.
    package static func text(_ text: String) -> String {
        if isOneLineOfASCII(text) { return text }
        let spaced = text.unicodeScalars.map { isBreak($0) ? " " : $0 }.filter { !isForbidden($0) }
        return String(String.UnicodeScalarView(spaced)).split(separator: " ").joined(separator: " ")
    }

    /// Whether the text has only printable characters of ASCII, with one space between words. Most texts do, so that
    /// nothing has to be taken from them.
    private static func isOneLineOfASCII(_ text: String) -> Bool {
        let space = UInt8(ascii: " ")
        var last = space
        for byte in text.utf8 {
            guard (space...UInt8(ascii: "~")).contains(byte), byte != space || last != space else { return false }
            last = byte
        }
        return last != space || text.isEmpty
    }

    /// The text with its line breaks, each as `\n`.
    package static func lines(_ text: String) -> String {
        let unified = text.replacing("\r\n", with: "\n")
        return unified.split(omittingEmptySubsequences: false) {
            $0.unicodeScalars.first.map(isBreak) ?? false && $0 != "\t"
        }
        .map { line in String(String.UnicodeScalarView(line.unicodeScalars.filter { !isForbidden($0) })) }
        .joined(separator: "\n")
    }

    /// Whether mail programs would show a part of the text, in one line, as a link: an address of a page, of a host or of a
    /// mailbox.
    package static func hasLink(_ text: String) -> Bool {
        // Characters that are left out of a message must not hide a link.
        let line = Self.text(text)
        return line.contains("@") || line.contains("://") || line.contains(/\w\.\p{Letter}/)
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        // Explicit directions: embeddings, overrides, isolates.
        case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        // Not characters, or tags that nobody sees.
        case "\u{FEFF}", "\u{FFF9}"..."\u{FFFB}", "\u{E0000}"..."\u{E0FFF}": true
        case "\t": false
        default: scalar.properties.generalCategory == .control
        }
    }
}
