import CJOSE
package import Foundation

/// Verifies the signatures of tokens with libcjose (RFC 7515).
package enum TokenSignature {
    /// The signed content of a token.
    ///
    /// - Parameters:
    ///   - token: The token in compact form.
    ///   - key: A key that fits the token's head.
    /// - Returns: The content; nil if the signature is not the key's, or the token is not in compact form.
    package static func content(of token: String, signedBy key: SigningKey) -> Data? {
        guard TokenHeader.isCompact(token) else { return nil }
        var error = cjose_err()
        guard let jwk = cjose_jwk_import(key.json, key.json.utf8.count, &error) else { return nil }
        defer { cjose_jwk_release(jwk) }
        guard let jws = cjose_jws_import(token, token.utf8.count, &error) else { return nil }
        defer { cjose_jws_release(jws) }
        var content: UnsafeMutablePointer<UInt8>?
        var count = 0
        // The content belongs to the token.
        guard cjose_jws_verify(jws, jwk, &error), cjose_jws_get_plaintext(jws, &content, &count, &error), let content
        else { return nil }
        return Data(bytes: content, count: count)
    }
}
