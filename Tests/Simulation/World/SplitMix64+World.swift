import KithModel

extension SplitMix64 {
    /// The generator that a world's seed unfolds into: far from those of its neighbours.
    init(world seed: UInt64) {
        var mixer = SplitMix64(seed: seed)
        self.init(seed: mixer.next())
    }

    /// True once in `n` times.
    mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
