import Foundation
package import KithModel

/// The stored form of fields and stamps: JSON in canonical form.
///
/// It has its own decoder. A new device reads pages of up to 10,000 records, and `JSONDecoder` would take most of
/// that time.
package enum StoredText {
    /// The stored form of a record's fields.
    package static func text(_ fields: Fields) -> String { CanonicalForm.text(fields) }

    /// The stored form of a record's stamps. The common stamp has the empty name.
    package static func text(_ stamps: Stamps) -> String {
        var all = stamps.own.mapValues(value)
        all[""] = value(stamps.common)
        return CanonicalForm.text(all)
    }

    /// The fields in `text`.
    package static func fields(_ text: String) throws -> Fields {
        guard case .object(let fields) = try value(text) else { throw unreadable(text) }
        return fields
    }

    /// The name of a field that is stored as `bytes`, between quotes.
    static func name(_ bytes: [UInt8]) throws -> String {
        let text = "\"" + String(decoding: bytes, as: UTF8.self) + "\""
        guard case .text(let name) = try value(text) else { throw unreadable(text) }
        return name
    }

    /// The stamps in `text`.
    package static func stamps(_ text: String) throws -> Stamps {
        guard case .object(var all) = try value(text), let common = all.removeValue(forKey: "").flatMap(stamp) else {
            throw unreadable(text)
        }
        return Stamps(common: common, own: all.compactMapValues(stamp))
    }

    private static func value(_ stamp: Stamp) -> FieldValue {
        .array([.integer(stamp.time.milliseconds), .integer(stamp.sequence), .integer(stamp.device)])
    }

    private static func stamp(_ value: FieldValue) -> Stamp? {
        guard case .array(let parts) = value, parts.count == 3, let time = parts[0].integer,
            let sequence = parts[1].integer, let device = parts[2].integer
        else { return nil }
        return Stamp(time: Timestamp(milliseconds: time), sequence: sequence, device: device)
    }

    private static func value(_ text: String) throws -> FieldValue {
        var text = text
        let value = text.withUTF8 { bytes -> FieldValue? in
            var reader = CanonicalReader(bytes)
            guard let value = reader.value(), reader.isAtEnd else { return nil }
            return value
        }
        guard let value else { throw unreadable(text) }
        return value
    }

    static func unreadable(_ text: String) -> ServerError {
        ServerError(.internalError, "A stored record cannot be read: “\(text.prefix(80))”.")
    }
}

/// Decodes the output of `CanonicalForm`: JSON without spaces. For any other input, the result is nil.
private struct CanonicalReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { at == bytes.count }

    private mutating func take(_ byte: Character) -> Bool {
        guard at < bytes.count, bytes[at] == byte.asciiValue else { return false }
        at += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard at + count <= bytes.count, (0..<count).allSatisfy({ bytes[at + $0] == word.utf8Start[$0] }) else {
            return false
        }
        at += count
        return true
    }

    mutating func value() -> FieldValue? {
        guard at < bytes.count else { return nil }
        switch bytes[at] {
        case UInt8(ascii: "\""): return string().map(FieldValue.text)
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "t"): return take(word: "true") ? .flag(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .flag(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object() -> FieldValue? {
        guard take("{") else { return nil }
        var object: Fields = [:]
        if take("}") { return .object(object) }
        repeat {
            guard let name = string(), take(":"), let value = value() else { return nil }
            object[name] = value
        } while take(",")
        return take("}") ? .object(object) : nil
    }

    private mutating func array() -> FieldValue? {
        guard take("[") else { return nil }
        var array: [FieldValue] = []
        if take("]") { return .array(array) }
        repeat {
            guard let value = value() else { return nil }
            array.append(value)
        } while take(",")
        return take("]") ? .array(array) : nil
    }

    private mutating func number() -> FieldValue? {
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: ","), bytes[at] != UInt8(ascii: "}"),
            bytes[at] != UInt8(ascii: "]")
        {
            at += 1
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        return Int64(text).map(FieldValue.integer) ?? Double(text).map(FieldValue.number)
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\") { at += 1 }
        guard at < bytes.count else { return nil }
        if bytes[at] == UInt8(ascii: "\"") {
            defer { at += 1 }
            return String(decoding: bytes[start..<at], as: UTF8.self)
        }
        return escapedString(after: Array(bytes[start..<at]))
    }

    private mutating func escapedString(after beginning: [UInt8]) -> String? {
        var text = beginning
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard at < bytes.count else { return nil }
            let escape = bytes[at]
            at += 1
            switch escape {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "u"):
                // The canonical form escapes only control characters in this way.
                guard at + 4 <= bytes.count,
                    let code = UInt8(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16)
                else { return nil }
                text.append(code)
                at += 4
            default: text.append(escape)
            }
        }
        return nil
    }
}
