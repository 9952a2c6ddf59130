import CSodium

/// A password as the database keeps it: hashed by Argon2id (RFC 9106) with a salt of its own, in libsodium.
package struct PasswordHash: Hashable, Sendable {
    /// The hash with its salt and its parameters.
    package let text: String

    /// A hash that was stored.
    package init(stored text: String) { self.text = text }

    /// Hashes a password: about 64 MiB and a tenth of a second. nil if there is not so much memory.
    package init?(of password: String) {
        var hash = [CChar](repeating: 0, count: Int(crypto_pwhash_strbytes()))
        let outcome = password.withCString { bytes in
            crypto_pwhash_str(
                &hash, bytes, UInt64(password.utf8.count), UInt64(crypto_pwhash_opslimit_interactive()),
                Int(crypto_pwhash_memlimit_interactive()))
        }
        guard outcome == 0 else { return nil }
        text = hash.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    /// Whether a password has this hash.
    package func fits(_ password: String) -> Bool {
        text.withCString { hash in
            password.withCString { crypto_pwhash_str_verify(hash, $0, UInt64(password.utf8.count)) == 0 }
        }
    }

    /// A hash that no password has. Comparing with it takes as long as with any other, so that the time does not tell
    /// whether there is one.
    package static let ofNothing = PasswordHash(
        stored: "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
}
