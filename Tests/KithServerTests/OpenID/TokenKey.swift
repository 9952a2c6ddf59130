import CJOSE
import Foundation

/// A key of a test's issuer, with its private part.
final class TokenKey: Sendable {
    // Safe: libcjose only reads the key after it was made.
    nonisolated(unsafe) private let key: OpaquePointer
    let id: String

    /// A key for RS256 and its relatives. Tests share it, because making one takes time.
    static let rsa = TokenKey("rsa", cjose_jwk_create_RSA_random(2_048, [1, 0, 1], 3, nil))
    /// A second one.
    static let otherRSA = TokenKey("other", cjose_jwk_create_RSA_random(2_048, [1, 0, 1], 3, nil))
    /// A key for ES256.
    static let curve = TokenKey("curve", cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, nil))

    /// A symmetric key of these bytes.
    static func symmetric(_ bytes: [UInt8]) -> TokenKey {
        TokenKey("rsa", cjose_jwk_create_oct_spec(bytes, bytes.count, nil))
    }

    private init(_ id: String, _ key: OpaquePointer?) {
        guard let key else { fatalError("libcjose made no key.") }
        cjose_jwk_set_kid(key, id, id.utf8.count, nil)
        (self.id, self.key) = (id, key)
    }

    deinit { cjose_jwk_release(key) }

    /// The public part, as JSON.
    var json: String {
        guard let text = cjose_jwk_to_json(key, false, nil) else { return "{}" }
        defer { free(text) }
        return String(cString: text)
    }

    /// The public part with another id, or without one.
    func json(named id: String?) -> String {
        var members = (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String: Any] ?? [:]
        members["kid"] = id
        let data = try? JSONSerialization.data(withJSONObject: members)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// A token in compact form with this head and this content.
    func sign(_ head: [String: String], _ content: String) -> String {
        guard let header = cjose_header_new(nil) else { return "" }
        defer { cjose_header_release(header) }
        for (name, value) in head { cjose_header_set(header, name, value, nil) }
        guard let token = cjose_jws_sign(key, header, content, content.utf8.count, nil) else { return "" }
        defer { cjose_jws_release(token) }
        var text: UnsafePointer<CChar>?
        // The text belongs to the token.
        return cjose_jws_export(token, &text, nil) ? text.map { String(cString: $0) } ?? "" : ""
    }
}
