import CSodium

/// A scalar of ristretto255 other than zero: 32 bytes, little-endian, less than the group's order.
struct Scalar: Hashable, Sendable {
    static let size = 32

    /// The encoding.
    let bytes: [UInt8]

    /// The scalar with this encoding; nil if it is zero or not reduced (RFC 9497, section 2.1: `DeserializeScalar`).
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, let reduced = Scalar(reducing: bytes + [UInt8](repeating: 0, count: 32)),
            reduced.bytes == bytes
        else { return nil }
        self = reduced
    }

    /// 64 uniform bytes, reduced modulo the group's order; nil if the result is zero.
    init?(reducing uniform: [UInt8]) {
        precondition(uniform.count == 64)
        var bytes = [UInt8](repeating: 0, count: Self.size)
        crypto_core_ristretto255_scalar_reduce(&bytes, uniform)
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        self.bytes = bytes
    }

    /// A random scalar. Calls `random`, which returns 64 bytes, until the result is not zero.
    init(_ random: () -> [UInt8]) {
        while true {
            if let scalar = Scalar(reducing: random()) {
                self = scalar
                return
            }
        }
    }

    /// The multiplicative inverse.
    var inverse: Scalar {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        let status = crypto_core_ristretto255_scalar_invert(&bytes, self.bytes)
        precondition(status == 0, "A scalar that is not zero has an inverse.")
        return Scalar(known: bytes)
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }
}
