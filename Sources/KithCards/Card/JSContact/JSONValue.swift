import Foundation

/// Any value in JSON (RFC 8259), for the JSContact fields that the model lacks.
public enum JSONValue: Hashable, Sendable {
    /// The value `null`.
    case null
    /// The value `true` or `false`.
    case flag(Bool)
    /// A whole number.
    case integer(Int64)
    /// A text, preserved byte for byte.
    case text(String)
    /// A number that is not whole, or too large for an integer.
    case number(Double)
    /// Several values in order.
    case array([JSONValue])
    /// Several values by name.
    case object([String: JSONValue])

    /// The text; nil for any other value.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The integer; nil for any other value.
    public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    /// The flag; nil for any other value.
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    /// The values by name; nil for any other value.
    var object: [String: JSONValue]? { if case .object(let object) = self { object } else { nil } }

    /// The value as compact JSON with sorted names, so that equal values give equal texts.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // JSON has no form for infinities and NaN, so no value that was read contains them.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// A text, from its literal.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A flag, from its literal.
    public init(booleanLiteral value: Bool) { self = .flag(value) }

    /// An integer, from its literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: Equatable {
    /// Whether two values are the same. Texts are compared by their bytes, because Swift's `==` treats two spellings of
    /// “é” as equal.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.flag(let left), .flag(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.number(let left), .number(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: Codable {
    /// The maximum nesting depth of arrays and objects. Each level slows down the reading of every value below it.
    public static let nesting = 16

    /// Reads any value; a whole number becomes an integer, however it is written.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if it nests more than ``nesting`` deep, or has a number too large for
    ///   a `Double`.
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
            self = Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
        } else if decoder.codingPath.count > Self.nesting {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "Arrays and objects nest more than \(Self.nesting) deep.")
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: Name.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else {
            // Only a number remains.
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

    /// A key with which a decoder is asked whether a value is an object. Its name does not matter.
    private enum Name: CodingKey { case any }
}
