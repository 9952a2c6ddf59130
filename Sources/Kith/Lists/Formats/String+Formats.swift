/// Text functions of the line-based formats. All of them work on Unicode scalars, so that a space or a bracket is
/// recognized even with a combining mark.
extension String {
    /// The text without white space at either end.
    var trimmed: String {
        // Most texts begin and end with a visible ASCII character, which needs no look-up in the Unicode tables.
        if let first = utf8.first, let last = utf8.last, first.isInk && last.isInk { return self }
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }

    /// Whether the text has only white space.
    var isBlank: Bool { !unicodeScalars.contains { !$0.properties.isWhitespace } }

    /// The text on one line, trimmed: each line end becomes a space.
    var onOneLine: String {
        let scalars = unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmed
    }

    /// The text in the form that a fault shows.
    var shortened: String {
        let limit = ListFormat.shownCharacters
        let scalars = unicodeScalars.prefix(limit + 1)
        return scalars.count <= limit ? self : String(String.UnicodeScalarView(scalars.dropLast())) + "…"
    }

    /// The lines of the text, with any kind of line end; at least one.
    var textLines: [String] {
        var lines = [String.UnicodeScalarView()]
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            if scalar == "\r" || (scalar == "\n" && previous != "\r") {
                lines.append(String.UnicodeScalarView())
            } else if scalar != "\n" {
                lines[lines.count - 1].append(scalar)
            }
            previous = scalar
        }
        return lines.map { String($0) }
    }

    /// The text of a field of a table: with an apostrophe before it if a spreadsheet would run it as a formula. A text
    /// that looks like that gets another apostrophe, so that reading gives back what was written.
    var asField: String { beginsFormula ? "'\(self)" : self }

    /// The text that ``asField`` has written as this field.
    var fromField: String {
        utf8.first == UInt8(ascii: "'") && beginsFormula ? String(unicodeScalars.dropFirst()) : self
    }

    /// Whether a sign that begins a formula is at the start, or after apostrophes.
    private var beginsFormula: Bool {
        utf8.first { $0 != UInt8(ascii: "'") }.map("=+-@\t\r".utf8.contains) ?? false
    }

    /// Whether both texts have the same scalars. In contrast, `==` treats a composed letter and its decomposed form as
    /// equal.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension UInt8 {
    /// Whether the byte is a visible ASCII character.
    fileprivate var isInk: Bool { self > 0x20 && self < 0x7F }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
}
