/// Rows of text in columns, for a terminal.
package struct Table: Hashable, Sendable {
    /// One cell: its text and its style.
    package struct Cell: Hashable, Sendable, ExpressibleByStringInterpolation {
        package let text: String
        package let style: TextStyle
        package let isNumber: Bool

        package init(_ text: String, _ style: TextStyle = .plain, isNumber: Bool = false) {
            self.text = text.printable
            self.style = style
            self.isNumber = isNumber
        }

        package init(stringLiteral value: String) { self.init(value) }

        /// A number, which is aligned to the right.
        package static func number(_ number: Int) -> Cell { Cell(String(number), .faint, isNumber: true) }
    }

    private var rows: [[Cell]] = []

    package init(header: [String] = []) {
        if !header.isEmpty { rows.append(header.map { Cell($0, .strong) }) }
    }

    /// A table with a row for each element. With `isNumbered`, each row begins with its number, from 1.
    package init<Element>(
        header: [String] = [], isNumbered: Bool = false, _ elements: some Sequence<Element>, row: (Element) -> [Cell]
    ) {
        self.init(header: isNumbered ? ["#"] + header : header)
        for (index, element) in elements.enumerated() {
            let number: [Cell] = isNumbered ? [.number(index + 1)] : []
            add(number + row(element))
        }
    }

    package mutating func add(_ row: [Cell]) {
        rows.append(row)
    }

    /// The rows as lines: each column as wide as its widest cell, two spaces between columns, nothing after the last
    /// cell of a row. Columns that are empty in every row are left out.
    ///
    /// If there is a `width`, the widest columns are wrapped until the table fits into it.
    package func lines(colour: Bool, width: Int? = nil) -> [String] {
        let (widths, isUsed) = measures()
        guard let width else { return rows.map { line($0, widths, isUsed, colour) } }
        let fitted = Self.fitted(widths, isUsed, to: width)
        return rows.flatMap { row in
            let parts = zip(row, fitted).map { $0.isNumber ? [$0.text] : $0.text.wrapped(to: $1) }
            return (0..<(parts.map(\.count).max() ?? 0)).map { index in
                let cells = zip(row, parts).map { cell, lines in
                    Cell(lines.indices.contains(index) ? lines[index] : "", cell.style, isNumber: cell.isNumber)
                }
                return line(cells, fitted, isUsed, colour)
            }
        }
    }

    /// The minimum width of a column.
    private static let narrowest = 12

    /// The widths of the columns. The widest are reduced until all columns fit into `width`.
    private static func fitted(_ widths: [Int], _ isUsed: [Bool], to width: Int) -> [Int] {
        var widths = zip(widths, isUsed).map { $1 ? $0 : 0 }
        var excess = widths.reduce(0, +) + 2 * max(0, isUsed.count { $0 } - 1) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// The width of each column, and whether it has any content.
    private func measures() -> (widths: [Int], isUsed: [Bool]) {
        let count = rows.map(\.count).max() ?? 0
        var widths = Array(repeating: 0, count: count)
        var isUsed = Array(repeating: false, count: count)
        for row in rows {
            for (column, cell) in row.enumerated() {
                widths[column] = max(widths[column], cell.text.columns)
                if cell.style != .strong && !cell.text.isEmpty { isUsed[column] = true }
            }
        }
        return (widths, isUsed)
    }

    private func line(_ row: [Cell], _ widths: [Int], _ isUsed: [Bool], _ colour: Bool) -> String {
        var line = ""
        var owed = 0
        for (column, cell) in row.enumerated() where isUsed[column] {
            let padding = max(0, widths[column] - cell.text.columns)
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: owed + (cell.isNumber ? padding : 0))
                line += cell.style.applied(to: cell.text, colour: colour)
                owed = cell.isNumber ? 0 : padding
            } else {
                owed += padding
            }
            owed += 2
        }
        return line
    }
}

extension String {
    /// The text without characters that control a terminal, reverse the direction of writing, or break a line. Names
    /// and titles come from other people.
    package var printable: String {
        guard unicodeScalars.contains(where: { Self.stand(for: $0) != nil }) else { return self }
        var text = ""
        for scalar in unicodeScalars { text.unicodeScalars.append(Self.stand(for: scalar) ?? scalar) }
        return text
    }

    /// The lines of the text, each ``printable``.
    var printableLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    }

    private static func stand(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value)
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F: "\u{FFFD}"
        default: nil
        }
    }

    /// The number of terminal columns that the text takes: two for a wide character or an emoji, none for a combining
    /// mark.
    package var columns: Int {
        reduce(0) { $0 + $1.columns }
    }

    /// The text in lines of at most the given number of columns, broken between words. A word is broken only if it is
    /// longer than a line.
    package func wrapped(to width: Int) -> [String] {
        guard width > 0, columns > width else { return [self] }
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty && line.columns + 1 + String(word).columns > width {
                lines.append(line)
                line = ""
            } else if !line.isEmpty {
                line += " "
            }
            for character in word {
                if line.columns + character.columns > width {
                    lines.append(line)
                    line = ""
                }
                line.append(character)
            }
        }
        return lines + (line.isEmpty ? [] : [line])
    }

    /// The text as one word for a shell.
    package var shellWord: String {
        let isPlain =
            !isEmpty
            && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "0123456789-_./".unicodeScalars.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            return first.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
