import KithModel

/// A check list in Markdown.
///
///     # Weekend                  the list's name: the first heading, if no item comes before it
///
///     ## Dairy                   every other heading is the category of the items below it; an empty one ends it
///
///     - [ ] 3 x Milk             an item: - * + or a number, with or without a box, a count as in CountedTitle
///       not the skimmed one      its comment: lines indented below it
///       - [x] oat milk           an entry below an entry is an item of its own
///       - from the shop          an entry without a box, below one with a box, is a comment
///
/// A backslash makes the next character a plain one. Rules (`---`) and HTML comments on their own lines are ignored.
/// All other content, such as a paragraph, does not belong to a list and is reported as a fault.
enum CheckList {
    static func read(_ source: SourceText) throws -> ListDocument {
        var reader = CheckListReader()
        for line in source.lines { try reader.read(line) }
        return try reader.finished()
    }

    static func write(_ document: ListDocument) -> String {
        var text = ""
        if let name = document.name?.onOneLine.nonempty { text += "# \(escapedHeading(name))\n\n" }
        var category = ""
        for (index, item) in document.items.enumerated() {
            let heading = item.category?.onOneLine ?? ""
            if !heading.isExactly(category) {
                let lead = text.isEmpty || index == 0 ? "" : "\n"
                text += lead + (heading.isEmpty ? "##\n\n" : "## \(escapedHeading(heading))\n\n")
                category = heading
            }
            let title = CountedTitle.line(title: escaped(item.title.onOneLine), count: item.count)
            text += "- [\(item.isTicked ? "x" : " ")] \(title)\n"
            for line in noteLines(item.comment ?? "") { text += line.isEmpty ? "\n" : "  \(line)\n" }
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\\" { result.append(scalar) }
            result.append(scalar)
        }
        return String(result)
    }

    /// A number sign at the end would close the heading.
    private static func escapedHeading(_ text: String) -> String {
        let text = escaped(text)
        return text.unicodeScalars.last == "#" ? "\(String(text.unicodeScalars.dropLast()))\\#" : text
    }

    private static func noteLines(_ comment: String) -> [String] {
        let lines = comment.textLines.map { escaped($0.trimmed) }.trimmingEmpty
        return lines.map { line in
            // An entry with a box would be read as an item, so its bullet or number is escaped.
            var rest = line.unicodeScalars[...]
            guard Bullet.take(from: &rest, orNumber: true), TickBox.take(from: &rest) != nil else { return line }
            let digits = line.unicodeScalars.prefix(while: \.isDigit)
            return String(digits) + "\\" + String(line.unicodeScalars[digits.endIndex...])
        }
    }
}

/// Reads a check list line by line.
struct CheckListReader {
    /// The item to which the indented lines below it belong.
    private struct Current {
        var entry: Gathering.Entry
        let line: SourceText.Line
        let indent: Int
        let hasBox: Bool
        var notes: [String] = []
        /// The empty lines since the last note. They are part of the comment if it continues after them.
        var gap = 0
    }

    private var gathering = Gathering()
    private var current: Current?
    private var category: String?
    private var hasEntries = false

    mutating func read(_ line: SourceText.Line) throws {
        guard let text = line.text else { return gathering.unreadable(line) }
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
        } else if let item = current, indent >= 2, indent > item.indent {
            let gap = item.notes.isEmpty ? [] : Array(repeating: "", count: item.gap)
            current?.notes += gap + [Self.unescaped(text.trimmed)]
            current?.gap = 0
        } else if !Self.isSilent(text.trimmed) {
            try closeItem()
            gathering.fault(
                line: line.number, text: line.shown, "This is neither a list entry, a heading nor an indented comment.")
        }
    }

    mutating func finished() throws -> ListDocument {
        try closeItem()
        return gathering.finished()
    }

    private mutating func closeItem() throws {
        guard var item = current else { return }
        current = nil
        item.entry.comment = item.notes.joined(separator: "\n")
        try gathering.take(item.entry, line: item.line.number, text: item.line.shown)
    }

    private mutating func heading(_ raw: String, level: Int, _ line: SourceText.Line) {
        // Number signs after a space at the end only close the heading.
        var scalars = raw.trimmed.unicodeScalars[...]
        let open = scalars.lastIndex { $0 != "#" }.map { scalars[...$0] } ?? scalars.prefix(0)
        if open.last?.properties.isWhitespace ?? true { scalars = open }
        let text = Self.unescaped(String(scalars).trimmed)
        if level == 1 && !hasEntries && gathering.document.name == nil && category == nil {
            return gathering.take(name: text, line: line.number, text: line.shown)
        }
        category = text.nonempty
        if let reason = category.flatMap({ ListItem.schema["category"]?.fault(in: .text($0)) }) {
            category = nil
            gathering.fault(line: line.number, text: line.shown, reason)
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

    /// The number of number signs that open a heading; nil if the line is no heading, such as `#1`.
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

extension Unicode.Scalar {
    fileprivate var isASCIIPunctuation: Bool {
        ("!"..."/").contains(self) || (":"..."@").contains(self) || ("["..."`").contains(self)
            || ("{"..."~").contains(self)
    }
}

extension [String] {
    /// The array without empty texts at either end.
    fileprivate var trimmingEmpty: ArraySlice<String> {
        guard let last = lastIndex(where: { !$0.isEmpty }) else { return [] }
        return self[...last].drop(while: \.isEmpty)
    }
}
