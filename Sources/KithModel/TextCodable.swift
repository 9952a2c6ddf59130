/// A value that is one text in JSON: the one that describes it, and from which it can be made.
package protocol TextCodable: Codable, CustomStringConvertible {
    /// The value that `text` is; nil if it is none.
    init?(_ text: String)

    /// What is to be said of a text that is none: `is not a UUID`.
    static var refusal: String { get }
}

extension TextCodable {
    /// Reads the value from its text; anything else is corrupted data.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "“\(text.prefix(40))” \(Self.refusal)."))
        }
        self = value
    }

    /// Writes the value as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
