import KithCards
import Testing

@Suite("The laws of editing vCards") struct EditingLawTests {
    @Test("They hold for any edits of any cards", arguments: 0..<5 as Range<UInt64>)
    func edits(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var dice = CardDice(seed: seed)
            let bytes = dice.stream()
            for var card in VCardReader.cards(in: dice.chance(2) ? bytes : dice.damage(bytes)).cards {
                for _ in 0..<4 {
                    let law = EditingLaws.broken(byEditing: &card, with: &dice)
                    #expect(law == nil, "seed \(seed)")
                }
            }
        }
    }
}
