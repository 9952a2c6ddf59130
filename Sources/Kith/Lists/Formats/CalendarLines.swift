/// The content lines of iCalendar, with folded lines joined again.
///
/// They are joined as bytes, because some programs fold in the middle of a character.
struct CalendarLines {
    /// A line, and the number of its first part in the file.
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

/// One property: `NAME;PARAMETER=VALUE:value`.
struct CalendarLine {
    /// The name in capitals.
    let name: String
    /// The parameters by name, in capitals.
    let parameters: [String: String]
    /// The raw value from the file.
    let value: String

    /// nil if the line is no property or not UTF-8.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self)?.unicodeScalars else { return nil }
        // A colon in quotes belongs to a parameter.
        var isQuoted = false
        var parts: [Substring.UnicodeScalarView] = []
        var start = text.startIndex
        var colon: String.Index?
        for index in text.indices {
            switch text[index] {
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted, ":" where !isQuoted:
                parts.append(text[start..<index])
                start = text.index(after: index)
                if text[index] == ":" { colon = index }
            default: break
            }
            if colon != nil { break }
        }
        guard let colon, let name = parts.first, !name.isEmpty, name.allSatisfy(\.isNamePart) else { return nil }
        self.name = String(name).uppercased()
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let sign = part.firstIndex(of: "=") else { continue }
            let value = part[part.index(after: sign)...].filter { $0 != "\"" }
            parameters[String(part[..<sign]).uppercased()] = String(String.UnicodeScalarView(value))
        }
        self.parameters = parameters
        value = String(text[text.index(after: colon)...])
    }

    /// The value as text, with escapes resolved.
    var text: String { texts(parted: false)[0] }
    /// The first of several texts that are separated by commas.
    var firstText: String { texts(parted: true)[0].trimmed }

    private func texts(parted: Bool) -> [String] {
        var texts = [String.UnicodeScalarView()]
        var scalars = value.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == "," && parted {
                texts.append(String.UnicodeScalarView())
            } else if scalar == "\\", let next = scalars.next() {
                switch next {
                case "n", "N": texts[texts.count - 1].append("\n")
                case "\\", ",", ";", ":", "\"": texts[texts.count - 1].append(next)
                default: texts[texts.count - 1].append(contentsOf: [scalar, next])
                }
            } else {
                texts[texts.count - 1].append(scalar)
            }
        }
        return texts.map { String($0) }
    }
}

extension Unicode.Scalar {
    fileprivate var isNamePart: Bool {
        isDigit || self == "-" || ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }
}

/// Content lines for output: escaped, folded at 75 bytes, ended by CR and LF.
struct FoldedLines {
    /// The maximum number of bytes of a line; longer lines are folded.
    private static let width = 75

    private(set) var text = ""

    /// Adds a property with a raw value.
    mutating func add(_ name: String, _ value: String) {
        var width = 0
        for scalar in "\(name):\(value)".unicodeScalars {
            let size = UTF8.width(scalar)
            if width + size > Self.width {
                text += "\r\n "
                width = 1
            }
            text.unicodeScalars.append(scalar)
            width += size
        }
        text += "\r\n"
    }

    /// Adds a property with a text value.
    mutating func add(_ name: String, text value: String) {
        var escaped = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\n" where previous == "\r": break
            case "\n", "\r": escaped.append(contentsOf: ["\\", "n"])
            case "\\", ",", ";": escaped.append(contentsOf: ["\\", scalar])
            case "\t": escaped.append(scalar)
            // Readers do not accept control characters. This character marks the place.
            case "\0"..<" ", "\u{7F}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
            previous = scalar
        }
        add(name, String(escaped))
    }
}
