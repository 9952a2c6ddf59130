import Foundation
import TextEncodings

/// Checks in one pass that bytes are JSON (RFC 8259), and reports what is wrong and where.
///
/// `JSONDecoder` reports most faults without their place, and accepts two fields of the same name, also if the names differ
/// only in how their characters are composed.
struct JSONForm {
    /// A fault, and the path of the value that has it.
    struct Fault: Error {
        let sentence: String
        let path: String
    }

    /// The maximum depth of nested arrays and objects. Every valid message has fewer levels.
    static let depth = 32

    /// If an object has more names than this, a set finds duplicates.
    private static let few = 16

    private let bytes: [UInt8]
    private var at = 0
    private var steps: [Step] = []
    /// The hashes of the names in the open objects.
    private var names: [Int] = []
    /// The places of the numbers that are not an `Int64`; nil if they are not collected.
    private var numbers: [Range<Int>]?
    /// The place of the first combining mark that is too many; nil if there is none.
    private let excess: Int?

    private enum Step {
        case name(Range<Int>)
        case index(Int)
    }

    private init(_ bytes: [UInt8], collects: Bool, excess: Int?) {
        (self.bytes, self.excess) = (bytes, excess)
        numbers = collects ? [] : nil
    }

    /// Checks a document. A text with the place `excess` is a fault (`StreamSafeText.excess(inJSON:)`).
    ///
    /// - Throws: ``Fault`` for the first fault.
    static func check(_ bytes: [UInt8], excess: Int?) throws(Fault) {
        var form = JSONForm(bytes, collects: false, excess: excess)
        try form.document()
    }

    /// The document with quotes around each number that is not an `Int64`; nil if there is no such number. If such a
    /// number is in the place of a whole number, the decoder then finds a string, and reports the place.
    static func quotingOtherNumbers(_ bytes: [UInt8]) -> Data? {
        var form = JSONForm(bytes, collects: true, excess: nil)
        guard (try? form.document()) != nil, let numbers = form.numbers, !numbers.isEmpty else { return nil }
        var quoted = Data()
        var last = 0
        for number in numbers {
            quoted += bytes[last..<number.lowerBound] + [UInt8(ascii: "\"")] + bytes[number] + [UInt8(ascii: "\"")]
            last = number.upperBound
        }
        return quoted + bytes[last...]
    }

    // MARK: Values

    private mutating func document() throws(Fault) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        skipSpace()
        if at == bytes.count { throw Fault(sentence: "The body is empty. Send JSON.", path: "$") }
        try value()
        skipSpace()
        if at < bytes.count { throw unexpected("nothing may follow the end of the JSON") }
    }

    private mutating func value() throws(Fault) {
        switch byte ?? 0 {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "\""): _ = try text()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw unexpected("a value is needed")
        }
    }

    private mutating func object() throws(Fault) {
        try open(.name(at..<at))
        let first = names.count
        var many: Set<Int> = []
        defer { names.removeSubrange(first...) }
        if take(UInt8(ascii: "}")) { return close() }
        repeat {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw unexpected("a name in quotes is needed") }
            // A fault in the name is one of the object.
            steps[steps.count - 1] = .name(at..<at)
            let name = try text()
            steps[steps.count - 1] = .name(name)
            let hash = hash(of: name)
            if names.count - first == Self.few { many = Set(names[first...]) }
            let isNew =
                names.count - first < Self.few
                ? !names[first...].contains(hash) : many.insert(hash).inserted
            if !isNew {
                throw Fault(sentence: "“\(self.name(name).prefix(40))” is there twice. Send it once.", path: path)
            }
            names.append(hash)
            guard take(UInt8(ascii: ":")) else { throw unexpected("“:” is needed") }
            skipSpace()
            try value()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw unexpected("“,” or “}” is needed") }
        close()
    }

    private mutating func array() throws(Fault) {
        try open(.index(0))
        if take(UInt8(ascii: "]")) { return close() }
        var index = 0
        repeat {
            steps[steps.count - 1] = .index(index)
            index += 1
            skipSpace()
            try value()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw unexpected("“,” or “]” is needed") }
        close()
    }

    private mutating func open(_ step: Step) throws(Fault) {
        if steps.count == Self.depth {
            throw Fault(sentence: "Arrays and objects nest more than \(Self.depth) deep.", path: path)
        }
        steps.append(step)
        at += 1
    }

    private mutating func close() { steps.removeLast() }

    private mutating func word(_ word: StaticString) throws(Fault) {
        for index in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[index] else { throw unexpected("“\(word)” is needed") }
            at += 1
        }
    }

    private mutating func number() throws(Fault) {
        let start = at
        if byte == UInt8(ascii: "-") { at += 1 }
        if byte == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            at += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        guard numbers != nil else { return }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        // A `Double` would round a whole number just outside the range into the range.
        let hasFraction = text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        let fits = Int64(text) != nil || (hasFraction && Double(text).flatMap { Int64(exactly: $0) } != nil)
        if !fits { numbers?.append(start..<at) }
    }

    private mutating func digits() throws(Fault) {
        guard let first = byte, Self.digits.contains(first) else { throw unexpected("a digit is needed") }
        while let next = byte, Self.digits.contains(next) { at += 1 }
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    // MARK: Texts

    /// Reads a string, and returns the range of its content.
    private mutating func text() throws(Fault) -> Range<Int> {
        at += 1
        let start = at
        while true {
            // Most bytes of a body are plain characters of strings. A local variable makes this scan several times
            // faster.
            var place = at
            while place < bytes.count, bytes[place] >= 0x20, bytes[place] != 0x22, bytes[place] != 0x5C { place += 1 }
            at = place
            guard let next = byte else { break }
            switch next {
            case UInt8(ascii: "\""):
                if let excess, start..<at ~= excess { throw tooManyMarks }
                at += 1
                return start..<(at - 1)
            case UInt8(ascii: "\\"): try escape()
            default:
                throw unexpected("control characters in a text are written as escapes, such as \\n or \\u0007")
            }
        }
        throw unexpected("the text has no closing quote")
    }

    private mutating func escape() throws(Fault) {
        at += 1
        switch byte {
        case UInt8(ascii: "u"):
            at += 1
            let unit = try codeUnit()
            switch unit {
            case 0xD800..<0xDC00:
                guard byte == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u") else {
                    throw unexpected("the second half of a surrogate pair is needed")
                }
                at += 2
                guard 0xDC00..<0xE000 ~= (try codeUnit()) else {
                    throw unexpected("the escape before is half of a surrogate pair without the other")
                }
            case 0xDC00..<0xE000: throw unexpected("the escape before is half of a surrogate pair without the other")
            default: break
            }
        case let next? where #""\/bfnrt"#.utf8.contains(next): at += 1
        default: throw unexpected("an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX")
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        let end = min(at + 4, bytes.count)
        let digits = String(decoding: bytes[at..<end], as: UTF8.self)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
            throw unexpected("four hexadecimal digits are needed")
        }
        at = end
        return unit
    }

    // MARK: Bytes

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let next = byte, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { at += 1 }
    }

    private mutating func take(_ wanted: UInt8) -> Bool {
        skipSpace()
        guard byte == wanted else { return false }
        at += 1
        return true
    }

    private func unexpected(_ need: String) -> Fault {
        let place = byte == nil ? ": it ends after byte \(at)" : " at byte \(at + 1)"
        return Fault(sentence: "The body is not well-formed JSON\(place): \(need).", path: path)
    }

    private var tooManyMarks: Fault {
        Fault(sentence: "A text has \(StreamSafeText.excess). Send fewer marks.", path: path)
    }

    /// The path of the value that is being read.
    private var path: String {
        JSONBody.path(
            steps.compactMap { step in
                switch step {
                case .name(let range): range.isEmpty ? nil : .name(name(range))
                case .index(let index): .index(index)
                }
            })
    }

    private func name(_ range: Range<Int>) -> String {
        let isPlain = !bytes[range].contains(UInt8(ascii: "\\"))
        let plain = String(decoding: bytes[range], as: UTF8.self)
        return isPlain ? plain : (try? JSONDecoder().decode(String.self, from: Data("\"\(plain)\"".utf8))) ?? plain
    }

    /// The hash of a name as Swift compares texts: without regard to how characters are composed. A dictionary of the
    /// decoded names keeps only one of two names that are equal in this way.
    private func hash(of range: Range<Int>) -> Int {
        var hasher = Hasher()
        hasher.combine(name(range))
        return hasher.finalize()
    }
}
