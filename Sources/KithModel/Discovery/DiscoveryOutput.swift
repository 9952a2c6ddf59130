import Foundation

/// What the oblivious function makes of an identity, and how its 64 bytes are used.
///
/// | bytes | use |
/// | --- | --- |
/// | 0 ..< 8 | the bits that lead them say in which bucket the identity is |
/// | 8 ..< 16 | the tag, by which it is known within its bucket |
/// | 32 ..< 48 | the mask over the account's id: only who knows the output reads whose it is |
package struct DiscoveryOutput: Hashable, Sendable {
    /// All of it.
    package let bytes: [UInt8]

    /// The output of these bytes, or nil if they are not 64.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 64 else { return nil }
        self.bytes = bytes
    }

    /// The first eight bytes, as a number.
    package var prefix: UInt64 { number(at: 0) }
    /// The second eight bytes, as a number.
    package var tag: UInt64 { number(at: 8) }

    /// The bucket that it is in when a bucket's prefix has so many bits.
    package func bucket(_ bits: Int) -> UInt32 { Self.bucket(of: prefix, bits) }

    /// The bucket of a prefix when a bucket's has so many bits, at most 32.
    package static func bucket(of prefix: UInt64, _ bits: Int) -> UInt32 {
        bits == 0 ? 0 : UInt32(truncatingIfNeeded: prefix >> (64 - UInt64(bits)))
    }

    /// The account's id under the mask.
    package func masked(_ account: AccountID) -> MaskedAccount {
        let (high, low) = account.uuid.halves
        return MaskedAccount(high: high ^ number(at: 32), low: low ^ number(at: 40))
    }

    /// The account whose id is under the mask.
    package func unmasked(_ account: MaskedAccount) -> AccountID {
        AccountID(UUID(high: account.high ^ number(at: 32), low: account.low ^ number(at: 40)))
    }

    private func number(at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    }
}

/// An account's id that only who knows the output of its identity can read.
package struct MaskedAccount: Hashable, Sendable {
    /// The first eight of its bytes, and the others.
    package var high: UInt64, low: UInt64

    /// The id of these halves.
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
