/// A value that is encoded in JSON as one of a fixed set of words.
package protocol ChoiceCodable: RawRepresentable, CaseIterable, Codable where RawValue == String {}

extension ChoiceCodable {
    /// Reads the value from its word. Any other word is corrupted data, and the error lists the valid ones.
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

    /// The valid words, separated by commas.
    package static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
