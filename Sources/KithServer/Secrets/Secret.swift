import CSodium
package import Foundation

/// The hashes of secrets, with libsodium.
package enum Secret {
    /// The number of bytes of a token: 256 bits, so that guessing is infeasible.
    package static let size = 32

    /// The SHA-256 of a text's UTF-8 bytes.
    package static func sha256(_ text: String) -> Data {
        var text = text
        return text.withUTF8 { sha256($0) }
    }

    /// The SHA-256 of these bytes.
    package static func sha256(_ data: Data) -> Data {
        data.withUnsafeBytes { sha256($0.bindMemory(to: UInt8.self)) }
    }

    private static func sha256(_ bytes: UnsafeBufferPointer<UInt8>) -> Data {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(crypto_hash_sha256_BYTES)) { hash in
            guard let start = hash.baseAddress else { preconditionFailure("Memory for a hash has an address.") }
            _ = crypto_hash_sha256(start, bytes.baseAddress, UInt64(bytes.count))
            return Data(buffer: hash)
        }
    }

    /// The HMAC-SHA-256 of these bytes (RFC 2104).
    package static func hmac(_ data: Data, key: Data) -> Data {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        let (data, key) = (Array(data), Array(key))
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, data, UInt64(data.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return Data(code)
    }

    /// The HMAC-SHA-256 of a text's UTF-8 bytes.
    package static func hmac(_ text: String, key: Data) -> Data { hmac(Data(text.utf8), key: key) }

    /// Whether two secrets are equal. The time depends only on their lengths.
    package static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return sodium_memcmp(Array(left), Array(right), left.count) == 0
    }
}
