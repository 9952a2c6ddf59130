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
/// All other content, such as a paragraph, is reported as a fault.
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

    /// Escapes a heading. A number sign at its end would otherwise be read as the closing sequence.
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

extension Unicode.Scalar {
    var isASCIIPunctuation: Bool {
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
