import Foundation
import KithModel

/// The head of a signed token (RFC 7515, section 4), checked before anything else of the token is read.
package struct TokenHeader: Hashable, Sendable {
    /// The bytes of a token at most.
    package static let size = 16 << 10

    package let algorithm: String
    /// The id of the key; nil if the token does not say it.
    package let key: String?

    private struct Fields: Decodable {
        var alg: String
        var kid: String?
        var typ: String?
        var crit: [String]?
    }

    /// Reads the head of a token in compact form. Keys and addresses of keys in it are ignored.
    ///
    /// - Throws: ``IssuerFault`` if the token is too large or not in compact form, if its algorithm is not permitted, or
    ///   if it demands an extension.
    package init(of token: String) throws(IssuerFault) {
        guard token.utf8.count <= Self.size else { throw IssuerFault("its token is larger than \(Self.size) bytes") }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard Self.isCompact(token), let head = parts.first.flatMap({ Data(base64URL: String($0)) }) else {
            throw IssuerFault("its token is not signed, or not in compact form")
        }
        let fields: Fields
        do throws(ServerError) { fields = try JSONBody.decode(Fields.self, from: head) } catch {
            throw IssuerFault("the head of its token is malformed: \(error.sentence)")
        }
        guard SigningKey.permits(fields.alg) else {
            throw IssuerFault("its token is signed with an algorithm that is not permitted")
        }
        guard fields.crit == nil else { throw IssuerFault("its token demands an extension") }
        guard (fields.typ ?? "JWT").uppercased() == "JWT" else { throw IssuerFault("its token is no id token") }
        (algorithm, key) = (fields.alg, fields.kid)
    }

    /// Whether a token has three parts that are Base64url, each in its only spelling. libcjose must get no other: on some
    /// it ends the process with an assertion.
    static func isCompact(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { !$0.isEmpty && Data(base64URL: String($0)) != nil }
    }
}
