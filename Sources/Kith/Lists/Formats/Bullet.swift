/// Recognizes the bullet of a list entry or, on request, its number.
enum Bullet {
    /// Consumes a bullet and the space after it.
    static func take(from text: inout Substring.UnicodeScalarView, orNumber: Bool = false) -> Bool {
        var rest = text
        guard let first = rest.popFirst() else { return false }
        if orNumber && first.isDigit {
            let digits = rest.prefix(while: \.isDigit)
            // Markdown allows at most nine digits in the number of an entry.
            guard digits.count < 9 else { return false }
            rest = rest[digits.endIndex...]
            guard let sign = rest.popFirst(), sign == "." || sign == ")" else { return false }
        } else if !"-*+•–".unicodeScalars.contains(first) {
            return false
        }
        guard rest.first?.properties.isWhitespace ?? true else { return false }
        text = rest.drop(while: \.properties.isWhitespace)
        return true
    }
}
