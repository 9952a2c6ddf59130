import Foundation

/// The output of the oblivious function for an identity.
///
/// | bytes | use |
/// | --- | --- |
/// | 0 ..< 8 | the leading bits are the bucket of the identity |
/// | 8 ..< 16 | the tag, which identifies it in its bucket |
/// | 32 ..< 48 | the mask of the account's id, which can only be read with the output |
/// | 56 ..< 64 | part of the seed of decoys; it never leaves the device |
package struct DiscoveryOutput: Hashable, Sendable {
    /// All 64 bytes.
    package let bytes: [UInt8]

    /// Creates an output from its bytes; nil if they are not 64.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 64 else { return nil }
        self.bytes = bytes
    }

    /// The first eight bytes, as a number.
    package var prefix: UInt64 { number(at: 0) }
    /// The second eight bytes, as a number.
    package var tag: UInt64 { number(at: 8) }

    /// The last eight bytes, as a number. Neither buckets nor requests depend on it, except through the choice of decoys.
    package var seed: UInt64 { number(at: 56) }

    /// The bucket of the identity if prefixes have `bits` bits.
    package func bucket(_ bits: Int) -> UInt32 { Self.bucket(of: prefix, bits) }

    /// The bucket of a prefix if prefixes have `bits` bits, at most 32.
    package static func bucket(of prefix: UInt64, _ bits: Int) -> UInt32 {
        bits == 0 ? 0 : UInt32(truncatingIfNeeded: prefix >> (64 - UInt64(bits)))
    }

    /// Masks the account's id.
    package func masked(_ account: AccountID) -> MaskedAccount {
        let (high, low) = account.uuid.halves
        return MaskedAccount(high: high ^ number(at: 32), low: low ^ number(at: 40))
    }

    /// Removes the mask from an account's id.
    package func unmasked(_ account: MaskedAccount) -> AccountID {
        AccountID(UUID(high: account.high ^ number(at: 32), low: account.low ^ number(at: 40)))
    }

    private func number(at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    }
}
