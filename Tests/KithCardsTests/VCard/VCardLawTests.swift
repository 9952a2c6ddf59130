import KithCards
import Testing

@Suite("The laws of reading vCards") struct VCardLawTests {
    @Test("They hold for any stream of lines", arguments: 0..<10 as Range<UInt64>)
    func streams(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            #expect(VCardLaws.broken(byReading: dice.stream(), seed: seed) == nil, "seed \(seed)")
        }
    }

    @Test("They hold for damaged streams", arguments: 0..<10 as Range<UInt64>)
    func damaged(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            let bytes = dice.stream()
            #expect(VCardLaws.broken(byReading: dice.damage(bytes), seed: seed) == nil, "seed \(seed)")
        }
    }

    @Test("They hold for cards beyond the size limit", arguments: 0..<10 as Range<UInt64>)
    func large(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            let bytes = dice.damage(dice.stream() + dice.stream())
            let limit = Int.random(in: 0...400, using: &dice.random)
            #expect(VCardLaws.broken(byReading: bytes, seed: seed, limit: limit) == nil, "seed \(seed)")
        }
    }

    @Test("They hold for every file after damage", arguments: CardFile.corpus + CardFile.samples)
    func files(file: CardFile) {
        for seed in 0..<20 as Range<UInt64> {
            var dice = CardDice(seed: seed)
            let start = Int.random(in: 0...max(0, file.bytes.count - 4_000), using: &dice.random)
            let bytes = dice.damage(Array(file.bytes[start...].prefix(4_000)))
            #expect(VCardLaws.broken(byReading: bytes, seed: seed) == nil, "seed \(seed)")
        }
    }
}
