import KithCards
import Testing

@Suite("Names as people read them") struct NameTextTests {
    @Test("The whole name of the card goes before its parts, unless it is blank")
    func full() {
        var name = Card.Name()
        #expect(name.displayText == nil)
        name.components = [Card.Name.Component(.surname, "Lovelace"), Card.Name.Component(.given, "Ada")]
        #expect(name.displayText == "Ada Lovelace")
        name.full = "Countess Ada"
        #expect(name.displayText == "Countess Ada")
        name.full = " "
        #expect(name.displayText == "Ada Lovelace")
    }

    @Test("An ordered name without a full name keeps its order, also when written")
    func ordered() throws {
        let card = try Card.read("VERSION:4.0", "N;JSCOMPS=\";3;0;1;s,\\, ;4\":Lovelace;Ada;;Dr.;PhD;;")
        #expect(card.name.displayText == "Dr. Lovelace Ada, PhD")
        #expect(VCard(card).lines.first == "FN;DERIVED=TRUE:Dr. Lovelace Ada\\, PhD")
    }

    @Test("Chinese, Japanese and Korean names begin with the family's and have no space, shown and written")
    func ideographic() throws {
        let card = try Card.read("VERSION:2.1", "N;CHARSET=UTF-8:山田;太郎;;;")
        #expect(card.name.displayText == "山田太郎")
        #expect(VCard(card, version: .v3_0).lines.first == "FN;DERIVED=TRUE:山田太郎")
    }
}
