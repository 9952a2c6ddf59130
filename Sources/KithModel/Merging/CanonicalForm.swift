/// A unique notation for values: equal values have equal bytes.
///
/// It is JSON without spaces, with keys sorted by their UTF-8 bytes, integers in decimal, and escapes only for `"`, `\`
/// and control characters. For the values that Kith uses this is the form of RFC 8785. Null fields of a record must be
/// removed first.
package enum CanonicalForm {
    /// The canonical form of one value.
    package static func text(_ value: FieldValue) -> String {
        var text = ""
        write(value, to: &text)
        return text
    }

    /// Appends the canonical form of one value to a text.
    package static func append(_ value: FieldValue, to text: inout String) { write(value, to: &text) }

    /// The canonical form of a record's fields. Null fields are not removed.
    package static func text(_ fields: Fields) -> String {
        text(.object(fields))
    }

    /// One live record as a line, for comparisons between replicas and server.
    package static func line(
        collection: RecordCollection, id: RecordID<Never>, sequence: Int64, modified: Timestamp, fields: Fields
    ) -> String {
        text(
            .object([
                "collection": .text(collection.rawValue), "id": .text(id.description), "sequence": .integer(sequence),
                "modified": .integer(modified.milliseconds), "fields": .object(fields.filter { $0.value != .null }),
            ]))
    }

    private static func write(_ value: FieldValue, to text: inout String) {
        switch value {
        case .null: text += "null"
        case .flag(let flag): text += flag ? "true" : "false"
        case .integer(let integer): text += String(integer)
        case .number(let number):
            text += Int64(exactly: number).map(String.init) ?? "\(number)"
        case .text(let string): write(string, to: &text)
        case .array(let array):
            text += "["
            for (index, element) in array.enumerated() {
                if index > 0 { text += "," }
                write(element, to: &text)
            }
            text += "]"
        case .object(let object):
            text += "{"
            for (index, key) in object.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }).enumerated() {
                if index > 0 { text += "," }
                write(key, to: &text)
                text += ":"
                write(object[key] ?? .null, to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        // Few texts need escapes. The others are appended whole.
        guard string.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            text += string
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
