import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

@Suite("A source that is slow", .timeLimit(.minutes(15))) struct AddressBookSlowSourceTests {
    let ada = Card("Ada", "Lovelace", uid: "ada", phones: ["0664 1234567"])
    let king = Card("Ada", "King", uid: "ada", phones: ["0664 1234567"])
    let bob = Card("Bob", "Ross", uid: "bob")
    let file: TestSource
    let account: TestSource
    let world: BookWorld
    let recorder = Recorder()

    /// A load has shown Ada, whose file was read, and gone on without Bob, whose account hangs.
    init() async throws {
        file = TestSource([ada])
        account = TestSource([bob])
        account.hold()
        world = try BookWorld(file, account)
        world.book.subscribe(recorder)
        await account.begun(1)
        #expect(await world.alarms.isSet() == AddressBookMachine.loadTimeout)
        world.alarms.ring()
        #expect(await recorder.hears(1) == [.changed(added: ["Ada Lovelace"], removed: [], modified: [])])
    }

    @Test("Trap: A hanging source hides all others – the others are shown, and it follows when it is read")
    func shownWhenItComes() async throws {
        #expect(world.book.sources.map(\.state) == [.loaded, .loading(done: 0, of: nil)])
        // What is asked of the others meanwhile is done.
        try await world.book.setRegion(Region("IT"))
        world.alarms.letTimePass()
        file.change([king])
        #expect(await recorder.heard(.changed(added: [], removed: [], modified: ["Ada King"])))
        account.letGo()
        #expect(await recorder.heard(.changed(added: ["Bob Ross"], removed: [], modified: [])))
        #expect(try await world.book.loaded().count == 2)
        #expect(account.loads == 1)
        #expect(world.book.contact(withPhone: "0664 1234567")?.phones.first?.number == E164("+3906641234567"))
    }

    @Test("A source that is removed while it hangs delays nobody, and its late result is not shown")
    func removed() async throws {
        try await world.book.removeSource(BookWorld.id(1))
        account.letGo()
        file.change([king])
        #expect(await recorder.heard(.changed(added: [], removed: [], modified: ["Ada King"])))
        #expect(try await world.book.loaded().map(\.displayName) == ["Ada King"])
    }

    @Test("Waiting for all sources can be cancelled") func cancelled() async throws {
        let waiting = Task { try await world.book.loaded() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        account.letGo()
        #expect(try await world.book.loaded().count == 2)
    }
}
