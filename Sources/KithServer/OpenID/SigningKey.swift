package import Foundation
import KithModel

/// A public key with which an issuer signs tokens (RFC 7517).
package struct SigningKey: Hashable, Sendable {
    /// The largest number of keys of an issuer that are read.
    package static let most = 100

    /// The type of a key, with the curve of an elliptic curve key.
    package enum Kind: Hashable, Sendable {
        case rsa
        case curve(String)
    }

    package let id: String?
    /// The only algorithm that the key is for; nil for any of its type.
    let algorithm: String?
    package let kind: Kind
    /// The key as JSON, with the public members alone.
    let json: String

    private struct Entry: Decodable {
        var kty: String?
        var kid: String?
        var use: String?
        var alg: String?
        var n: String?
        var e: String?
        var crv: String?
        var x: String?
        var y: String?
    }

    private struct Document: Decodable { var keys: [Entry] }

    /// The keys of an issuer's document, without those that cannot verify a token: symmetric keys, keys for encryption,
    /// RSA keys of fewer than 2,048 or more than 8,192 bits, and unknown curves.
    ///
    /// - Throws: ``IssuerFault`` if the document is not a set of keys.
    package static func all(_ data: Data) throws(IssuerFault) -> [SigningKey] {
        do throws(ServerError) {
            return try JSONBody.decode(Document.self, from: data).keys.prefix(most).compactMap { SigningKey($0) }
        } catch {
            throw IssuerFault("its keys are malformed: \(error.sentence)")
        }
    }

    private init?(_ entry: Entry) {
        guard entry.use == nil || entry.use == "sig", (entry.kid?.utf8.count ?? 0) <= 256 else { return nil }
        func number(_ text: String?, _ bytes: ClosedRange<Int>) -> String? {
            guard let text, let data = Data(base64URL: text), bytes.contains(data.count) else { return nil }
            return data.base64URL
        }
        switch entry.kty {
        case "RSA":
            // A large exponent would cost time.
            guard let n = number(entry.n, 256...1_024), let e = number(entry.e, 1...4) else { return nil }
            kind = .rsa
            json = #"{"kty":"RSA","n":"\#(n)","e":"\#(e)"}"#
        case "EC":
            let sizes = ["P-256": 32, "P-384": 48, "P-521": 66]
            guard let curve = entry.crv, let size = sizes[curve], let x = number(entry.x, size...size),
                let y = number(entry.y, size...size)
            else { return nil }
            kind = .curve(curve)
            json = #"{"kty":"EC","crv":"\#(curve)","x":"\#(x)","y":"\#(y)"}"#
        default: return nil
        }
        (id, algorithm) = (entry.kid, entry.alg)
    }

    /// The type of key of each permitted algorithm (RFC 7518, section 3.1). `none` and the symmetric algorithms are not
    /// among them: with those, anybody could sign with the public key.
    private static let kinds: [String: Kind] = [
        "RS256": .rsa, "RS384": .rsa, "RS512": .rsa, "PS256": .rsa, "PS384": .rsa, "PS512": .rsa,
        "ES256": .curve("P-256"), "ES384": .curve("P-384"), "ES512": .curve("P-521"),
    ]

    /// Whether tokens may be signed with this algorithm.
    static func permits(_ algorithm: String) -> Bool { kinds[algorithm] != nil }

    /// Whether the key can have signed a token with this header.
    func fits(_ header: TokenHeader) -> Bool {
        kind == Self.kinds[header.algorithm] && (algorithm == nil || algorithm == header.algorithm)
            && (header.key == nil || header.key == id)
    }
}
