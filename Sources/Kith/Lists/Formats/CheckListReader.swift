import KithModel

/// Reads a check list line by line.
struct CheckListReader {
    /// The item to which the indented lines below it belong.
    private struct Current {
        var entry: ListDocumentBuilder.Entry
        let line: SourceText.Line
        let indent: Int
        let hasBox: Bool
        var notes: [String] = []
        /// The empty lines since the last note. They are part of the comment if it continues after them.
        var gap = 0

        mutating func add(note: String) {
            if !notes.isEmpty { notes += repeatElement("", count: gap) }
            notes.append(note)
            gap = 0
        }
    }

    private var builder = ListDocumentBuilder()
    private var current: Current?
    private var category: String?
    private var hasEntries = false

    mutating func read(_ line: SourceText.Line) throws {
        guard let text = line.text else { return builder.unreadable(line) }
        if text.isBlank {
            current?.gap += 1
            return
        }
        let indent = Self.indent(of: text)
        var rest = text.trimmed.unicodeScalars[...]
        if indent < 2, let level = Self.headingLevel(rest) {
            try closeItem()
            heading(String(rest.dropFirst(level)), level: level, line)
        } else if Bullet.take(from: &rest, orNumber: true), !isNote(rest, at: indent) {
            try closeItem()
            let isTicked = TickBox.take(from: &rest)
            let counted = CountedTitle(String(rest))
            hasEntries = true
            current = Current(
                entry: .init(
                    title: Self.unescaped(counted.title), count: counted.count, isTicked: isTicked ?? false,
                    category: category),
                line: line, indent: indent, hasBox: isTicked != nil)
        } else if let above = current?.indent, indent >= 2, indent > above {
            current?.add(note: Self.unescaped(text.trimmed))
        } else if !Self.isSilent(text.trimmed) {
            try closeItem()
            builder.fault(
                line: line.number, text: line.shown, "This is neither a list entry, a heading nor an indented comment.")
        }
    }

    mutating func finished() throws -> ListDocument {
        try closeItem()
        return builder.finished()
    }

    private mutating func closeItem() throws {
        guard var item = current else { return }
        current = nil
        item.entry.comment = item.notes.joined(separator: "\n")
        try builder.take(item.entry, line: item.line.number, text: item.line.shown)
    }

    private mutating func heading(_ raw: String, level: Int, _ line: SourceText.Line) {
        // Number signs after a space at the end only close the heading.
        var scalars = raw.trimmed.unicodeScalars[...]
        let open = scalars.lastIndex { $0 != "#" }.map { scalars[...$0] } ?? scalars.prefix(0)
        if open.last?.properties.isWhitespace ?? true { scalars = open }
        let text = Self.unescaped(String(scalars).trimmed)
        if level == 1 && !hasEntries && builder.document.name == nil && category == nil {
            return builder.take(name: text, line: line.number, text: line.shown)
        }
        category = text.nonempty
        if let reason = category.flatMap({ ListItem.schema["category"]?.fault(in: .text($0)) }) {
            category = nil
            builder.fault(line: line.number, text: line.shown, reason)
        }
    }

    /// Whether an entry below the current item is part of its comment.
    private func isNote(_ afterBullet: Substring.UnicodeScalarView, at indent: Int) -> Bool {
        guard let current, current.hasBox, indent >= 2, indent > current.indent else { return false }
        var rest = afterBullet
        return TickBox.take(from: &rest) == nil
    }

    /// The number of columns of leading white space; a tab extends to the next multiple of four.
    private static func indent(of text: String) -> Int {
        var columns = 0
        for scalar in text.unicodeScalars {
            if scalar == " " {
                columns += 1
            } else if scalar == "\t" {
                columns += 4 - columns % 4
            } else {
                break
            }
        }
        return columns
    }

    /// The level of a heading: its number of leading number signs. Returns nil if the line is not a heading, such as
    /// `#1`.
    private static func headingLevel(_ text: Substring.UnicodeScalarView) -> Int? {
        let rest = text.drop { $0 == "#" }
        let level = text.distance(from: text.startIndex, to: rest.startIndex)
        return (1...6).contains(level) && rest.first?.properties.isWhitespace ?? true ? level : nil
    }

    /// Whether a line can be ignored: a rule or an HTML comment.
    private static func isSilent(_ text: String) -> Bool {
        let marks = text.unicodeScalars.filter { !$0.properties.isWhitespace }
        if let first = marks.first, "-*_=".unicodeScalars.contains(first), marks.count >= 3 {
            return marks.allSatisfy { $0 == first }
        }
        return text.hasPrefix("<!--") && text.hasSuffix("-->")
    }

    /// Resolves the backslash escapes.
    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var result = String.UnicodeScalarView()
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            result.append(scalar)
            guard scalar == "\\", let next = scalars.next() else { continue }
            if next.isASCIIPunctuation { result.removeLast() }
            result.append(next)
        }
        return String(result)
    }
}
