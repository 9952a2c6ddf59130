/// The content lines of an iCalendar file, with folded lines and soft breaks joined again.
///
/// They are joined as bytes, because some programs fold in the middle of a character. Soft breaks belong to the
/// quoted-printable of vCalendar 1.0.
struct CalendarLines {
    /// A line, and the number of its first physical line in the file.
    struct Line {
        let number: Int
        var bytes: ArraySlice<UInt8>

        /// Whether it ends in the soft break of a value in quoted-printable.
        var isBroken: Bool {
            guard bytes.last == UInt8(ascii: "=") else { return false }
            let header = bytes.prefix(Self.longestHeader).prefix { $0 != UInt8(ascii: ":") }
            return header.count < min(bytes.count, Self.longestHeader)
                && String(decoding: header, as: UTF8.self).uppercased().contains("QUOTED-PRINTABLE")
        }

        /// The number of bytes in which a soft break looks for the encoding.
        private static let longestHeader = 1_000
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
            while let part = ahead {
                if line.isBroken {
                    line.bytes.removeLast()
                    // Nothing follows the soft break.
                    if part.bytes.starts(with: Array("END:".utf8)) { break }
                    line.bytes += part.bytes
                } else if part.bytes.first == .space || part.bytes.first == .tab {
                    line.bytes += part.bytes.dropFirst()
                } else {
                    break
                }
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
