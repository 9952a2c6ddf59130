/// The value of one field: what JSON can hold.
///
/// The fields that this version knows are texts, flags and integers. The other
/// cases carry the fields of newer versions unharmed.
public enum FieldValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case text(String)
    case number(Double)
    case array([FieldValue])
    case object([String: FieldValue])

    public var text: String? { if case .text(let text) = self { text } else { nil } }
    public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
}

/// The fields of a record by name.
public typealias Fields = [String: FieldValue]

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .text(value) }
    public init(booleanLiteral value: Bool) { self = .flag(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension FieldValue: Codable {
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
            self = .number(number)
        } else if let array = try? container.decode([FieldValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: FieldValue].self))
        }
    }

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
