/// An account's id that can only be read with the output of its identity.
package struct MaskedAccount: Hashable, Sendable {
    /// The first eight bytes and the last eight bytes.
    package var high: UInt64, low: UInt64

    /// Creates a masked id from its halves.
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
