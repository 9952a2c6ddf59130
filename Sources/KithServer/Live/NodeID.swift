import Foundation
import KithModel

/// One of the servers that share a database. Each start of a server has a new id.
package struct NodeID: Hashable, Sendable, Comparable {
    /// The id as text.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// A new id.
    ///
    /// - Parameter random: The source of random bytes.
    package init(random: RandomBytes) {
        text = random.bytes(9).base64URL
    }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
