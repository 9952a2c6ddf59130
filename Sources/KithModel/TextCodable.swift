/// A value that is encoded in JSON as a text. The text is its description, from which it can be created again.
package protocol TextCodable: Codable, CustomStringConvertible {
    /// Creates the value from its text; nil if the text is not valid.
    init?(_ text: String)

    /// The error message for a text that is not valid: `is not a UUID`.
    static var refusal: String { get }
}

extension TextCodable {
    /// Reads the value from its text. Any other text is corrupted data.
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
