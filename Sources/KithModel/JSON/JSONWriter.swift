import Foundation

/// Writes JSON without spaces, several times as fast as `JSONEncoder`. Fields are written in their canonical form (``CanonicalForm``).
package struct JSONWriter {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    /// A writer with room for a request or an answer of one edit. Growing to that would copy the bytes several times.
    package init() { bytes.reserveCapacity(512) }

    /// Writes an object. `members` writes its members, each with ``member(_:_:)``.
    package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        bytes.append(UInt8(ascii: "{"))
        try members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes a member of an object.
    ///
    /// - Parameters:
    ///   - name: A name without characters that need an escape.
    ///   - value: Writes the value.
    package mutating func member(_ name: StaticString, _ value: (inout JSONWriter) throws -> Void) rethrows {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        try value(&self)
        bytes.append(UInt8(ascii: ","))
    }

    /// Writes a member whose name is any text.
    package mutating func member(named name: String, _ value: (inout JSONWriter) throws -> Void) rethrows {
        text(name)
        bytes.append(UInt8(ascii: ":"))
        try value(&self)
        bytes.append(UInt8(ascii: ","))
    }

    /// Writes an array.
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            try write(&self, element)
            bytes.append(UInt8(ascii: ","))
        }
        close(UInt8(ascii: "]"))
    }

    /// Writes values that are JSON already as an array.
    package mutating func array(of values: JSONValues) {
        bytes.append(UInt8(ascii: "["))
        bytes.append(contentsOf: values.bytes)
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a value again that is already in these bytes.
    package mutating func repeatBytes(in range: Range<Int>) {
        bytes.append(contentsOf: Array(bytes[range]))
    }

    /// Writes the end of an object or array over the comma after its last part.
    private mutating func close(_ end: UInt8) {
        if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
        bytes.append(end)
    }

    // MARK: Values

    package mutating func null() { bytes.append(contentsOf: "null".utf8) }

    package mutating func flag(_ flag: Bool) { bytes.append(contentsOf: flag ? "true".utf8 : "false".utf8) }

    package mutating func integer(_ integer: Int64) {
        // A sign, and the nineteen digits of the largest magnitude.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (integer.magnitude, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if integer < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes a text with the escapes that JSON needs (RFC 8259, section 7).
    package mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            while true {
                let end = utf8.plainText(from: start).end
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<end]))
                if end == utf8.count { break }
                escape(utf8[end])
                start = end + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x22, 0x5C: bytes.append(byte)
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 0xF)])
        }
    }

    /// Writes the text of an id.
    package mutating func id<Record>(_ id: RecordID<Record>) {
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUID.length) { text in
            id.uuid.write(to: text)
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes the value of a field.
    package mutating func value(_ value: FieldValue) {
        switch value {
        case .null: null()
        case .flag(let flag): self.flag(flag)
        case .integer(let integer): self.integer(integer)
        case .number(let number):
            bytes.append(contentsOf: (Int64(exactly: number).map(String.init) ?? "\(number)").utf8)
        case .text(let text): self.text(text)
        case .array(let values): array(values) { $0.value($1) }
        case .object(let fields): self.fields(fields)
        }
    }

    /// Writes fields as an object, in the order of the UTF-8 bytes of their names.
    package mutating func fields(_ fields: Fields) {
        let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        object { json in
            for (name, value) in sorted { json.member(named: name) { $0.value(value) } }
        }
    }
}
