import KithModel

extension SplitMix64 {
    /// Creates the generator of a world. Seeds that are close to each other give generators that are far apart.
    init(world seed: UInt64) {
        var mixer = SplitMix64(seed: seed)
        self.init(seed: mixer.next())
    }

    /// Returns true with a probability of 1 in `n`.
    mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
