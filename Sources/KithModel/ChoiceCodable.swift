/// A value that is one of a few words in JSON.
package protocol ChoiceCodable: RawRepresentable, CaseIterable, Codable where RawValue == String {}

extension ChoiceCodable {
    /// Reads the value from its word; any other word is corrupted data, and the error names those that there are.
    public init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(rawValue: word) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "“\(word.prefix(40))” is not one of \(Self.words)."))
        }
        self = value
    }

    /// The words, as a sentence lists them.
    package static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
