package import Foundation

/// Reads JSON in the notation that Kith writes, several times as fast as `JSONDecoder`.
///
/// It refuses some valid JSON: numbers that are not whole or have more than 18 digits, repeated names in an object, escaped
/// surrogates, ids with escapes, names of members with escapes unless any name is permitted, deep nesting. A caller then uses
/// `JSONDecoder`, which reads the rest or says what is wrong. Therefore it never matters which of the two has read a value.
package struct JSONReader {
    /// The bytes are no JSON, or JSON that only `JSONDecoder` reads.
    package struct Unreadable: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private let skipsUnknown: Bool
    private var place = 0
    private var depth = 0

    /// The deepest nesting that is read. A message needs 8 levels around a field.
    private static let deepest = 16

    private init(_ bytes: UnsafeBufferPointer<UInt8>, skipsUnknown: Bool) {
        self.bytes = bytes
        self.skipsUnknown = skipsUnknown
    }

    /// Reads one value that takes up all of the bytes; nil if it is refused. Members that the type does not know are
    /// refused too, unless `skipsUnknown`.
    package static func read<Value>(
        _ bytes: UnsafeRawBufferPointer, skipsUnknown: Bool = true, _ body: (inout JSONReader) throws -> Value
    ) -> Value? {
        var reader = JSONReader(bytes.assumingMemoryBound(to: UInt8.self), skipsUnknown: skipsUnknown)
        guard let value = try? body(&reader) else { return nil }
        reader.skipSpace()
        return reader.place == reader.bytes.count ? value : nil
    }

    /// Reads one value that takes up all of the data; nil if it is refused.
    package static func read<Value>(
        _ data: Data, skipsUnknown: Bool = true, _ body: (inout JSONReader) throws -> Value
    ) -> Value? {
        data.withUnsafeBytes { read($0, skipsUnknown: skipsUnknown, body) }
    }

    // MARK: Containers

    /// The name of a member of an object. Its bytes are compared with constants: making a text of them would take longer.
    ///
    /// They are the bytes that are read, so it must not be kept beyond the function that gets it.
    package struct Name {
        fileprivate let bytes: UnsafeBufferPointer<UInt8>

        /// Whether the bytes are those of `constant`.
        package static func ~= (constant: StaticString, name: Name) -> Bool {
            guard name.bytes.count == constant.utf8CodeUnitCount else { return false }
            for (place, byte) in name.bytes.enumerated() where byte != constant.utf8Start[place] { return false }
            return true
        }
    }

    /// Reads an object. `member` gets each name, which has no escapes, and must read its value. Names can be repeated.
    package mutating func object(_ member: (inout JSONReader, Name) throws -> Void) throws {
        try object(named: { try $0.name() }, member)
    }

    private mutating func object<Key>(
        named key: (inout JSONReader) throws -> Key, _ member: (inout JSONReader, Key) throws -> Void
    ) throws {
        try open(UInt8(ascii: "{"))
        if take(UInt8(ascii: "}")) { return depth -= 1 }
        repeat {
            let name = try key(&self)
            try expect(UInt8(ascii: ":"))
            try member(&self, name)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        depth -= 1
    }

    /// Reads an array. `element` must read one element.
    package mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try open(UInt8(ascii: "["))
        if take(UInt8(ascii: "]")) { return depth -= 1 }
        repeat { try element(&self) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        depth -= 1
    }

    /// Reads an array into a Swift array.
    package mutating func all<Value>(_ element: (inout JSONReader) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try array { values.append(try element(&$0)) }
        return values
    }

    /// Reads an object into a dictionary. Repeated names are refused.
    mutating func members<Value>(_ value: (inout JSONReader) throws -> Value) throws -> [String: Value] {
        var members: [String: Value] = [:]
        try object(named: { try $0.text() }) { reader, name in
            guard members.updateValue(try value(&reader), forKey: name) == nil else { throw Unreadable() }
        }
        return members
    }

    /// Reads a member of an object that may occur only once. For null, `value` stays nil.
    package mutating func once<Value>(
        _ value: inout Value?, _ read: (inout JSONReader) throws -> Value
    ) throws {
        guard value == nil else { throw Unreadable() }
        if takeNull() { return }
        value = try read(&self)
    }

    // MARK: Values

    /// The kinds of values that can come next.
    package enum NextValue { case null, flag, number, text, other }

    /// The kind of the next value, by its first byte.
    package var next: NextValue {
        mutating get {
            skipSpace()
            guard place < bytes.count else { return .other }
            switch bytes[place] {
            case UInt8(ascii: "\""): return .text
            case UInt8(ascii: "n"): return .null
            case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
            default: return .other
            }
        }
    }

    /// Reads any value.
    package mutating func value() throws -> FieldValue {
        switch next {
        case .text: return .text(try text())
        case .number: return .integer(try integer())
        case .flag: return .flag(try flag())
        case .null where takeNull(): return .null
        case .other where place < bytes.count && bytes[place] == UInt8(ascii: "["):
            return .array(try all { try $0.value() })
        case .other: return .object(try fields())
        case .null: throw Unreadable()
        }
    }

    /// Reads the fields of a record.
    package mutating func fields() throws -> Fields { try members { try $0.value() } }

    /// Reads whole numbers by name.
    package mutating func integers() throws -> [String: Int64] { try members { try $0.integer() } }

    /// Reads a whole number of at most 18 digits.
    package mutating func integer() throws -> Int64 {
        skipSpace()
        let isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let start = place
        var number: Int64 = 0
        while place < bytes.count, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10, place - start < 19 {
            number = number &* 10 &+ Int64(digit)
            place += 1
        }
        let isShort = (1...18).contains(place - start)
        guard isShort, number == 0 ? place - start == 1 && !isNegative : bytes[start] != UInt8(ascii: "0") else {
            throw Unreadable()
        }
        guard place < bytes.count else { return isNegative ? -number : number }
        switch bytes[place] {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): throw Unreadable()
        default: return isNegative ? -number : number
        }
    }

    /// Reads true or false.
    package mutating func flag() throws -> Bool {
        if take("true") { return true }
        guard take("false") else { throw Unreadable() }
        return false
    }

    /// Reads null, if it comes next.
    package mutating func takeNull() -> Bool { take("null") }

    /// Reads past the value of a member that the type does not know.
    package mutating func skip() throws {
        guard skipsUnknown else { throw Unreadable() }
        _ = try value()
    }

    /// Reads a text.
    package mutating func text() throws -> String {
        try expect(UInt8(ascii: "\""))
        let start = place
        let isASCII = skipPlain()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return try escapedText(from: start) }
        let utf8 = UnsafeBufferPointer(rebasing: bytes[start..<place])
        place += 1
        // `String(validating:)` takes several times as long.
        if isASCII { return String(decoding: utf8, as: UTF8.self) }
        return try String(validating: utf8, as: UTF8.self).orRefuse()
    }

    /// Reads a text, and appends it to `target` in UTF-8.
    mutating func text(into target: inout [UInt8]) throws {
        try expect(UInt8(ascii: "\""))
        let start = place
        guard let utf8 = try plainText() else {
            return target.append(contentsOf: try escapedText(from: start).utf8)
        }
        target.append(contentsOf: utf8)
    }

    /// Reads the name of a member.
    private mutating func name() throws -> Name {
        try expect(UInt8(ascii: "\""))
        return Name(bytes: try plainText().orRefuse())
    }

    /// Reads the rest of a text in UTF-8, with its quote; nil if an escape comes next.
    private mutating func plainText() throws -> UnsafeBufferPointer<UInt8>? {
        let start = place
        let isASCII = skipPlain()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
        let utf8 = UnsafeBufferPointer(rebasing: bytes[start..<place])
        guard isASCII || String(validating: utf8, as: UTF8.self) != nil else { throw Unreadable() }
        place += 1
        return utf8
    }

    /// Moves to the next quote, backslash or control character, or to the end.
    ///
    /// - Returns: Whether the bytes before it are ASCII. It can be false although they are.
    private mutating func skipPlain() -> Bool {
        let (end, isASCII) = bytes.plainText(from: place)
        place = end
        return isASCII
    }

    /// Reads the rest of a text in which the first escape comes next. Without an escape, it is refused.
    private mutating func escapedText(from start: Int) throws -> String {
        var text = Array(bytes[start..<place])
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else { throw Unreadable() }
                return text
            case UInt8(ascii: "\\"): text.append(contentsOf: try escaped().utf8)
            case ..<0x20: throw Unreadable()
            default: text.append(byte)
            }
        }
        throw Unreadable()
    }

    /// The character after a backslash.
    private mutating func escaped() throws -> String {
        guard place < bytes.count else { throw Unreadable() }
        defer { place += 1 }
        switch bytes[place] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"):
            guard place + 4 < bytes.count else { throw Unreadable() }
            var code: UInt32 = 0
            for digit in bytes[place + 1...place + 4] {
                guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { throw Unreadable() }
                code = code << 4 | UInt32(value)
            }
            place += 4
            // Half of a surrogate pair is no scalar.
            guard let scalar = Unicode.Scalar(code) else { throw Unreadable() }
            return String(scalar)
        default: throw Unreadable()
        }
    }

    /// Reads an identity. One that is written with escapes is refused.
    package mutating func id<Record>() throws -> RecordID<Record> {
        try expect(UInt8(ascii: "\""))
        let end = place + UUID.length
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { throw Unreadable() }
        let uuid = try UUID(utf8: UnsafeBufferPointer(rebasing: bytes[place..<end])).orRefuse()
        place = end + 1
        return RecordID(uuid)
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x20, 0x0A, 0x0D, 0x09: place += 1
            default: return
            }
        }
    }

    private mutating func open(_ bracket: UInt8) throws {
        try expect(bracket)
        depth += 1
        guard depth <= Self.deepest else { throw Unreadable() }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard take(byte) else { throw Unreadable() }
    }

    private mutating func take(_ word: StaticString) -> Bool {
        skipSpace()
        guard bytes.count - place >= word.utf8CodeUnitCount else { return false }
        for offset in 0..<word.utf8CodeUnitCount where bytes[place + offset] != word.utf8Start[offset] { return false }
        place += word.utf8CodeUnitCount
        return true
    }
}

extension Optional {
    /// The value.
    ///
    /// - Throws: ``JSONReader/Unreadable`` if there is none.
    package func orRefuse() throws -> Wrapped {
        guard let self else { throw JSONReader.Unreadable() }
        return self
    }
}
