import KithModel

/// A scanner for JSON (RFC 8259) that knows the current line.
///
/// An import must report the line of a wrong value and keep what comes before a syntax error. Foundation's decoder
/// supports neither.
struct JSONScanner {
    /// A value, as far as a list needs it.
    enum Value {
        case null
        case flag(Bool)
        case integer(Int64)
        case text(String)
        /// A string that cannot be read: it has bytes that are not UTF-8, half of a surrogate pair, or too many combining
        /// marks in a row.
        case broken
        /// An array, an object or a number that is not whole; its content is skipped.
        case other

        var text: String? { if case .text(let text) = self { text } else { nil } }
        var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
        /// A text, or the text of a flag or a whole number.
        var word: String? { if case .flag(let flag) = self { "\(flag)" } else { text ?? integer.map { "\($0)" } } }
    }

    /// A syntax error, with its line and reason.
    struct Break: Error {
        let line: Int
        let reason: String
    }

    /// The deepest nesting of arrays and objects.
    static let depth = 64

    private let bytes: [UInt8]
    private(set) var at = 0
    private(set) var line = 1
    /// Whether the array or object has just been opened, so that no comma is expected.
    private var isFresh = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The line and offset of the next token.
    var here: (line: Int, offset: Int) {
        mutating get {
            _ = peek()
            return (line, at)
        }
    }

    /// The next byte that is not white space; nil at the end.
    mutating func peek() -> UInt8? {
        while at < bytes.count {
            if bytes[at].isLineEnd {
                at = bytes.afterLineEnd(at: at)
                line += 1
            } else if bytes[at] == .space || bytes[at] == .tab {
                at += 1
            } else {
                return bytes[at]
            }
        }
        return nil
    }

    mutating func open(_ sign: Unicode.Scalar) throws {
        try expect(sign)
        isFresh = true
    }

    /// Whether there is another element before `close`. If not, `close` is consumed.
    mutating func another(before close: Unicode.Scalar) throws -> Bool {
        defer { isFresh = false }
        if peek() == UInt8(ascii: close) {
            at += 1
            return false
        }
        if !isFresh { try expect(",") }
        return true
    }

    /// Reads the name of a member and its colon. A name that cannot be read is returned empty.
    mutating func key() throws -> String {
        guard peek() == .quote else { throw fault("A name in quotes is expected here.") }
        let name = try text()
        try expect(":")
        return name ?? ""
    }

    /// Reads the next value.
    mutating func value(depth: Int = Self.depth) throws -> Value {
        switch peek() {
        case .quote: return try text().map(Value.text) ?? .broken
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try passOver(depth: depth)
            return .other
        case nil: throw fault("The file ends too early.")
        default: return try word()
        }
    }

    private mutating func passOver(depth: Int) throws {
        guard depth > 0 else { throw tooDeep }
        let isObject = bytes[at] == UInt8(ascii: "{")
        try open(isObject ? "{" : "[")
        while try another(before: isObject ? "}" : "]") {
            if isObject { _ = try key() }
            _ = try value(depth: depth - 1)
        }
    }

    private mutating func word() throws -> Value {
        let start = at
        while at < bytes.count, bytes[at].isWordPart { at += 1 }
        let word = String(decoding: bytes[start..<at], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true": return .flag(true)
        case "false": return .flag(false)
        default:
            let digits = word.hasPrefix("-") ? word.dropFirst() : word[...]
            if digits.utf8.allSatisfy(\.isDigit), digits.utf8.count == 1 || !digits.hasPrefix("0"),
                let number = Int64(word)
            {
                return .integer(number)
            }
            // `Double` would also accept names such as `nan` and hexadecimal digits, which are not JSON numbers.
            if digits.utf8.first?.isDigit == true, digits.utf8.allSatisfy(\.isNumberPart), let number = Double(word) {
                // Many programs write whole numbers as `2.0`.
                return Int64(exactly: number).map(Value.integer) ?? .other
            }
            at = start
            throw fault("A value is expected here.")
        }
    }

    /// Reads a string in quotes; nil if it is ``Value/broken``.
    private mutating func text() throws -> String? {
        let start = at
        at += 1
        var content: [UInt8] = []
        while at < bytes.count, bytes[at] != .quote {
            if bytes[at] == UInt8(ascii: "\\") {
                content += try escape()
            } else if bytes[at] < .space {
                // Usually a line end: the closing quote is missing.
                break
            } else {
                content.append(bytes[at])
                at += 1
            }
        }
        guard at < bytes.count, bytes[at] == .quote else {
            at = start
            throw fault("The text that begins here is not closed on its line.")
        }
        at += 1
        return String(inFile: content)
    }

    private mutating func escape() throws -> [UInt8] {
        let letter = at + 1 < bytes.count ? bytes[at + 1] : 0
        at += 2
        switch letter {
        case UInt8(ascii: "n"): return [.lineFeed]
        case UInt8(ascii: "r"): return [.carriageReturn]
        case UInt8(ascii: "t"): return [.tab]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case .quote, UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if UTF16.isLeadSurrogate(units[0]), bytes[min(at, bytes.count)...].starts(with: Array("\\u".utf8)) {
                at += 2
                units.append(try unit())
            }
            // Half of a surrogate pair becomes a byte that UTF-8 does not allow, so that only this text is broken.
            return String(validating: units, as: UTF16.self).map { Array($0.utf8) } ?? [0xFF]
        default:
            at = min(at, bytes.count)
            throw fault("There is no such character after a backslash.")
        }
    }

    private mutating func unit() throws -> UInt16 {
        let digits = bytes[min(at, bytes.count)...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isHexDigit),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("Four hexadecimal digits should follow \\u.") }
        at += 4
        return unit
    }

    private mutating func expect(_ sign: Unicode.Scalar) throws {
        guard let next = peek() else { throw fault("The file ends too early.") }
        guard next == UInt8(ascii: sign) else { throw fault("“\(sign)” is expected here.") }
        at += 1
    }

    /// The error for too deep nesting.
    var tooDeep: Break { fault("Arrays and objects nest more than \(Self.depth) deep.") }

    private func fault(_ reason: String) -> Break { Break(line: line, reason: reason) }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }

    fileprivate var isNumberPart: Bool {
        isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "+") || self == UInt8(ascii: ".")
            || self | 0x20 == UInt8(ascii: "e")
    }

    /// Whether the byte belongs to a number or to `true`, `false` or `null`.
    fileprivate var isWordPart: Bool {
        isNumberPart || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
