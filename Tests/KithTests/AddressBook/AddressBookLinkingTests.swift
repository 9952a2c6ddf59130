import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

@Suite("Linking contacts", .timeLimit(.minutes(15))) struct AddressBookLinkingTests {
    /// The cards of each contact, by uid, with each source's cards in a source of its own.
    private func groups(_ sources: [Card]...) async throws -> Set<Set<String>> {
        let world = try BookWorld()
        for (number, cards) in sources.enumerated() {
            world.book.addSource(TestSource(cards.entries), id: BookWorld.id(number), name: "Source \(number)")
        }
        return Set(try await world.book.loaded().map { Set($0.cards.map(\.reference.name)) })
    }

    @Test("The same person in two sources, or twice in one, is shown once: same uid") func uid() async throws {
        let phone = Card("Ada", "Lovelace", uid: "URN:UUID:4FBE8971-0BC3-424C-9C26-36C3E1EFF6B1").named("a")
        let file = Card("Ada", "Lovelace", uid: "4fbe8971-0bc3-424c-9c26-36c3e1eff6b1").named("b")
        #expect(try await groups([phone], [file]) == [["a", "b"]])
        #expect(try await groups([phone, file]) == [["a", "b"]])
    }

    @Test("Same name with a shared number or email; the words in any order, the number in any spelling") func name()
        async throws
    {
        let card = Card("Zoë", "Ångström", phones: ["0664 123 45 67"]).named("a")
        var other = Card("", phones: ["+43 (664) 1234567"]).named("b")
        other.name.components = []
        other.name.full = "ANGSTROM, Zoe"
        #expect(try await groups([card], [other]) == [["a", "b"]])
        let mail = Card("Ada", "Lovelace", emails: ["Ada@Example.com"]).named("a")
        #expect(
            try await groups([mail], [Card("Ada", "Lovelace", emails: ["ada@example.com"]).named("b")]) == [["a", "b"]])
    }

    @Test("Never by name alone, and never by a number alone") func neverAlone() async throws {
        let ada = Card("Ada", "Lovelace", phones: ["0664 1234567"]).named("a")
        #expect(try await groups([ada], [Card("Ada", "Lovelace", phones: ["0664 7654321"]).named("b")]).count == 2)
        #expect(try await groups([ada], [Card("Ada", "Lovelace").named("b")]).count == 2)
        // The family's landline; father and son of one name.
        #expect(try await groups([ada], [Card("Ralph", "Lovelace", phones: ["0664 1234567"]).named("b")]).count == 2)
        let son = Card("Ada", "Lovelace", phones: ["0664 1234567"]).named("b").with {
            $0.name.components.append(.init(.generation, "Jr."))
        }
        #expect(try await groups([ada], [son]).count == 2)
        // As vCards before RFC 9554 write it; a degree among the suffixes makes nobody another person.
        for (suffix, count) in [("jun.", 2), ("III", 2), ("MSc", 1)] {
            let other = Card("Ada", "Lovelace", phones: ["0664 1234567"]).named("b").with {
                $0.name.components.append(.init(.credential, suffix))
            }
            #expect(try await groups([ada], [other]).count == count)
        }
        let nameless = [Card("", phones: ["0664 1234567"]).named("a"), Card("", phones: ["0664 1234567"]).named("b")]
        #expect(try await groups(nameless).count == 2)
    }

    @Test("Short codes and short numbers without E.164 form link nobody; whole numbers without it do")
    func digits()
        async throws
    {
        func pair(_ number: String) -> [Card] {
            ["a", "b"].map { Card("Taxi", phones: [number]).named($0) }
        }
        #expect(try await groups(pair("112")).count == 2)
        #expect(try await groups(pair("*100#")).count == 2)
        let world = try BookWorld(TestSource(pair("123-4567").entries), region: nil)
        #expect(try await world.book.loaded().count == 1)
    }

    @Test("Chains are linked whole: A with B, B with C") func chains() async throws {
        let a = Card("Ada", "Lovelace", phones: ["0664 1234567"]).named("a")
        let b = Card("Ada", "Lovelace", uid: "1", phones: ["0664 1234567"], emails: ["ada@example.com"]).named("b")
        let c = Card("Ada", "Lovelace", emails: ["ada@example.com"]).named("c")
        let d = Card("A.", "Lovelace", uid: "1").named("d")
        #expect(try await groups([a], [c, b], [d]) == [["a", "b", "c", "d"]])
        #expect(try await groups([a], [c], [d]).count == 3)
    }

    @Test(
        "A uid shared by different people links nobody: no common word in the names, or a dozen cards of one source"
    )
    func copiedUID() async throws {
        let ada = Card("Ada", "Lovelace", uid: "template").named("a")
        let bob = Card("Bob", "Ross", uid: "template").named("b")
        #expect(try await groups([ada, bob]).count == 2)
        // Without a name, or with a number in common, it is believed.
        #expect(try await groups([ada], [Card("", uid: "template").named("b")]).count == 1)
        #expect(
            try await groups(
                [Card("Mum", uid: "1", phones: ["0664 1234567"]).named("a")],
                [Card("Ursula", "Smith", uid: "1", phones: ["06641234567"]).named("b")]
            ).count == 1)
        let copies = (0..<11).map { Card("Ada", "Smith", uid: "1").named("\($0)") }
        #expect(try await groups(Array(copies.dropLast())).count == 1)
        #expect(try await groups(copies).count == 11)
    }

    @Test(
        "A shared uid and one common word link nobody: families, companies, father and son, married people",
        arguments: [
            (("Anna", "Huber"), ("Josef", "Huber")), (("Huber", nil), ("Anna", "Huber")),
            (("ACME Sales", nil), ("ACME Support", nil)), (("Ada", "Lovelace"), ("Ada", "King")),
            (("Number 1", "Smith"), ("Number 2", "Smith")), (("van Dyck", nil), ("Anna", "van Dyck")),
        ] as [((String, String?), (String, String?))])
    func sharedWord(one: (String, String?), other: (String, String?)) async throws {
        let cards = [
            Card(one.0, one.1, uid: "1").named("a"), Card(other.0, other.1, uid: "1").named("b"),
        ]
        #expect(try await groups(cards).count == 2)
        #expect(try await groups([cards[1]], [cards[0]]).count == 2)
        // With a number in common they are one.
        let reached = cards.map { $0.with { $0.phones = [.init(id: "1", number: "0664 1234567")] } }
        #expect(try await groups(reached).count == 1)
    }

    @Test("Companies with one uid and one common word stay separate, and so do father and son")
    func sharedUID() async throws {
        func company(_ name: String) -> Card {
            Card("", uid: "1").with {
                $0.name = Card.Name()
                $0.organizations = [Card.Organization(id: "1", name: name)]
            }.named(name)
        }
        #expect(try await groups([company("ACME"), company("ACME Sales")]).count == 2)
        #expect(try await groups([company("ACME")], [company("ACME")]).count == 1)
        let son = Card("Ada", "Lovelace", uid: "1").with { $0.name.components.append(.init(.generation, "Jr.")) }
        #expect(try await groups([son.named("a"), Card("Ada", "Lovelace", uid: "1").named("b")]).count == 2)
    }

    @Test(
        "A shared uid links names that agree: a part of a name, an initial, another spelling",
        arguments: [("Ada", "Lovelace"), ("Ada", nil), ("A.", "Lovelace"), ("Lovelace", "Ada")] as [(String, String?)])
    func agreeing(given: String, family: String?) async throws {
        let ada = Card("Ada", "Lovelace", uid: "1").named("a")
        #expect(try await groups([ada], [Card(given, family, uid: "1").named("b")]).count == 1)
    }

    @Test("A card without a full name never links two people with its uid") func betweenTwo() async throws {
        let people = [Card("Ada", "King", uid: "1").named("a"), Card("Ada", "Ross", uid: "1").named("b")]
        for odd in [Card("Ada", uid: "1").named("c"), Card("", uid: "1").named("c")] {
            #expect(try await groups(people + [odd]) == [["a"], ["b"], ["c"]])
            #expect(try await groups([odd], people) == [["a"], ["b"], ["c"]])
        }
    }

    @Test(
        "Spellings of one name are equal: umlauts as two letters, names with or without a space",
        arguments: [
            ("Joerg Müller", "Jörg Mueller"), ("Joerg", "Jörg"), ("Jo\u{308}rg", "Joerg"), ("Jorg", "Jörg"),
            ("Søren", "Soeren"), ("山田太郎", "山田 太郎"), ("山田　太郎", "山田太郎"), ("太郎 山田", "山田 太郎"), ("김민수", "김 민수"),
        ])
    func spellings(one: String, other: String) async throws {
        func card(_ name: String) -> Card { Card(name, phones: ["0664 1234567"]).named(name) }
        #expect(try await groups([card(one)], [card(other)]).count == 1)
        #expect(try await groups([card(other), card(one)]).count == 1)
        func twin(_ name: String) -> Card { Card(name, uid: "1").named(name) }
        #expect(try await groups([twin(one)], [twin(other)]).count == 1)
        // Not by the name alone.
        #expect(try await groups([Card(one).named("a")], [Card(other).named("b")]).count == 2)
    }

    @Test("A name in two parts is the same as in one, where names are written without spaces") func parts() async throws
    {
        let whole = Card("山田太郎", phones: ["0664 1234567"]).named("a")
        #expect(try await groups([whole], [Card("太郎", "山田", phones: ["06641234567"]).named("b")]).count == 1)
        let sisters = [("민수", "김"), ("수민", "김")].map { Card($0, $1, phones: ["0664 1234567"]).named($0) }
        #expect(try await groups(sisters).count == 2)
    }

    @Test("Names with ae, oe or ue that are no umlauts stay different names") func noUmlauts() async throws {
        let family = ["Michael", "Michal"].map { Card($0, "Novak", phones: ["0664 1234567"]).named($0) }
        #expect(try await groups(family).count == 2)
    }

    @Test("A group is never linked with a person; a company with the card that calls it a person") func kinds()
        async throws
    {
        let person = Card("Chess", uid: "1", emails: ["chess@example.com"]).named("a")
        let group = person.with { $0.kind = .group }.named("b")
        #expect(try await groups([person], [group]).count == 2)
        #expect(try await groups([group], [group.named("c")]).count == 1)
        var company = Card("", phones: ["01 2345678"]).named("a")
        company.name = Card.Name()
        company.organizations = [Card.Organization(id: "1", name: "ACME")]
        let flagged = company.with {
            $0.kind = .org; $0.name.full = "ACME"
        }.named("b")
        #expect(try await groups([company], [flagged]) == [["a", "b"]])
    }

    @Test(
        "Any order of sources and cards gives the same contacts, which follow the rule",
        arguments: 0..<40 as Range<UInt64>)
    func anyOrder(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
        let cards = (0..<30).map { number in
            Card(
                pick(["Ada", "Bob", "Cleo"]), pick(["King", "Ross", nil]), uid: pick([nil, nil, "1", "2", "3"]),
                phones: pick([[], ["0664 1111111"], ["0664 2222222"], ["+436641111111", "0664 2222222"]]),
                emails: pick([[], ["x@example.com"]])
            ).named("\(number)")
        }
        let expected = Oracle.groups(cards)
        #expect(try await groups(cards) == expected)
        let shuffled = cards.shuffled(using: &random)
        let cut = Int.random(in: 0...30, using: &random)
        #expect(try await groups(Array(shuffled[..<cut]), Array(shuffled[cut...])) == expected)
    }

    /// The rule once more, card by card, as its words say.
    private enum Oracle {
        static func groups(_ cards: [Card]) -> Set<Set<String>> {
            var groups = cards.map { [$0] }
            while let (one, other) = groups.indices.lazy.flatMap({ one in groups.indices.map { (one, $0) } })
                .first(where: { one, other in
                    one < other
                        && groups[one].contains { card in groups[other].contains { isOne(card, $0, of: cards) } }
                })
            {
                groups[one] += groups.remove(at: other)
            }
            return Set(groups.map { Set($0.map(\.notes[0].note)) })
        }

        private static func isOne(_ one: Card, _ other: Card, of cards: [Card]) -> Bool {
            if isReached(one, other) && words(one) == words(other) { return true }
            guard let uid = one.uid, uid == other.uid else { return false }
            if isReached(one, other) || words(one) == words(other) { return true }
            let twins = cards.filter { $0.uid == uid }
            return agree(one, other) && !isAmbiguous(one, among: twins) && !isAmbiguous(other, among: twins)
        }

        private static func isAmbiguous(_ card: Card, among twins: [Card]) -> Bool {
            let like = twins.filter { $0.notes != card.notes && agree($0, card) }
            return like.contains { one in like.contains { !agree(one, $0) && !isReached(one, $0) } }
        }

        /// A given name stands for the whole one.
        private static func agree(_ one: Card, _ other: Card) -> Bool {
            let (shorter, longer) = words(one).count <= words(other).count ? (one, other) : (other, one)
            return words(shorter) == words(longer) || words(shorter) == [longer.name.components[0].value]
        }

        private static func isReached(_ one: Card, _ other: Card) -> Bool {
            func reaching(_ card: Card) -> Set<String> {
                Set(card.phones.map { String($0.number.filter(\.isNumber).suffix(7)) } + card.emails.map(\.address))
            }
            return !reaching(one).isDisjoint(with: reaching(other))
        }

        private static func words(_ card: Card) -> Set<String> {
            Set((card.name.full ?? "").split(separator: " ").map(String.init))
        }
    }

    // MARK: By hand

    @Test("Contacts can be linked by the user and separated again") func byHand() async throws {
        let world = try await BookWorld.loaded(Card("Ada", "Lovelace", uid: "a"), Card("Countess", uid: "b"))
        let ids = try #require(world.book.contacts).map(\.id)
        try await world.book.link(ids)
        let linked = try #require(world.book.contacts?.first)
        #expect(world.book.contacts?.count == 1)
        #expect(ids.allSatisfy { world.book.contact($0) == linked })
        try await world.book.unlink(linked.id)
        #expect(world.names?.sorted() == ["Ada Lovelace", "Countess"])
        try await world.book.link(ids)
        #expect(world.names?.count == 1)
    }

    @Test("Automatically linked cards can be separated permanently: all of them, or one of three") func apart()
        async throws
    {
        let source = TestSource(["a", "b", "c"].map { Card("Ada", "Lovelace", uid: $0, phones: ["0664 1234567"]) })
        let world = try BookWorld(source)
        let contact = try #require(try await world.book.loaded().first)
        let odd = try #require(contact.cards.first { $0.reference.name == "b" })
        try await world.book.unlink(contact.id, card: odd)
        func shown() -> Set<Set<String>> {
            Set((world.book.contacts ?? []).map { Set($0.cards.map(\.reference.name)) })
        }
        #expect(shown() == [["a", "c"], ["b"]])
        world.book.reload()
        _ = try await world.book.loaded()
        #expect(shown() == [["a", "c"], ["b"]])
        // A new card that fits both goes to one of them, and brings them not together.
        source.set(["a", "b", "c", "d"].map { Card("Ada", "Lovelace", uid: $0, phones: ["0664 1234567"]) })
        world.book.reload()
        _ = try await world.book.loaded()
        #expect(shown() == [["a", "c", "d"], ["b"]])
        try await world.book.unlink(contact.id)
        // Nobody has said anything of d and b.
        #expect(shown() == [["a"], ["b", "d"], ["c"]])
        #expect(await code { try await world.book.unlink(contact.id, card: odd) } == .notFound)
    }

    @Test("The user's decisions survive reloads and restarts, and are deleted with their source") func kept()
        async throws
    {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "address-book.sqlite")
        let cards = [Card("Ada", "Lovelace", uid: "a"), Card("Countess", uid: "b"), Card("Bob", uid: "c")]
        do {
            let world = try BookWorld(TestSource(cards), file: file)
            let contacts = try await world.book.loaded()
            try await world.book.link(contacts.filter { $0.displayName != "Bob" }.map(\.id))
        }
        let world = try BookWorld(TestSource(cards), file: file)
        #expect(try await world.book.loaded().count == 2)
        try await world.book.removeSource(BookWorld.id(0))
        world.book.addSource(TestSource(cards), id: BookWorld.id(0), name: "Again")
        #expect(try await world.book.loaded().count == 3)
        #expect(try await BookWorld(TestSource(cards), file: file).book.loaded().count == 3)
    }

    @Test("The latest decision counts, and other cards never link separated ones") func latest()
        async throws
    {
        let world = try await BookWorld.loaded(["a", "b", "c"].map { Card($0, uid: $0) })
        func id(_ name: String) throws -> Contact.ID {
            try #require(world.book.contacts?.flatMap(\.cards).first { $0.reference.name == name }?.id)
        }
        try await world.book.link([id("a"), id("b")])
        try await world.book.link([id("b"), id("c")])
        #expect(world.names?.count == 1)
        let c = try #require(world.book.contacts?.first?.cards.first { $0.reference.name == "c" })
        try await world.book.unlink(id("a"), card: c)
        #expect(world.names?.count == 2)
        try await world.book.link([id("c"), id("a")])
        #expect(world.names?.count == 1)
    }

    @Test("Impossible links are refused: unknown ids, a group with a person, more than a hundred cards")
    func refused() async throws {
        let group = Card("Chess").with { $0.kind = .group }
        let many = (0..<101).map { Card("Ada", "Lovelace", uid: "\($0)", phones: ["0664 1234567"]) }
        let world = try await BookWorld.loaded([group, Card("Bob")] + many)
        func id(_ name: String) throws -> Contact.ID {
            try #require(world.book.contacts?.first { $0.displayName == name }?.id)
        }
        #expect(await code { try await world.book.link([id("Chess"), id("Bob")]) } == .invalid)
        #expect(await code { try await world.book.link([id("Ada Lovelace"), id("Bob")]) } == .tooMany)
        #expect(await code { try await world.book.unlink(id("Ada Lovelace")) } == .tooMany)
        #expect(await code { try await world.book.link([.init(rawValue: "nobody"), id("Bob")]) } == .notFound)
    }

    @Test("An id stays the same from load to load, and finds its contact whatever is linked to it") func stableID()
        async throws
    {
        let old = TestSource([Card("Ada", "Lovelace", uid: "z", phones: ["0664 1234567"]), Card("Bob", uid: "b")])
        let new = TestSource()
        let world = try BookWorld(old, new)
        let ids = try await world.book.loaded().map(\.id)
        new.set([Card("Ada", "Lovelace", uid: "a", phones: ["0664 1234567"])])
        old.set([
            Card("Bob", uid: "b"), Card("Aaron", uid: "0"), Card("Ada", "Lovelace", uid: "z", phones: ["0664 1234567"]),
        ])
        world.book.reload()
        let contacts = try await world.book.loaded()
        #expect(contacts.map(\.id).filter(ids.contains) == ids)
        let ada = try #require(contacts.first { $0.cards.count == 2 })
        #expect(ids.contains(ada.id))
        #expect(ada.cards.map(\.id).allSatisfy { world.book.contact($0) == ada })
    }

    @Test("A linked contact has each number and address once, and the name from the oldest source") func merged()
        async throws
    {
        let phone = TestSource([Card("Ada", uid: "1", phones: ["0664 1234567"], emails: ["Ada@Example.com"])])
        let file = TestSource([
            Card(
                "Ada", "Lovelace", uid: "1", phones: ["+43 664 1234567", "01 2345678"],
                emails: ["ada@example.com", "x@y.z"])
        ])
        let contact = try #require(try await BookWorld(phone, file).book.loaded().first)
        #expect(contact.displayName == "Ada")
        #expect(contact.phones.map(\.original) == ["0664 1234567", "01 2345678"])
        #expect(contact.phones.map(\.number) == [E164("+436641234567"), E164("+4312345678")])
        #expect(contact.emails.map(\.original) == ["Ada@Example.com", "x@y.z"])
    }
}

extension Card {
    /// The card under a name by which a test knows it.
    fileprivate func named(_ name: String) -> Card { with { $0.notes = [Note(id: "1", note: name)] } }
}

extension [Card] {
    fileprivate var entries: [SourceContents.Entry] {
        enumerated().map {
            SourceContents.Entry(reference: CardReference($1.notes.first?.note ?? "\($0)"), card: $1)
        }
    }
}
