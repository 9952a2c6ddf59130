import KithCards

/// What holds for any bytes at all. The tests and the fuzzer judge by it.
enum VCardLaws {
    /// The first law that reading `bytes` breaks, with `seed` for the pieces in which they come; nil if all hold.
    static func broken(byReading bytes: [UInt8], seed: UInt64, limit: Int = VCard.Limits.bytes) -> String? {
        let elements = read(bytes, limit: limit)
        guard elements.flatMap(\.bytes) == bytes else { return "The elements put together are the input." }

        var random = SplitMix64(seed: seed)
        let inPieces = read(bytes, limit: limit, random: &random)
        if let (one, other) = zip(elements, inPieces).first(where: { $0 != $1 }) {
            return "Pieces do not matter: \(one) became \(other)."
        }
        guard elements.count == inPieces.count else { return "Pieces do not matter for how many elements there are." }

        for element in elements {
            switch element {
            case .card(let card):
                if let law = broken(by: card) { return "\(law) (\(element))" }
            case .fault(let fault):
                if fault.sentence.isEmpty || fault.line < 1 { return "A fault says what is wrong, and where." }
            case .between: break
            }
        }
        return nil
    }

    private static func broken(by card: VCard) -> String? {
        guard let again = try? VCard(card.bytes), again == card, again.content == card.content else {
            return "Written and read is equal."
        }
        guard isClosed(card.closed, of: card) else { return "A card says the same with the END that it lacks." }
        var rest = card.bytes[...]
        for property in card.properties {
            guard let found = rest.firstRange(of: property.bytes) else {
                return "Properties stand in order in the card."
            }
            rest = rest[found.upperBound...]
        }
        var applied = card
        applied.apply(Card(card))
        guard applied.bytes == card.bytes else { return "To apply what a card says changes nothing." }
        return nil
    }

    /// Whether `closed` is `card` with lines of END behind it, and says the same; a card within it gets such lines, too.
    private static func isClosed(_ closed: VCard, of card: VCard) -> Bool {
        func areEnds(_ bytes: ArraySlice<UInt8>) -> Bool {
            String(decoding: bytes, as: UTF8.self).split { $0.isNewline }.allSatisfy { $0 == "END:VCARD" }
        }
        let (old, new) = (card.properties, closed.properties)
        guard closed.bytes.starts(with: card.bytes), (try? VCard(closed.bytes)) == closed, old.count == new.count else {
            return false
        }
        guard let last = old.last, let longer = new.last, card != closed else { return card.content == closed.content }
        let isSame = zip(card.content, closed.content).dropLast().allSatisfy { $0 == $1 }
        return isSame && last.name == longer.name && longer.rawValue.starts(with: last.rawValue)
            && areEnds(longer.rawValue.dropFirst(last.rawValue.count))
    }

    static func read(_ bytes: [UInt8], limit: Int) -> [VCardReader.Element] {
        var elements: [VCardReader.Element] = []
        var reader = VCardReader(limit: limit)
        reader.feed(bytes) { elements.append($0) }
        reader.finish { elements.append($0) }
        return elements
    }

    private static func read(_ bytes: [UInt8], limit: Int, random: inout SplitMix64) -> [VCardReader.Element] {
        var elements: [VCardReader.Element] = []
        var reader = VCardReader(limit: limit)
        var rest = bytes[...]
        let longest = Int.random(in: 1...max(40, bytes.count / 20), using: &random)
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...longest, using: &random))
            reader.feed(piece) { elements.append($0) }
            rest = rest.dropFirst(piece.count)
        }
        reader.finish { elements.append($0) }
        return elements
    }
}

extension VCard {
    /// What it says, property by property: equal for cards that say the same.
    var content: [String] {
        properties.map { property in
            let parameters = property.parameters.map { "\($0.name)=\($0.values)" }
            return "\(property.group ?? "-").\(property.name) \(parameters) \(property.components) "
                + "\(property.list) \(property.text) \(property.data ?? [])"
        }
    }
}
