import CSodium

/// An element of ristretto255 (RFC 9496) other than the identity, in its canonical encoding.
struct GroupElement: Hashable, Sendable {
    static let size = 32

    /// The canonical encoding.
    let bytes: [UInt8]

    /// The element with this encoding; nil if it is not canonical, or the identity (RFC 9497, section 2.1:
    /// `DeserializeElement`).
    init?(_ bytes: [UInt8]) {
        // libsodium ignores the highest bit, which is never set (RFC 9496, section 4.3.1).
        guard bytes.count == Self.size, bytes.contains(where: { $0 != 0 }), bytes[Self.size - 1] & 0x80 == 0,
            crypto_core_ristretto255_is_valid_point(bytes) == 1
        else { return nil }
        self.bytes = bytes
    }

    /// The element that an input hashes to (`HashToGroup`); nil if it is the identity.
    init?(hashing input: [UInt8]) {
        let uniform = MessageExpansion.expand(input, for: "HashToGroup-", 64)
        var bytes = [UInt8](repeating: 0, count: Self.size)
        guard crypto_core_ristretto255_from_hash(&bytes, uniform) == 0, bytes.contains(where: { $0 != 0 }) else {
            return nil
        }
        self.bytes = bytes
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }

    /// The element multiplied by a scalar. In a group of prime order, the product is never the identity.
    static func * (scalar: Scalar, element: GroupElement) -> GroupElement {
        var bytes = [UInt8](repeating: 0, count: size)
        let status = crypto_scalarmult_ristretto255(&bytes, scalar.bytes, element.bytes)
        precondition(status == 0, "An element that was checked has a product.")
        return GroupElement(known: bytes)
    }
}
