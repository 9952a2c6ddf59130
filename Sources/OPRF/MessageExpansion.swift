import CSodium

/// `expand_message_xmd` with SHA-512 (RFC 9380, section 5.3.1), with the domain separation tags of RFC 9497.
package enum MessageExpansion {
    /// `CreateContextString(modeOPRF, "ristretto255-SHA512")`: RFC 9497, section 3.1.
    static let context = Array("OPRFV1-".utf8) + [0x00] + Array("-ristretto255-SHA512".utf8)

    /// Expands `message` with a tag that begins with `purpose`.
    static func expand(_ message: [UInt8], for purpose: String, _ count: Int) -> [UInt8] {
        expand(message, tag: Array(purpose.utf8) + context, count)
    }

    /// Expands a message to `count` uniform bytes, at most 16,320. The tag has at most 255 bytes.
    package static func expand(_ message: [UInt8], tag: [UInt8], _ count: Int) -> [UInt8] {
        let rounds = (count + digest - 1) / digest
        precondition(rounds <= 255 && tag.count <= 255)
        let tag = tag + [UInt8(tag.count)]
        let length = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        let seed = sha512([UInt8](repeating: 0, count: block) + message + length + [0] + tag)
        var last = sha512(seed + [1] + tag)
        var uniform = last
        for round in stride(from: 2, through: rounds, by: 1) {
            last = sha512(zip(seed, last).map { $0 ^ $1 } + [UInt8(round)] + tag)
            uniform += last
        }
        return Array(uniform.prefix(count))
    }

    static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: digest)
        _ = crypto_hash_sha512(&hash, bytes, UInt64(bytes.count))
        return hash
    }

    /// The size of a SHA-512 hash in bytes, and of its input blocks.
    private static let (digest, block) = (64, 128)
}
