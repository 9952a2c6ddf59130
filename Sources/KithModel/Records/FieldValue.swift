/// The value of one field: what JSON can hold.
///
/// The fields that this version knows are texts, flags and integers. The other
/// cases carry the fields of newer versions unharmed.
public enum FieldValue: Hashable, Sendable {
    /// Nothing: an edit that sets a field to it removes the field.
    case null
    /// Yes or no.
    case flag(Bool)
    /// A whole number.
    case integer(Int64)
    /// A text, kept to the byte.
    case text(String)
    /// A number that is not whole, or too large for an integer.
    case number(Double)
    /// Several values in order.
    case array([FieldValue])
    /// Several values by name.
    case object([String: FieldValue])

    /// The text; nil for any other value.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The integer; nil for any other value.
    public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    /// The flag; nil for any other value.
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
}

/// The fields of a record by name.
public typealias Fields = [String: FieldValue]

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// A text, from its literal.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A flag, from its literal.
    public init(booleanLiteral value: Bool) { self = .flag(value) }

    /// An integer, from its literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension FieldValue {
    /// How deep arrays and objects nest: 0 for any other value.
    var depth: Int {
        switch self {
        case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
        case .object(let values): 1 + (values.values.lazy.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

extension FieldValue: Equatable {
    /// Whether two values are the same to the byte of their canonical form.
    ///
    /// Swift takes two spellings of “é” for one text. Databases and the other
    /// side tell them apart, so values do too.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.flag(let left), .flag(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.number(let left), .number(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in
                    right.index(forKey: key).map {
                        right[$0].key.utf8.elementsEqual(key.utf8) && right[$0].value == value
                    } ?? false
                }
        default: false
        }
    }
}

extension FieldValue: Codable {
    /// The steps from a message to a field's value: `feeds[0].page.columns[0].fields.title[0]`.
    private static let deepestMessage = 8

    /// The name of any field.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads any value; a whole number becomes an integer, however it is written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            // A whole number has one form only.
            self = Int64(exactly: number).map(FieldValue.integer) ?? .number(number)
        } else if decoder.codingPath.count > Self.deepestMessage + Limits.nesting {
            // Each step of the path makes each value below it slower to read:
            // without an end to it, a small request would hold the server up.
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "Arrays and objects nest more than \(Limits.nesting) deep.")
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([FieldValue].self))
        } else if (try? decoder.container(keyedBy: Name.self)) != nil {
            self = .object(try container.decode([String: FieldValue].self))
        } else {
            // It can only be a number.
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The number is too large.")
        }
    }

    /// Writes the value as plain JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }
}
