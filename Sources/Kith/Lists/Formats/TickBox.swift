/// A box in front of an entry, ticked or not.
enum TickBox {
    /// Consumes a box and the space after it. Returns nil if there is none.
    static func take(from text: inout Substring.UnicodeScalarView) -> Bool? {
        var rest = text
        let isTicked: Bool
        switch rest.popFirst() {
        case "☐": isTicked = false
        case "☑", "☒", "✓", "✔", "✅": isTicked = true
        case "[":
            switch rest.popFirst() {
            case " ": isTicked = false
            case "x", "X": isTicked = true
            default: return nil
            }
            guard rest.popFirst() == "]" else { return nil }
        default: return nil
        }
        // A variation selector: it requests the emoji form of the character before it.
        if rest.first == "\u{FE0F}" { rest.removeFirst() }
        guard rest.first?.properties.isWhitespace ?? true else { return nil }
        text = rest.drop(while: \.properties.isWhitespace)
        return isTicked
    }
}
