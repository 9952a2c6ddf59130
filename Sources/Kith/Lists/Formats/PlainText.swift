/// One item a line.
///
/// A bullet (`-`, `*`, `+`, `•`, `–`) and a box (`[ ]`, `[x]`, `☐`, `☑`, `✓` …)
/// in front are not part of the title, nor is a count as ``CountedTitle`` has
/// it. Empty lines are passed over.
enum PlainText {
    static func read(_ source: SourceText) throws -> ListDocument {
        var gathering = Gathering()
        for line in source.lines {
            guard let text = line.text else {
                gathering.unreadable(line)
                continue
            }
            if !text.isBlank { try gathering.take(entry(text), line: line.number, text: line.shown) }
        }
        return gathering.finished()
    }

    static func write(_ document: ListDocument) -> String {
        document.items.map { line(for: $0) + "\n" }.joined()
    }

    private static func entry(_ line: String) -> Gathering.Entry {
        var rest = line.trimmed.unicodeScalars[...]
        _ = Bullet.take(from: &rest)
        let isTicked = TickBox.take(from: &rest)
        let counted = CountedTitle(String(rest))
        return .init(title: counted.title, count: counted.count, isTicked: isTicked ?? false)
    }

    /// The plainest line that is read as this item.
    private static func line(for item: ItemDraft) -> String {
        let title = item.title.onOneLine
        let box = item.isTicked ? "[x] " : ""
        let plain = box + CountedTitle.line(title: title, count: item.count)
        let read = entry(plain)
        let isSame = read.title.isExactly(title) && read.count == Int64(item.count) && read.isTicked == item.isTicked
        // At a file's beginning it would be a byte order mark.
        let isMark = title.unicodeScalars.first == "\u{FEFF}"
        return isSame && !isMark ? plain : "\(box)\(item.count) x \(title)"
    }
}

/// What stands in front of an entry of a list, numbers included where they are asked for.
enum Bullet {
    /// Takes a bullet and the space after it.
    static func take(from text: inout Substring.UnicodeScalarView, orNumber: Bool = false) -> Bool {
        var rest = text
        guard let first = rest.popFirst() else { return false }
        if orNumber && first.isDigit {
            let digits = rest.prefix(while: \.isDigit)
            // Nine digits are the most that Markdown takes for the number of an entry.
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

/// A box in front of an entry, ticked or not.
enum TickBox {
    /// Takes a box and the space after it. Nil if there is none.
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
        // The sign that asks for a picture of what comes before it.
        if rest.first == "\u{FE0F}" { rest.removeFirst() }
        guard rest.first?.properties.isWhitespace ?? true else { return nil }
        text = rest.drop(while: \.properties.isWhitespace)
        return isTicked
    }
}
