/// The value of one field: any JSON value.
///
/// The fields that this version knows are texts, flags and integers. The other cases preserve the fields of newer
/// versions.
public enum FieldValue: Hashable, Sendable {
    /// No value. An edit that sets a field to null removes it.
    case null
    /// True or false.
    case flag(Bool)
    /// A whole number.
    case integer(Int64)
    /// A text, with exactly the bytes that were written.
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
    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self = .text(value) }

    /// Creates a flag from a literal.
    public init(booleanLiteral value: Bool) { self = .flag(value) }

    /// Creates an integer from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension FieldValue {
    /// A text, or null if it is nil.
    package static func text(_ text: String?) -> FieldValue { text.map { .text($0) } ?? .null }

    /// The text; nil if it is empty, or for any other value.
    package var filled: String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    /// The integer as a time; nil for any other value.
    package var time: Timestamp? { integer.map { Timestamp(milliseconds: $0) } }

    /// The nesting depth of arrays and objects: 0 for any other value.
    var depth: Int {
        switch self {
        case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
        case .object(let values): 1 + (values.values.lazy.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

extension FieldValue: Equatable {
    /// Whether two values have the same bytes in canonical form.
    ///
    /// Swift treats the composed and the decomposed spelling of “é” as equal texts. Databases do not, so values do not
    /// either.
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
    /// The number of steps from a message's root to a field's value: `feeds[0].page.columns[0].fields.title[0]`.
    private static let deepestMessage = 8

    /// A key with which a decoder is asked whether a value is an object. Its name does not matter.
    private enum Name: CodingKey { case any }

    /// Reads any value. A whole number becomes an integer, even in a notation such as `2.0`.
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
            // A whole number is always an integer, so that equal numbers are equal values.
            self = Int64(exactly: number).map(FieldValue.integer) ?? .number(number)
        } else if decoder.codingPath.count > Self.deepestMessage + Limits.nesting {
            // Each step of the path slows down the decoding of every value below it. Without a limit, a small request
            // could block the server.
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Arrays and objects nest too deep: a field has at most \(Limits.nesting) levels.")
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([FieldValue].self))
        } else if (try? decoder.container(keyedBy: Name.self)) != nil {
            self = .object(try container.decode([String: FieldValue].self))
        } else {
            // The value can only be a number.
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
