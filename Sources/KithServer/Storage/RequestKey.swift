import Foundation
import KithModel

/// The key of a request that makes something: the header `Idempotency-Key`. The client chooses it at random, and uses
/// it again if the answer was lost and it sends the request again.
///
/// The secrets of what the request makes follow from the key. So a repeated request finds by their hashes what the
/// first one has made, in the transaction that would make it otherwise. Nothing else is stored.
package struct RequestKey: Hashable, Sendable {
    /// The permitted numbers of characters. 22 characters of Base64url have room for 128 random bits; a UUID has 36.
    static let lengths = 22...64

    /// How long a request can be repeated. The key is sent in a header, which others may keep, and what it has made can
    /// be used for years. So it must not open that for ever.
    static let lifetime = Duration.seconds(86_400)

    private let text: String

    /// Reads a key; nil if there are other characters than letters, digits, `-` and `_`, or too few or too many.
    package init?(_ text: String) {
        let isText = text.utf8.allSatisfy {
            $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isText, Self.lengths.contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// Checks that a repeated request may still see what it has made.
    ///
    /// - Throws: ``ServerError`` with the code `conflict` if it was made too long ago.
    static func checkAge(of created: Timestamp, at now: Timestamp) throws(ServerError) {
        guard now < created + lifetime else {
            throw ServerError(
                .conflict,
                "This request was carried out too long ago to be repeated. Send a new Idempotency-Key.")
        }
    }

    /// The source of the secrets that a request makes. A repeated request gets the same bytes in the same order.
    ///
    /// A key of the database derives them from the key of the request, which the database does not have. So neither the
    /// client nor a thief of the database can compute them alone.
    ///
    /// - Parameters:
    ///   - request: The operation, the account and the content. With other ones, the key belongs to another request.
    ///   - random: The source of the key of the database.
    ///   - transaction: The transaction of the request.
    /// - Returns: The source.
    /// - Throws: ``ServerError`` if the database fails.
    func secrets(
        of request: [String], random: RandomBytes, in transaction: any Transaction
    ) throws -> RandomBytes {
        let key = try Meta.findOrCreateKey("requestKey", random, in: transaction)
        let source = (request + [text]).joined(separator: "\0")
        return RandomBytes(key: key) { "\($0)\0\(source)" }
    }
}
