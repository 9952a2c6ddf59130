import KithModel
import Testing

@Suite("The laws of reading vCards") struct VCardLawTests {
    @Test("Hold for any stream of lines", arguments: 0..<10 as Range<UInt64>)
    func streams(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            VCardLaws.check(dice.stream(), seed: seed)
        }
    }

    @Test("Hold for damaged streams", arguments: 0..<10 as Range<UInt64>)
    func damaged(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            let bytes = dice.stream()
            VCardLaws.check(dice.damage(bytes), seed: seed)
        }
    }

    @Test("Hold where cards are larger than they may be", arguments: 0..<10 as Range<UInt64>)
    func large(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            let bytes = dice.damage(dice.stream() + dice.stream())
            VCardLaws.check(bytes, seed: seed, limit: Int.random(in: 0...400, using: &dice.random))
        }
    }

    @Test("Hold for every file, damaged", arguments: CardFile.corpus + CardFile.samples)
    func files(file: CardFile) {
        for seed in 0..<20 as Range<UInt64> {
            var dice = CardDice(seed: seed)
            let start = Int.random(in: 0...max(0, file.bytes.count - 4_000), using: &dice.random)
            VCardLaws.check(dice.damage(Array(file.bytes[start...].prefix(4_000))), seed: seed)
        }
    }
}
