import Synchronization

/// Seeded randomness: the same each time, in numbers and in bytes.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// What a server is handed in place of the operating system's random bytes.
final class Randomness: Sendable {
    private let generator: Mutex<SplitMix64>

    init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    var bytes: @Sendable () -> [UInt8] {
        { self.generator.withLock { generator in (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) } } }
    }
}
