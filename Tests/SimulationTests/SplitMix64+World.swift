import KithModel

extension SplitMix64 {
    /// The generator that a world's seed unfolds into: each begins one number after that of the seed before.
    init(world seed: UInt64) { self.init(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1) }

    /// True once in `n` times.
    mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
