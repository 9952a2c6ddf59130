import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

@Suite("Names in the address book", .timeLimit(.minutes(15))) struct AddressBookNameTests {
    @Test("A contact shows its full name, else its parts, else a nickname, the company, an email, a number")
    func displayName() async throws {
        var card = Card("", phones: ["0664 1234567"])
        card.name = Card.Name()
        func shown() async throws -> String? { try await BookWorld.loaded(card).names?.first }
        #expect(try await shown() == "0664 1234567")
        card.emails = [Card.Email(id: "1", address: "ada@example.com")]
        #expect(try await shown() == "ada@example.com")
        card.organizations = [Card.Organization(id: "1", name: nil, units: ["Engines"])]
        #expect(try await shown() == "Engines")
        card.organizations[0].name = "Analytical Engines"
        #expect(try await shown() == "Analytical Engines")
        card.nicknames = [Card.Nickname(id: "1", name: "The Countess")]
        #expect(try await shown() == "The Countess")
        card.name.components = [
            .init(.surname, "Lovelace"), .init(.given, "Ada"), .init(.given2, "King"), .init(.title, "Countess"),
        ]
        #expect(try await shown() == "Countess Ada King Lovelace")
        card.name.full = " "
        #expect(try await shown() == "Countess Ada King Lovelace")
        card.name.full = "Ada, Countess of Lovelace"
        #expect(try await shown() == "Ada, Countess of Lovelace")
        #expect(try await BookWorld.loaded(Card().with { $0.notes = [] }).names == ["…"])
    }

    @Test("Chinese, Japanese and Korean names begin with the family's") func ideographs() async throws {
        let card = Card().with { $0.name.components = [.init(.given, "太郎"), .init(.surname, "山田")] }
        #expect(try await BookWorld.loaded(card).names == ["山田太郎"])
    }

    @Test("Contacts are in the order of family names, or of given names; the choice is kept") func order() async throws
    {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "address-book.sqlite")
        let cards = [Card("Ada", "Lovelace"), Card("Bob", "Ångström"), Card("Cleo", "lovell"), Card("Zoë", "Lovelace")]
        let world = try BookWorld(TestSource(cards), file: file)
        _ = try await world.book.loaded()
        #expect(world.names == ["Bob Ångström", "Ada Lovelace", "Zoë Lovelace", "Cleo lovell"])
        #expect(world.book.contacts?.map(\.sortName)[1] == "Lovelace, Ada")
        #expect(world.book.contacts?.map(\.sectionTitle) == ["A", "L", "L", "L"])
        try await world.book.setNameOrder(.givenFirst)
        #expect(world.names == ["Ada Lovelace", "Bob Ångström", "Cleo lovell", "Zoë Lovelace"])
        let again = try BookWorld(TestSource(cards), file: file)
        #expect(again.book.nameOrder == .givenFirst)
        #expect(try await again.book.loaded().map(\.sectionTitle) == ["A", "B", "C", "Z"])
    }

    @Test("A card's sort key and pronunciation have priority over the spelling in sorting") func sortAs()
        async throws
    {
        let yamada = Card().with { card in
            card.name.full = "山田太郎"
            card.name.components = [
                .init(.surname, "山田", phonetic: "Yamada"), .init(.given, "太郎", phonetic: "Taro"),
            ]
        }
        let gaulle = Card("Charles", "de Gaulle").with { $0.name.sortAs[.surname] = "Gaulle" }
        let company = Card().with { card in
            card.kind = .org
            card.organizations = [Card.Organization(id: "1", name: "The Hat Shop")]
            card.organizations[0].sortAs = "Hat Shop"
        }
        let world = try await BookWorld.loaded(yamada, company, gaulle)
        #expect(world.book.contacts?.map(\.sortName) == ["Gaulle, Charles", "Hat Shop", "Yamada, Taro"])
        #expect(world.book.sections.map(\.title) == ["G", "H", "Y"])
    }

    @Test("Sections by first letter: accents folded, other scripts under their letters, everything else under #")
    func sections()
        async throws
    {
        let names = ["Émile", "eve", "Ødegaard", "Ёлка", "Елена", "Ωmega", "田中", "2nd floor", "+43", "", "“Quoted”"]
        let world = try await BookWorld.loaded(names.map { Card($0) })
        let sections = world.book.sections
        #expect(sections.map(\.title) == ["E", "O", "Ω", "Е", "田", "#"])
        #expect(sections.map(\.contacts.count) == [2, 1, 1, 2, 1, 4])
        #expect(sections.flatMap(\.contacts) == world.book.contacts)
    }

    @Test("Locales have their own letters: Å after Z in Sweden, CH after H in Prague, ß as ss")
    func letters() async throws {
        func titles(_ names: [String], _ locale: String) async throws -> [String] {
            try await BookWorld.loaded(names.map { Card($0) }, locale: Locale(identifier: locale)).book.sections.map(
                \.title)
        }
        #expect(try await titles(["Åsa", "Anna", "Zoe"], "de") == ["A", "Z"])
        #expect(try await titles(["Åsa", "Anna", "Zoe"], "sv") == ["A", "Z", "Å"])
        #expect(try await titles(["Chalupa", "Hora", "Cibule", "Ivan"], "cs") == ["C", "H", "CH", "I"])
        let street = try await BookWorld.loaded(["Strasz", "Straßa", "Strassb"].map { Card($0) })
        #expect(street.names == ["Straßa", "Strassb", "Strasz"])
    }

    @Test(
        "The order is the system's own, letter for letter",
        arguments: ["en", "de", "sv", "da", "cs", "hu", "es", "tr", "ru", "el", "ja", "zh"])
    func systemOrder(language: String) async throws {
        let locale = Locale(identifier: language)
        var random = SplitMix64(seed: 7)
        let letters = [
            "a", "b", "c", "ch", "d", "dz", "e", "h", "i", "k", "l", "n", "o", "s", "t", "u", "y", "z", " ", "-",
        ]
        let accented = ["ä", "å", "á", "č", "é", "ı", "ł", "ñ", "ö", "ø", "ş", "ü", "ß", "æ"]
        let foreign = ["α", "ω", "д", "ё", "ж", "あ", "中", "田"]
        let names = Set(
            (0..<400).map { _ in
                (0..<Int.random(in: 2...6, using: &random)).map { place in
                    let some = [letters, letters, letters, accented, foreign].randomElement(using: &random) ?? letters
                    let letter = some.randomElement(using: &random) ?? "a"
                    return place == 0 && " -".contains(letter) ? "a" : letter
                }.joined()
            }
        ).filter { !$0.contains("ddz") }
        let world = try await BookWorld.loaded(names.map { Card($0) }, locale: locale)
        let shown = try #require(world.names)
        #expect(shown.count == names.count)
        // Digits behind the names hide accents: what comes first then has the earlier letters.
        let outOfOrder = zip(shown, shown.dropFirst()).filter { one, next in
            (one + "9").compare(next + "1", locale: locale) == .orderedDescending
                && one.compare(next, options: [.caseInsensitive, .diacriticInsensitive], locale: locale)
                    == .orderedDescending
        }
        #expect(outOfOrder.isEmpty, "\(outOfOrder)")
    }

    @Test("Equal names are in the same order each time") func ties() async throws {
        let cards = (0..<20).map { Card("Ada", "Lovelace", uid: "\($0)") }
        let world = try await BookWorld.loaded(cards)
        let other = try await BookWorld.loaded(cards.reversed())
        #expect(world.book.contacts == other.book.contacts)
    }

    @Test("Trap: Raw labels such as _$!<Mobile>!$_ are shown") func labels() async throws {
        // Each number is another one: a number that occurs twice is shown once.
        var number = 1_000_000
        func phone(_ change: (inout Card.Phone) -> Void) -> Card.Phone {
            number += 1
            var phone = Card.Phone(id: "1", number: "\(number)")
            change(&phone)
            return phone
        }
        let card = Card("Ada").with { card in
            card.phones = [
                phone { $0.label = "_$!<Mobile>!$_" }, phone { $0.label = "_$!<HomeFAX>!$_" },
                phone { $0.label = "Boat" },
                phone { $0.features = [.mobile, .voice] }, phone { ($0.features, $0.contexts) = ([.fax], [.work]) },
                phone { $0.contexts = [.private] }, phone { _ in },
            ]
            card.emails = [Card.Email(id: "1", address: "a@b.c"), Card.Email(id: "2", address: "d@e.f")]
            card.emails[0].contexts = [.work]
        }
        let contact = try #require(try await BookWorld.loaded(card).book.contacts?.first)
        #expect(contact.phones.map(\.label) == ["mobile", "homefax", "Boat", "mobile", "work fax", "home", "phone"])
        #expect(contact.emails.map(\.label) == ["work", "email"])
    }
}
