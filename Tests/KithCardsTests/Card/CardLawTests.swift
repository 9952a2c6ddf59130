import KithCards
import Testing

@Suite("The laws of cards and vCards") struct CardLawTests {
    @Test("A card that is written and read is the same", arguments: VCard.Version.allCases, 0..<60 as Range<UInt64>)
    func writtenAndRead(version: VCard.Version, seed: UInt64) {
        var dice = PersonDice(seed: seed, version)
        let card = dice.card()
        let vCard = VCard(card, version: version)
        #expect(vCard.version == version)
        // Only version 4.0 has ids.
        Self.expectEqual(Card(vCard), version == .v4_0 ? card : card.renumbered, vCard)
    }

    @Test("An edit is read again as it was meant", arguments: VCard.Version.allCases, 0..<60 as Range<UInt64>)
    func edits(version: VCard.Version, seed: UInt64) throws {
        var dice = PersonDice(seed: seed, version)
        let original = try dice.noisy(VCard(dice.card(), version: version))
        var vCard = original
        let edited = dice.edited(Card(original))
        vCard.apply(edited)
        Self.expectEqual(Card(vCard).renumbered, edited.renumbered, vCard)
        let text = String(decoding: vCard.bytes, as: UTF8.self)
        for noise in PersonDice.noise {
            #expect(text.split(separator: noise).count == 2, "\(noise) is in \(text)")
        }
    }

    @Test(
        "An edit of a card from a real program is read again as it was meant", .enabled(if: !ProgramCard.all.isEmpty),
        arguments: ProgramCard.all)
    func editsOfPrograms(card: ProgramCard) {
        let foreign = card.vCard.properties.filter { $0.isForeign(to: card.vCard) }
        for seed in 0..<6 as Range<UInt64> {
            var dice = PersonDice(seed: seed, card.vCard.version)
            let edited = dice.edited(Card(card.vCard))
            var vCard = card.vCard
            vCard.apply(edited)
            Self.expectEqual(Card(vCard).renumbered, edited.renumbered, vCard)
            let left = Set(vCard.properties.map { Array($0.bytes) })
            for property in foreign {
                // An empty N is where the parts of a name go.
                if property.knownName == .n, edited.name != Card(card.vCard).name { continue }
                let isKept = left.contains(Array(property.bytes))
                #expect(isKept, "\(String(decoding: property.bytes, as: UTF8.self))")
            }
        }
    }

    @Test(
        "A new number leaves every other property as it is written", arguments: VCard.Version.allCases,
        0..<60 as Range<UInt64>)
    func otherProperties(version: VCard.Version, seed: UInt64) throws {
        var dice = PersonDice(seed: seed, version)
        Self.expectAddition(try dice.noisy(VCard(dice.card(), version: version)))
    }

    @Test(
        "A new number leaves every other property of a real program's card as it is written",
        .enabled(if: !ProgramCard.all.isEmpty), arguments: ProgramCard.all)
    func otherPropertiesOfPrograms(card: ProgramCard) { Self.expectAddition(card.vCard) }

    @Test("A card applied to its own vCard changes no byte", arguments: VCard.Version.allCases, 0..<60 as Range<UInt64>)
    func nothingChanges(version: VCard.Version, seed: UInt64) {
        var dice = PersonDice(seed: seed, version)
        let original = VCard(dice.card(), version: version)
        var vCard = original
        vCard.apply(Card(vCard))
        #expect(vCard == original)
    }

    @Test(
        "Applying a card from a real program to its own vCard changes no byte", .enabled(if: !ProgramCard.all.isEmpty),
        arguments: ProgramCard.all)
    func nothingChangesInPrograms(card: ProgramCard) {
        var vCard = card.vCard
        vCard.apply(Card(vCard))
        #expect(vCard.bytes == card.vCard.bytes)
    }

    /// Expects that a number added to the card is its only new property, and that the others stay, except a derived name.
    private static func expectAddition(_ vCard: VCard) {
        let before = vCard.closed
        var (edited, card) = (before, Card(before))
        card.phones.append(Card.Phone(id: "new", number: "000199"))
        edited.apply(card)
        let others = edited.properties.filter { $0.knownName != .tel || $0.text != "000199" }
        #expect(others.count == edited.properties.count - 1)
        let (old, new) = (before.properties.filter(\.isOwn), others.filter(\.isOwn))
        #expect(old.map(written) == new.map(written), "\(String(decoding: edited.bytes, as: UTF8.self))")
    }

    /// The property as written, without the line ends after it. An edit adds those that are missing.
    private static func written(_ property: VCard.Property) -> String {
        let bytes = property.bytes
        let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private static func expectEqual(_ card: Card, _ expected: Card, _ vCard: VCard) {
        var (card, expected) = (card, expected)
        // These are sets.
        (card.keywords, card.members) = (card.keywords.sorted(), card.members.sorted())
        (expected.keywords, expected.members) = (expected.keywords.sorted(), expected.members.sorted())
        let written = String(decoding: vCard.bytes, as: UTF8.self)
        for (left, right) in zip(Mirror(reflecting: card).children, Mirror(reflecting: expected).children) {
            #expect(left.value as? AnyHashable == right.value as? AnyHashable, "\(left.label ?? "") of \(written)")
        }
        #expect(card == expected)
    }
}

extension VCard.Property {
    /// Whether it does not only repeat other properties.
    fileprivate var isOwn: Bool { parameters["DERIVED"].isEmpty }

    /// Whether the card would be the same without it, and it belongs to nothing else.
    fileprivate func isForeign(to vCard: VCard) -> Bool {
        // A full name that was made of the parts is made again.
        guard group == nil, knownName != .version, knownName != .fn,
            let index = vCard.properties.firstIndex(where: { $0.bytes == bytes })
        else { return false }
        var without = vCard
        without.remove(at: index)
        return Card(without) == Card(vCard)
    }
}

/// One card of a real program.
struct ProgramCard: CustomTestStringConvertible {
    let vCard: VCard
    let testDescription: String

    /// Those of the corpora, where they are, and of the samples that the project ships.
    static let all: [ProgramCard] = (CardFile.corpus + CardFile.samples).flatMap { file in
        VCardReader.cards(in: file.bytes).cards.enumerated().map { number, vCard in
            ProgramCard(vCard: vCard, testDescription: "\(file.name), card \(number + 1)")
        }
    }
}
