/// What the line-based formats do to a text. All of it goes by Unicode scalars:
/// a space or a bracket stays one, whatever mark is combined with it.
extension String {
    /// Without white space at either end.
    var trimmed: String {
        // Most texts begin and end with a letter: no table of Unicode has to be asked.
        if let first = utf8.first, let last = utf8.last, first.isInk && last.isInk { return self }
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }

    /// Whether there is nothing but white space.
    var isBlank: Bool { !unicodeScalars.contains { !$0.properties.isWhitespace } }

    /// On one line, trimmed: each line end is a space.
    var onOneLine: String {
        let scalars = unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmed
    }

    /// As a fault shows it.
    var shortened: String {
        let limit = ListFormat.shownCharacters
        let scalars = unicodeScalars.prefix(limit + 1)
        return scalars.count <= limit ? self : String(String.UnicodeScalarView(scalars.dropLast())) + "…"
    }

    /// Its lines, however they end; there is always one at least.
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

    /// Whether both are the same scalars. `==` would call a letter with its accent and the two apart equal.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension UInt8 {
    /// Whether it is an ASCII character that one can see.
    fileprivate var isInk: Bool { self > 0x20 && self < 0x7F }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
}
