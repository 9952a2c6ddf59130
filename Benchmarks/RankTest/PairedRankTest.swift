#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The Wilcoxon signed-rank test: whether the first values of pairs tend to be larger or smaller than the second ones.
///
/// It assumes no distribution of the values, so single slow measurements do not decide it. Pairs without a difference
/// are left out, and equal differences share the mean of their ranks. The p-value comes from the normal approximation
/// with corrections for ties and continuity, which needs about twenty pairs.
package struct PairedRankTest: Hashable, Sendable {
    /// The number of pairs with a difference.
    package let pairs: Int
    /// The sum of the ranks of the pairs whose first value is larger.
    package let positiveRanks: Double
    /// The probability of a difference at least this large between equal distributions, on both sides.
    package let p: Double
    /// The effect size, as the rank-biserial correlation of the pairs: 1 if every first value is larger, −1 if every
    /// first value is smaller, 0 without a tendency.
    package let effect: Double

    /// Tests the pairs.
    package init(_ pairs: [(first: Double, second: Double)]) {
        let differences = pairs.map { $0.first - $0.second }.filter { $0 != 0 }.sorted { abs($0) < abs($1) }
        let count = Double(differences.count)
        self.pairs = differences.count
        var (positive, ties, place) = (0.0, 0.0, 0)
        while place < differences.count {
            let size = differences[place...].prefix { abs($0) == abs(differences[place]) }.count
            // The ranks place + 1 … place + size, shared.
            let rank = Double(place) + (Double(size) + 1) / 2
            positive += rank * Double(differences[place..<(place + size)].count { $0 > 0 })
            ties += Double(size * size * size - size)
            place += size
        }
        positiveRanks = positive
        let total = count * (count + 1) / 2
        let variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48
        guard variance > 0 else {
            (p, effect) = (1, 0)
            return
        }
        effect = (2 * positive - total) / total
        let distance = max(0, abs(positive - total / 2) - 0.5)
        p = min(1, erfc(distance / variance.squareRoot() / 2.0.squareRoot()))
    }
}
