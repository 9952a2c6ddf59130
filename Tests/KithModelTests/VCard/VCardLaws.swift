import KithModel
import Testing

/// What holds for any bytes at all.
enum VCardLaws {
    /// Checks them on `bytes`, which come in pieces as `random` likes.
    static func check(_ bytes: [UInt8], seed: UInt64 = 0, limit: Int = VCard.Limits.bytes) {
        let elements = read(bytes, limit: limit)
        #expect(elements.flatMap(\.bytes) == bytes, "The elements put together are the input (seed \(seed)).")
        var random = SplitMix64(seed: seed)
        let again = read(bytes, limit: limit, random: &random)
        let difference = zip(elements, again).first { $0 != $1 }.map { "\($0) became \($1)" }
        #expect(difference == nil && again.count == elements.count, "Pieces do not matter (seed \(seed)).")
        for case .card(let card) in elements {
            guard let again = try? VCard(card.bytes) else {
                Issue.record("A card that was read is read again (seed \(seed)).")
                continue
            }
            #expect(again == card && again.content == card.content, "Written and read is equal (seed \(seed)).")
            checkProperties(of: card, seed)
        }
        for case .fault(let fault) in elements { #expect(!fault.sentence.isEmpty && fault.line >= 1) }
    }

    private static func checkProperties(of card: VCard, _ seed: UInt64) {
        var rest = card.bytes[...]
        for property in card.properties {
            let found = rest.firstRange(of: property.bytes)
            #expect(found != nil, "Properties stand in the card, in order (seed \(seed)).")
            if let found { rest = rest[found.upperBound...] }
        }
    }

    static func read(_ bytes: [UInt8], limit: Int) -> [VCardReader.Element] {
        var elements: [VCardReader.Element] = []
        var reader = VCardReader(limit: limit)
        reader.feed(bytes) { elements.append($0) }
        reader.finish { elements.append($0) }
        return elements
    }

    static func read(_ bytes: [UInt8], limit: Int, random: inout SplitMix64) -> [VCardReader.Element] {
        var elements: [VCardReader.Element] = []
        var reader = VCardReader(limit: limit)
        var rest = bytes[...]
        let longest = Int.random(in: 1...40, using: &random)
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...longest, using: &random))
            reader.feed(piece) { elements.append($0) }
            rest = rest.dropFirst(piece.count)
        }
        reader.finish { elements.append($0) }
        return elements
    }
}
