/// A pseudorandom generator that gives the same numbers for the same seed. Never use it for secrets.
///
/// It is the generator of Steele, Lea and Flood, “Fast Splittable Pseudorandom Number Generators” (2014). It is small,
/// and the same on every platform. Tests use it to derive numbers from their seeds. ``FeedDigest`` hashes with it, so
/// its numbers are part of the protocol.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator with this seed.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
