import Foundation
import KithModel

/// One of the servers that share a database. Each start of a server has a new id.
package struct NodeID: Hashable, Sendable, Comparable, Codable {
    /// The id as text.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// A new id.
    ///
    /// - Parameter random: Returns random bytes, at least nine.
    package init(random: () -> [UInt8]) {
        text = Data(random().prefix(9)).base64URL
    }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
