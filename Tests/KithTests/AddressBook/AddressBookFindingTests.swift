import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

@Suite("Finding in the address book", .timeLimit(.minutes(15))) struct AddressBookFindingTests {
    private let cards = [
        Card("Ada", "Lovelace", phones: ["0664 1234567"], emails: ["ada@example.com"]),
        Card("Anne-Marie", "O’Brien", phones: ["+1 650 253 0000"]),
        Card("Zoë", "Müller", phones: ["01 664 1200"], emails: ["info@Bücher.example"]).with {
            $0.organizations = [Card.Organization(id: "1", name: "Straßenbau AG")]
            $0.notes = [Card.Note(id: "1", note: "Likes chess; allergic to nuts.")]
        },
        Card("Иван", "Петров"),
        Card("Taxi", phones: ["82355"]),
    ]

    private func world() async throws -> BookWorld { try await BookWorld.loaded(cards) }

    private func names(_ contacts: [Contact]) -> [String] { contacts.map(\.displayName) }

    @Test("Before a load nothing is found, and a search starts the load") func unloaded() async throws {
        let world = try BookWorld(TestSource(cards))
        #expect(world.book.suggestions(for: "a").isEmpty)
        #expect(try await world.book.loaded().count == 5)
        #expect(!world.book.suggestions(for: "a").isEmpty)
    }

    // MARK: One contact

    @Test("A contact is found by its number, however it is written") func byPhone() async throws {
        let book = try await world().book
        for number in ["0664 1234567", "+43 664 123-45-67", "0043 (664) 1234567", "06641234567"] {
            #expect(book.contact(withPhone: number)?.displayName == "Ada Lovelace")
        }
        let number = try #require(E164("+436641234567"))
        #expect(book.contact(withPhone: number)?.displayName == "Ada Lovelace")
        #expect(book.contact(withPhone: "0664 123456") == nil)
        #expect(book.contact(withPhone: "nothing") == nil)
    }

    @Test(
        "A search and suggestions find the number of a tel: URI",
        arguments: ["tel:+43-664-1234567", "TEL:06641234567;ext=5"])
    func byURI(text: String) async throws {
        let book = try await world().book
        #expect(names(book.search(text)) == ["Ada Lovelace"])
        #expect(names(book.suggestions(for: text)) == ["Ada Lovelace"])
    }

    @Test("Short codes never match in E.164 form, only each other") func shortCodes() async throws {
        let cards = [
            Card("Emergency", phones: ["112"]), Card("Far", phones: ["+43112"]), Card("Taxi", phones: ["8-235"]),
        ]
        let book = try await BookWorld.loaded(cards).book
        #expect(book.contact(withPhone: "112")?.displayName == "Emergency")
        #expect(book.contact(withPhone: "+43112")?.displayName == "Far")
        #expect(book.contact(withPhone: "8235")?.displayName == "Taxi")
        #expect(book.contact(withPhone: "+438235") == nil)
    }

    @Test("Ties are decided by names: both names, then family name, given name, first found") func ties() async throws {
        let home = ["01 2345678"]
        let book = try await BookWorld.loaded(
            Card("Carl", "Abel", phones: home, emails: ["home@example.com"]), Card("Dora", "Berg", phones: home),
            Card("Carl", "Berg", phones: home, emails: ["home@example.com"]), Card("Émile", "Cohn", phones: home)
        ).book
        func found(_ given: String?, _ family: String?) -> String? {
            book.contact(withPhone: "01/2345678", given: given, family: family)?.displayName
        }
        #expect(found("Carl", "Berg") == "Carl Berg")
        #expect(found("Carl", "Cohn") == "Émile Cohn")
        #expect(found("Fred", "Berg") == "Carl Berg")
        #expect(found("Dora", "Nobody") == "Dora Berg")
        #expect(found("emile", nil) == "Émile Cohn")
        #expect(found(nil, nil) == "Carl Abel")
        #expect(found("Nobody", "Nobody") == "Carl Abel")
        #expect(book.contact(withEmail: "HOME@example.com", family: "Berg")?.displayName == "Carl Berg")
    }

    @Test("A contact is found by its email in any spelling") func byEmail() async throws {
        let book = try await world().book
        #expect(book.contact(withEmail: "mailto:Ada@EXAMPLE.com")?.displayName == "Ada Lovelace")
        #expect(book.contact(withEmail: "info@xn--bcher-kva.example")?.displayName == "Zoë Müller")
        #expect(book.contact(withEmail: "nobody@example.com") == nil)
        #expect(book.contact(withEmail: "nothing") == nil)
    }

    // MARK: While typing

    @Test(
        "Type-ahead finds numbers in national and international notation, with or without separators",
        arguments: [
            "0664 12", "0664/12", "066412", "+43 664 12", "+4366412", "0043664", "43664", "66412", "664", "+", "6",
        ])
    func typeNumber(typed: String) async throws {
        let found = try await names(world().book.suggestions(for: typed))
        #expect(found.contains("Ada Lovelace") == (typed != "+"))
        #expect(!found.contains("Taxi"))
    }

    @Test("Matches of a number's beginning come first, then of any word of a name") func numberFirst() async throws {
        let book = try await BookWorld.loaded(
            Card("Abel"), Card("Zed", phones: ["300 4000"]), Card("3M"), Card("Bar", "Aab"), Card("Group 300")
        ).book
        #expect(names(book.suggestions(for: "300")) == ["Zed", "Group 300"])
        #expect(names(book.suggestions(for: "3")) == ["Zed", "Group 300", "3M"])
        #expect(names(book.suggestions(for: "a")) == ["Bar Aab", "Abel"])
        #expect(names(book.suggestions(for: "a", limit: 1)) == ["Bar Aab"])
        #expect(book.suggestions(for: "a", limit: 0).isEmpty)
    }

    @Test(
        "Type-ahead finds words of names, accents and case aside",
        arguments: [
            ("zoe", "Zoë Müller"), ("MULL", "Zoë Müller"), ("müller z", "Zoë Müller"), ("marie", "Anne-Marie O’Brien"),
            ("anne-m", "Anne-Marie O’Brien"), ("obrien", "Anne-Marie O’Brien"), ("o'b", "Anne-Marie O’Brien"),
            ("ив", "Иван Петров"), ("ivan petr", "Иван Петров"), ("Ада", "Ada Lovelace"),
        ])
    func typeName(typed: String, name: String) async throws {
        #expect(try await names(world().book.suggestions(for: typed)) == [name])
    }

    @Test(
        "Type-ahead finds umlauts typed as two letters and vice versa, and the part after an apostrophe",
        arguments: [
            ("mueller", "Zoë Müller"), ("muell", "Zoë Müller"), ("zoe mue", "Zoë Müller"), ("müll", "Zoë Müller"),
            ("o brien", "Anne-Marie O’Brien"), ("o'brien", "Anne-Marie O’Brien"), ("brie", "Anne-Marie O’Brien"),
            ("neill", "Eva O'Neill"), ("o neill", "Eva O'Neill"), ("artag", "Charles d`Artagnan"),
            ("joerg", "Jo\u{308}rg"), ("jörg", "Jo\u{308}rg"), ("schröd", "Ina Schroeder"), ("schroe", "Ina Schroeder"),
        ])
    func typeSpelling(typed: String, name: String) async throws {
        let others = [
            Card("Eva", "O'Neill"), Card("Charles", "d`Artagnan"), Card("Jo\u{308}rg"), Card("Ina", "Schroeder"),
        ]
        let book = try await BookWorld.loaded(cards + others).book
        #expect(names(book.suggestions(for: typed)) == [name])
        #expect(names(book.search(typed)).first == name)
    }

    @Test(
        "Type-ahead finds a number without its area code, after those that begin with the digits",
        arguments: ["5550101", "555 01", "555-0101", "555"])
    func typeLocalNumber(typed: String) async throws {
        let book = try await BookWorld.loaded(
            Card("Ada", phones: ["01 5550101"]), Card("Bob", phones: ["(0316) 555 0101"]),
            Card("Cleo", phones: ["0555 0101 22"]), Card("Dan", phones: ["0664 1234555"]), Card("Eve")
        ).book
        #expect(names(book.suggestions(for: typed)) == ["Cleo", "Ada", "Bob"])
        #expect(names(book.suggestions(for: typed, limit: 2)) == ["Cleo", "Ada"])
        #expect(!names(book.suggestions(for: "+" + typed)).contains("Ada"))
        let abroad = try BookWorld(TestSource([Card("Ada", phones: ["(01) 555 0101"])]), region: nil)
        #expect(try await abroad.book.loaded().count == 1)
        #expect(names(abroad.book.suggestions(for: typed)) == ["Ada"])
    }

    @Test("Exact names are found before partial ones: whole names, then whole words, then beginnings") func exactFirst()
        async throws
    {
        let book = try await BookWorld.loaded(
            Card("Anna", "Abel"), Card("Annabel"), Card("Ann", "Young"), Card("Ann"), Card("Max", "Annan"),
            Card("Johann")
        ).book
        #expect(names(book.suggestions(for: "ann")) == ["Ann", "Ann Young", "Anna Abel", "Annabel", "Max Annan"])
        #expect(names(book.suggestions(for: "ann", limit: 3)) == ["Ann", "Ann Young", "Anna Abel"])
        #expect(
            names(book.search("ann")) == ["Ann", "Ann Young", "Anna Abel", "Annabel", "Max Annan", "Johann"])
        #expect(names(book.search("ann", limit: 1)) == ["Ann"])
        #expect(names(book.suggestions(for: "annan m")) == ["Max Annan"])
    }

    @Test("A single Hangul letter finds no name in Latin letters, whole syllables do") func partOfSyllable()
        async throws
    {
        let book = try await BookWorld.loaded(Card("Eva", "Groß"), Card("Kim", "Gina"), Card("김민수")).book
        for typed in ["ㄱ", "\u{1100}", "\u{FFA1}", "ㅏ"] {
            #expect(!names(book.suggestions(for: typed)).contains("Eva Groß"), "\(typed)")
            #expect(!names(book.search(typed)).contains { $0 != "김민수" }, "\(typed)")
        }
        for typed in ["김", "김민"] { #expect(names(book.suggestions(for: typed)) == ["김민수"], "\(typed)") }
        #expect(names(book.search("기나")) == ["Kim Gina"])
    }

    @Test("Type-ahead finds nothing for empty text, in the middle of a word, or if one word is wrong")
    func typeNothing() async throws {
        let book = try await world().book
        for typed in ["", " ", "velace", "ada x", "chess"] { #expect(book.suggestions(for: typed).isEmpty) }
    }

    @Test("Long words are compared completely") func longWords() async throws {
        let book = try await BookWorld.loaded(Card("Christopher"), Card("Christophorus")).book
        #expect(names(book.suggestions(for: "christopho")) == ["Christophorus"])
        #expect(names(book.suggestions(for: "christoph")).count == 2)
    }

    @Test(
        "Type-ahead finds exactly the right ones of a thousand contacts, for any start of a word or number",
        arguments: 0..<10 as Range<UInt64>)
    func typeAnything(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        func word() -> String {
            (0..<Int.random(in: 1...10, using: &random)).map { _ in
                ["a", "b", "é", "ß", "n", "o"].randomElement(using: &random) ?? "a"
            }.joined()
        }
        let cards = (0..<1_000).map { number in
            Card(word(), word(), uid: "\(number)", phones: ["0664 \(Int.random(in: 10_000...99_999, using: &random))"])
        }
        let book = try await BookWorld.loaded(cards).book
        let contacts = try #require(book.contacts)
        func folded(_ text: String) -> String {
            text.replacing("ß", with: "ss").folding(options: .diacriticInsensitive, locale: nil)
        }
        for _ in 0..<20 {
            let typed = String(word().prefix(Int.random(in: 1...9, using: &random)))
            func words(_ contact: Contact) -> [String] {
                contact.displayName.split(separator: " ").map { folded(String($0)) }
            }
            let exact = contacts.filter { words($0).contains(folded(typed)) }
            let partial = contacts.filter { contact in
                !exact.contains(contact) && words(contact).contains { $0.hasPrefix(folded(typed)) }
            }
            #expect(book.suggestions(for: typed, limit: .max) == exact + partial)
            let digits = String(Int.random(in: 1...999, using: &random))
            let dialled = contacts.filter { $0.phones[0].original.dropFirst(5).hasPrefix(digits) }
            #expect(book.suggestions(for: "0664" + digits, limit: .max) == dialled)
        }
    }

    // MARK: Searching

    @Test(
        "Search finds every word in any field, accents folded",
        arguments: [
            ("muller", "Zoë Müller"), ("strassen zoe", "Zoë Müller"), ("CHESS nut", "Zoë Müller"),
            ("example.com", "Ada Lovelace"), ("123456", "Ada Lovelace"), ("0664 123 45", "Ada Lovelace"),
            ("+43 (664) 1234567", "Ada Lovelace"), ("velace", "Ada Lovelace"), ("ivan", "Иван Петров"),
            ("Петров", "Иван Петров"), ("82355", "Taxi"),
        ])
    func search(text: String, name: String) async throws {
        #expect(try await names(world().book.search(text)) == [name])
    }

    @Test("Search finds nothing if one word is missing, and stops at its limit") func searchNothing() async throws {
        let book = try await world().book
        #expect(book.search("zoe lovelace").isEmpty)
        #expect(book.search("  ").isEmpty)
        #expect(book.search("e").count > 2)
        #expect(book.search("e", limit: 2) == Array(book.search("e").prefix(2)))
    }

    @Test("A search covers all linked cards of a contact") func searchLinked() async throws {
        let work = Card("Ada", "Lovelace", uid: "1").with { $0.organizations = [.init(id: "1", name: "Engines")] }
        let home = Card("Ada", "Lovelace", uid: "1").with { $0.notes = [.init(id: "1", note: "chess")] }
        let book = try await BookWorld(TestSource([work]), TestSource([home])).loadedBook()
        #expect(book.search("engines chess").count == 1)
    }

    @Test(
        "Names are found by sound, even across scripts",
        arguments: [
            ("Meyer", "Maier"), ("Mayr", "Meier"), ("Stephen", "Steven"), ("Schmidt", "Schmitt"),
            ("Catherine", "Kathryn"),
            ("Philip", "Filip"), ("Thomas", "Tomaš"), ("Hofmann", "Hoffman"), ("Wright", "Right"), ("Jusuf", "Yusuf"),
            ("Müller", "Mueller"), ("Schulz", "Schultze"), ("Ksenia", "Xenia"), ("Ivan", "Иван"), ("Петров", "Petroff"),
            ("Mohammed", "محمد"), ("Knight", "Night"),
        ])
    func sound(sought: String, name: String) async throws {
        let book = try await BookWorld.loaded(Card(name), Card("Unlike")).book
        #expect(names(book.search(sought)) == [name])
        let reverse = try await BookWorld.loaded(Card(sought), Card("Unlike")).book
        #expect(names(reverse.search(name)) == [sought])
    }

    @Test(
        "Names that sound different are not found",
        arguments: [("Anna", "Bernd"), ("Lee", "Li"), ("Adam", "Eva"), ("Karl", "Klara")])
    func otherSound(sought: String, name: String) async throws {
        #expect(try await BookWorld.loaded(Card(name)).book.search(sought).isEmpty)
    }

    @Test("The pronunciation in a card is searched, too") func phonetic() async throws {
        let card = Card().with { card in
            card.name.full = "山田太郎"
            card.name.components = [.init(.surname, "山田", phonetic: "やまだ"), .init(.given, "太郎", phonetic: "Taro")]
        }
        let book = try await BookWorld.loaded(card).book
        for text in ["taro", "やま", "yamada", "山田"] { #expect(book.search(text).count == 1, "\(text)") }
        #expect(book.suggestions(for: "yam").count == 1)
    }

    @Test("Trap: A repeated number is found for one contact only – every number and email of a contact counts")
    func everyNumber() async throws {
        let world = try await BookWorld.loaded(
            Card(
                "Ada", "Lovelace", phones: ["0664 1234567", "01 5550101"],
                emails: ["ada@work.example", "ada@home.example"]),
            Card("Bob", "Ross", phones: ["01 5550101"]))
        #expect(world.book.contact(withPhone: "+43 1 5550101", given: "Ada")?.displayName == "Ada Lovelace")
        #expect(world.book.contact(withPhone: "+43 1 5550101", given: "Bob")?.displayName == "Bob Ross")
        #expect(world.book.suggestions(for: "01 555").map(\.displayName) == ["Ada Lovelace", "Bob Ross"])
        #expect(world.book.contact(withEmail: "ADA@home.example")?.displayName == "Ada Lovelace")
        #expect(world.book.contact(withPhone: "0664 1234567")?.displayName == "Ada Lovelace")
    }

    @Test(
        "Umlauts are found by two letters in any field",
        arguments: ["baeckerei", "muenchen", "oeztuerk1024", "bauerngaesschen", "quellmuehle"])
    func digraphs(_ sought: String) async throws {
        let world = try await BookWorld.loaded(
            Card("Jo", "Öztürk1024").with {
                $0.organizations = [.init(id: "1", name: "Bäckerei Groß")]
                $0.notes = [.init(id: "1", note: "Aus München, Bauerngässchen 1, bei der Quellmühle")]
            }, Card("Bob", "Ross"))
        #expect(world.book.search(sought).map(\.displayName) == ["Jo Öztürk1024"])
    }

    @Test("Contacts with names that begin with the words precede those that sound alike or contain them elsewhere")
    func ranking() async throws {
        let world = try await BookWorld.loaded(
            Card("Petra", "Mayr"), Card("Peter", "Meyer"),
            Card("Zoe", "Adler").with { $0.notes = [.init(id: "1", note: "Meyer")] })
        #expect(world.book.search("meyer").map(\.displayName) == ["Peter Meyer", "Zoe Adler", "Petra Mayr"])
        #expect(world.book.search("meyer", limit: 1).map(\.displayName) == ["Peter Meyer"])
    }
}

extension BookWorld {
    fileprivate func loadedBook() async throws -> AddressBook {
        _ = try await book.loaded()
        return book
    }
}
