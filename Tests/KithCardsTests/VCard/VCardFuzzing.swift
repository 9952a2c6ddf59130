import KithCards

/// What the fuzzer does with the bytes that it makes up.
enum VCardFuzzing {
    /// The first law that `bytes` break: read whole, read where cards are too large, and edited; nil if all hold.
    static func broken(by bytes: [UInt8]) -> String? {
        // The bytes themselves are the seed, so that the same bytes are the same test.
        let seed = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var dice = CardDice(seed: seed)
        let limit = Int.random(in: 0...bytes.count, using: &dice.random)
        if let law = VCardLaws.broken(byReading: bytes, seed: seed) { return law }
        if let law = VCardLaws.broken(byReading: bytes, seed: seed, limit: limit) { return "Limit \(limit): \(law)" }
        for var card in VCardReader.cards(in: bytes).cards.prefix(4) {
            for _ in 0..<3 {
                if let law = EditingLaws.broken(byEditing: &card, with: &dice) { return law }
            }
        }
        return nil
    }
}
