import CSodium
import KithModel
import OPRF

/// Entries without an account, which fill up a small bucket.
///
/// They are hashes under a secret of the server. A device that asks twice receives the same entries, and cannot
/// distinguish them from real ones.
struct Padding: Sendable {
    private let secret: [UInt8]

    /// The padding of a key.
    init(_ key: PRFKey) {
        secret = Self.hash(Array("Kith padding".utf8), by: key.bytes)
    }

    /// The entry of this number, from 1, in a bucket.
    func entry(_ number: Int, _ prefix: UInt32, _ bits: Int) -> BucketAnswer.Entry {
        let place = [UInt64(number), UInt64(prefix), UInt64(bits)].flatMap { (value: UInt64) in
            withUnsafeBytes(of: value.bigEndian) { Array($0) }
        }
        let hash = Self.hash(place, by: secret)
        func part(_ index: Int) -> UInt64 { hash[(8 * index)..<(8 * index + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
        return BucketAnswer.Entry(tag: part(0), account: MaskedAccount(high: part(1), low: part(2)))
    }

    /// BLAKE2b with a key: 32 bytes.
    private static func hash(_ message: [UInt8], by key: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        _ = crypto_generichash(&hash, hash.count, message, UInt64(message.count), key, key.count)
        return hash
    }
}
