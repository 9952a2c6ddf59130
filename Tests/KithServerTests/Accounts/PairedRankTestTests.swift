import KithModel
import RankTest
import Testing

@Suite("The rank test of pairs") struct PairedRankTestTests {
    @Test("It has the values of a published example") func example() {
        // Wilcoxon (1945), table I: heights of cross- and self-fertilized plants, after Darwin. W⁻ = 24 of 120.
        let differences: [Double] = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
        let test = PairedRankTest(differences.map { ($0, 0) })
        #expect(test.pairs == 15)
        #expect(test.positiveRanks == 96)
        #expect(abs(test.effect - 0.6) < 1e-12)
        #expect(abs(test.p - 0.0438) < 0.0005)
    }

    @Test("Equal differences share their ranks, and pairs without one do not count") func ties() {
        let test = PairedRankTest([(1, 0), (0, 1), (2, 0), (5, 5)])
        #expect(test.pairs == 3)
        #expect(test.positiveRanks == 1.5 + 3)
        #expect(PairedRankTest([]).p == 1 && PairedRankTest([(3, 3)]).effect == 0)
    }

    @Test("A small shift in noise is found among 10,000 pairs, and noise alone is not") func power() {
        var random = SplitMix64(seed: 5)
        func pairs(shift: Double) -> [(first: Double, second: Double)] {
            (0..<10_000).map { _ in
                (Double.random(in: 0...1, using: &random) + shift, Double.random(in: 0...1, using: &random))
            }
        }
        let noise = PairedRankTest(pairs(shift: 0))
        #expect(noise.p > 0.01 && abs(noise.effect) < 0.03)
        let shifted = PairedRankTest(pairs(shift: 0.03))
        #expect(shifted.p < 1e-6 && shifted.effect > 0.05)
    }
}
