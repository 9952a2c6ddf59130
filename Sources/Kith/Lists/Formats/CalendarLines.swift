/// The content lines of an iCalendar file, with folded lines joined again.
///
/// They are joined as bytes, because some programs fold in the middle of a character.
struct CalendarLines {
    /// A line, and the number of its first physical line in the file.
    struct Line {
        let number: Int
        var bytes: ArraySlice<UInt8>

        var text: String? { String(validating: bytes, as: UTF8.self) }
    }

    private var lines: SourceText.Lines
    private var ahead: SourceText.Line?

    init(_ lines: SourceText.Lines) {
        self.lines = lines
        ahead = self.lines.next()
    }

    /// The next line that is not empty.
    mutating func next() -> Line? {
        while let first = ahead {
            var line = Line(number: first.number, bytes: first.bytes)
            ahead = lines.next()
            while let part = ahead, let sign = part.bytes.first, sign == .space || sign == .tab {
                line.bytes += part.bytes.dropFirst()
                ahead = lines.next()
            }
            if line.bytes.contains(where: { $0 != .space && $0 != .tab }) { return line }
        }
        return nil
    }
}

extension Unicode.Scalar {
    var isNamePart: Bool {
        isDigit || self == "-" || ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }
}
