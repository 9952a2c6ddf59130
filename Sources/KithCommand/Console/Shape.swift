import Foundation
import KithModel

/// An object that `--json` prints: encodable values by their keys. Every key is printed; nil becomes null.
package struct Shape: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private var members: [String: any Encodable & Sendable]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Creates an object with these members.
    package init(dictionaryLiteral members: (String, any Encodable & Sendable)...) {
        self.members = Dictionary(uniqueKeysWithValues: members)
    }

    /// Creates an object with these members.
    init(_ members: [String: any Encodable & Sendable]) { self.members = members }

    /// An object with the members of both. Where both have a key, the right one wins.
    static func + (left: Shape, right: Shape) -> Shape {
        var shape = left
        shape.members.merge(right.members) { $1 }
        return shape
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (key, value) in members { try container.encode(value, forKey: Name(stringValue: key)) }
    }

    /// The object on one line, with sorted keys and dates such as `2026-03-01T12:00:00.000Z`: equal objects are equal
    /// bytes.
    package func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp(date).internetTime)
        }
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
