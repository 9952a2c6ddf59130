import Foundation
import KithCards
import Testing

@Suite("Cards of damaged vCards") struct CardDamageTests {
    @Test(
        "Whatever is read as a vCard is a card, keeps its bytes, and can be edited", arguments: 0..<150 as Range<UInt64>
    )
    func anything(seed: UInt64) throws {
        var dice = CardDice(seed: seed)
        let stream = dice.stream()
        for vCard in VCardReader.cards(in: seed.isMultiple(of: 2) ? stream : dice.damage(stream)).cards {
            var same = vCard
            same.apply(Card(vCard))
            #expect(same.bytes == vCard.bytes)
            var person = PersonDice(seed: seed, vCard.version)
            var edited = vCard
            edited.apply(person.edited(Card(vCard)))
            #expect(try !JSONEncoder().encode(JSContact(edited, embedding: true)).isEmpty)
        }
    }

    @Test(
        "The largest possible card is read in linear time",
        arguments: [
            "item1.TEL;PROP-ID=a:1\r\nitem1.X-ABLabel:x", "TITLE;ALTID=1:a", "item1.TITLE:a\r\nitem1.ORG:a",
            "CATEGORIES:",
            "item1.ADR:;;;;;;", "ADR:;;a;;;;\r\nLABEL:a", "GEO:1;2",
        ])
    func large(lines: String) throws {
        let count = 10_000
        let text = (0..<count).map {
            lines.replacing("item1", with: "item\($0)").replacing("S:", with: "S:\($0),x,\($0 + 1)")
        }
        let vCard = try VCard.of(["VERSION:4.0"] + text)
        let start = CardGrowthTests.threadTime()
        #expect(Card(vCard) == Card(vCard))
        // Far more than it needs; what grows with the square of its size needs minutes.
        #expect(CardGrowthTests.threadTime() - start < 30_000_000_000)
    }
}
