import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import PhoneNumbers
import Testing

@Suite("Numbers in the address book", .timeLimit(.minutes(15))) struct AddressBookNumberTests {
    private let cards = [
        Card("Ada", phones: ["0664 1234567"]), Card("Bob", phones: ["+39 06 1234567"]), Card("Cleo", phones: ["112"]),
    ]

    private func numbers(_ world: BookWorld) -> [String?] {
        (world.book.contacts ?? []).map { $0.phones.first?.number?.text }
    }

    @Test("A new region rereads every number and announces the differences; the choice is stored") func region()
        async throws
    {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "address-book.sqlite")
        let world = try BookWorld(TestSource(cards), file: file)
        _ = try await world.book.loaded()
        #expect(world.book.region == Region("AT"))
        #expect(numbers(world) == ["+436641234567", "+39061234567", nil])
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        try await world.book.setRegion(Region("DE"))
        #expect(numbers(world) == ["+496641234567", "+39061234567", nil])
        #expect(await recorder.hears(2).last == .changed(added: [], removed: [], modified: ["Ada"]))
        #expect(world.book.contact(withPhone: "+49 664 1234567")?.displayName == "Ada")
        #expect(world.book.contact(withPhone: "+43 664 1234567") == nil)
        #expect(world.book.suggestions(for: "+49").map(\.displayName) == ["Ada"])

        let again = try BookWorld(TestSource(cards), file: file)
        #expect(again.book.region == Region("DE"))
        #expect(try await again.book.loaded().first?.phones.first?.number == E164("+496641234567"))
        try await again.book.setRegion(nil)
        #expect(again.book.region == Region("AT"))
        #expect(numbers(again) == ["+436641234567", "+39061234567", nil])
    }

    @Test("Each extension of a switchboard is a number of the contact, in any spelling once") func extensions()
        async throws
    {
        let written = [
            "+1 650 253 0000", "+1 650 253 0000 ext. 101", "+1 (650) 253-0000 x101", "tel:+1-650-253-0000;ext=102",
        ]
        let world = try BookWorld(TestSource([Card("Ada", phones: written)]), parser: LibPhoneNumber())
        _ = try await world.book.loaded()
        let phones = try #require(world.book.contacts?.first).phones
        #expect(phones.map { $0.extension } == [nil, "101", "102"])
        #expect(phones.map { $0.original } == [written[0], written[1], written[3]])
        #expect(phones.allSatisfy { $0.number == E164("+16502530000") })
        // A call comes from the switchboard.
        #expect(world.book.contact(withPhone: "+1 650 253 0000")?.displayName == "Ada")
    }

    @Test("Trap: Normalising a number twice corrupts it – each time it is read from what was written") func twice()
        async throws
    {
        // Dialled in Italy, the number keeps its zero; dialled in Austria it loses it, and gets it back.
        let world = try await BookWorld.loaded(Card("Ada", phones: ["06 1234567"]))
        for _ in 0..<3 {
            try await world.book.setRegion(Region("IT"))
            #expect(numbers(world) == ["+39061234567"])
            #expect(world.book.contacts?.first?.phones.first?.original == "06 1234567")
            try await world.book.setRegion(Region("AT"))
            #expect(numbers(world) == ["+4361234567"])
            world.book.reload()
            _ = try await world.book.loaded()
            #expect(numbers(world) == ["+4361234567"])
        }
    }

    @Test("A region that is set before a load starts no load, and applies later") func before() async throws {
        let source = TestSource(cards)
        let world = try BookWorld(source)
        try await world.book.setRegion(Region("DE"))
        #expect(source.loads == 0)
        #expect(try await world.book.loaded().first?.phones.first?.number == E164("+496641234567"))
    }

    @Test("The numbers of a source that fails while the region changes are still read again") func failing()
        async throws
    {
        let source = TestSource(cards)
        let world = try BookWorld(source)
        _ = try await world.book.loaded()
        source.failure = KithError(.offline, "The server cannot be reached.")
        source.hold()
        world.book.reload()
        await source.begun(2)
        let choice = Task { try await world.book.setRegion(Region("DE")) }
        source.letGo()
        try await choice.value
        #expect(numbers(world) == ["+496641234567", "+39061234567", nil])
    }

    @Test("Without a parser a number that was written with its country's code has its true form; others go by digits")
    func withoutParser() async throws {
        let cards = [
            Card("Ada", phones: ["+43 (664) 123-45.67"]), Card("Bob", phones: ["0664 7654321"]),
            Card("Cleo", phones: ["+44 (0)20 7946 0000"]), Card("Dora", phones: ["+1 800 FLOWERS"]),
        ]
        let world = try BookWorld(TestSource(cards), parser: nil)
        _ = try await world.book.loaded()
        #expect(numbers(world) == ["+436641234567", nil, nil, nil])
        #expect(world.book.contact(withPhone: "+436641234567")?.displayName == "Ada")
        #expect(world.book.contact(withPhone: "0664-7654321")?.displayName == "Bob")
        #expect(world.book.suggestions(for: "0664 7").map(\.displayName) == ["Bob"])
    }

    @Test("A contact has each number once, and all that it has") func each() async throws {
        let card = Card(
            "Ada", phones: ["0664 1234567", "+436641234567", "112", "1-1-2", "ask Bob", "ask Bob", "ask Eve"])
        let contact = try #require(try await BookWorld.loaded(card).book.contacts?.first)
        #expect(contact.phones.map(\.original) == ["0664 1234567", "112", "ask Bob", "ask Eve"])
    }
}
