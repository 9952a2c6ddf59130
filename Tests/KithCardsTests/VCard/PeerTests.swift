import KithCards
import Testing

/// Every card that is at hand, property by property, beside what vobject reads of it.
@Suite(
    "Comparison with another vCard reader",
    .enabled(if: VObject.isHere, "vobject is not installed: Scripts/peers does so."))
struct PeerTests {
    @Test(
        "Each property is read as by vobject, with documented differences",
        arguments: CardFile.samples + CardFile.corpus)
    func sameProperties(file: CardFile) async throws {
        let cards = try cards(of: file)
        let answers = try await VObject.read(cards)
        try #require(answers.count == cards.count)
        let unread = VObjectDifference.unread[file.name] ?? [:]
        for (index, (card, answer)) in zip(cards, answers).enumerated() {
            let place = "\(file.name), card \(index + 1), line \(card.line)"
            guard let theirs = answer.properties else {
                #expect(unread.keys.contains(index + 1), "\(place): \(answer.error ?? "")")
                continue
            }
            #expect(!unread.keys.contains(index + 1), "\(place): vobject reads it, though it is listed as unread")
            let foretold = card.properties.map { foretell($0, of: card, by: VObjectDifference.all) }
            #expect(foretold.count == theirs.count, "\(place)")
            // vobject tells of them name by name.
            for (name, ours) in Dictionary(grouping: foretold, by: \.name) {
                let theirs = theirs.map(\.canonical).filter { $0.name == name }
                #expect(ours == theirs, "\(place), \(name)")
            }
        }
    }

    @Test(
        "Each documented difference still occurs",
        .enabled(if: !CardFile.corpus.isEmpty, "The corpora are not beside this clone: skipped."),
        arguments: VObjectDifference.all.indices)
    func noIdleExplanation(index: Int) throws {
        var others = VObjectDifference.all
        let difference = others.remove(at: index)
        let isSeen = try (CardFile.samples + CardFile.corpus).contains { file in
            try cards(of: file).contains { card in
                card.properties.contains {
                    foretell($0, of: card, by: others) != foretell($0, of: card, by: VObjectDifference.all)
                }
            }
        }
        #expect(isSeen, "\(difference.explanation)")
    }

    private func cards(of file: CardFile) throws -> [VCard] {
        let cards = VCardReader.cards(in: file.bytes).cards
        try #require(!cards.isEmpty)
        return cards
    }

    /// What vobject should tell of a property, if it differs from Kith in these ways.
    private func foretell(
        _ property: VCard.Property, of card: VCard, by differences: [VObjectDifference]
    ) -> VObject.Property {
        var told = VObject.Property(property)
        for difference in differences { difference.foretell(&told, property, card) }
        return told.canonical
    }
}
