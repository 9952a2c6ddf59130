import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

@Suite("Loading the address book", .timeLimit(.minutes(15))) struct AddressBookLoadTests {
    let ada = Card("Ada", "Lovelace", uid: "ada", phones: ["0664 1234567"])
    let bob = Card("Bob", "Ross", uid: "bob")

    @Test("Contacts are nil before a load, and reading them schedules the load") func asking() async throws {
        let source = TestSource([ada])
        source.hold()
        let world = try BookWorld(source)
        #expect(source.loads == 0)
        #expect(world.book.contacts == nil)
        await source.begun(1)
        #expect(world.book.contacts == nil)
        #expect(world.book.sections.isEmpty)
        source.letGo()
        #expect(try await world.book.loaded().map(\.displayName) == ["Ada Lovelace"])
        #expect(world.names == ["Ada Lovelace"])
        #expect(source.loads == 1)
    }

    @Test("Contacts are empty when the book is empty, with a source or without") func empty() async throws {
        let world = try BookWorld(TestSource())
        #expect(try await world.book.loaded().isEmpty)
        #expect(world.book.contacts?.isEmpty == true)
        let none = try BookWorld()
        #expect(try await none.book.loaded().isEmpty)
        #expect(none.book.contacts?.isEmpty == true)
    }

    @Test("Stale contacts stay readable while a reload runs") func stale() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        _ = try await world.book.loaded()
        source.hold()
        source.change([ada, bob])
        await source.begun(2)
        #expect(world.names == ["Ada Lovelace"])
        source.letGo()
        #expect(try await world.book.loaded().map(\.displayName) == ["Ada Lovelace", "Bob Ross"])
    }

    @Test("A change of the address book marks the cache stale and starts a reload") func change() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        source.change([bob])
        #expect(await recorder.hears(2)[1] == .changed(added: ["Bob Ross"], removed: ["Ada Lovelace"], modified: []))
        #expect(world.names == ["Bob Ross"])
    }

    @Test("Loads run one at a time; asking again adds none; changes during a load add exactly one") func oneAtATime()
        async throws
    {
        let source = TestSource([ada])
        source.hold()
        let world = try BookWorld(source)
        for _ in 0..<100 { #expect(world.book.contacts == nil) }
        await source.begun(1)
        let waiting = (0..<3).map { _ in Task { try await world.book.loaded().count } }
        world.book.reload()
        source.set([ada, bob])
        for _ in 0..<3 { world.book.reload() }
        source.letGo()
        for task in waiting { _ = try await task.value }
        #expect(try await world.book.loaded().count == 2)
        #expect(source.loads == 2)
        #expect(source.mostAtOnce == 1)
    }

    @Test("The result is delivered on the main actor, and can be read there at once") func mainActor()
        async throws
    {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        let recorder = Recorder()
        await MainActor.run {
            recorder.whenHeard = { _ in
                MainActor.assertIsolated()
                #expect(world.names == ["Ada Lovelace"])
            }
        }
        world.book.subscribe(recorder)
        #expect(await recorder.hears(1) == [.changed(added: ["Ada Lovelace"], removed: [], modified: [])])
    }

    @Test("A failed load is reported, and the next request tries again") func failure() async throws {
        let source = TestSource([ada])
        source.failure = KithError(.unreadable, "The file is a folder.")
        let world = try BookWorld(source)
        let recorder = Recorder()
        world.book.subscribe(recorder)
        #expect(await recorder.hears(1) == [.failed(["Source 0"])])
        #expect(world.book.sources.map(\.state) == [.failed(code: .unreadable, sentence: "The file is a folder.")])
        source.failure = nil
        #expect(world.book.contacts == nil)
        #expect(await world.alarms.isSet() == .seconds(1))
        world.clock.advance(by: .seconds(1))
        world.alarms.ring()
        #expect(await recorder.hears(2)[1] == .changed(added: ["Ada Lovelace"], removed: [], modified: []))
        #expect(source.loads == 2)
        #expect(world.book.sources.map(\.state) == [.loaded])
    }

    @Test("Trap: A failed load is silent – callers that wait get the error, and each load ends in success or failure")
    func trap()
        async throws
    {
        let source = TestSource([ada])
        source.failure = KithError(.offline, "The server cannot be reached.")
        let world = try BookWorld(source)
        #expect(await code { _ = try await world.book.loaded() } == .offline)
        // With something to show, a failure keeps what was there.
        source.failure = nil
        world.clock.advance(by: .seconds(1))
        #expect(try await world.book.loaded().count == 1)
        source.failure = KithError(.offline, "The server cannot be reached.")
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        world.book.reload()
        #expect(await recorder.hears(2).last == .failed(["Source 0"]))
        #expect(world.names == ["Ada Lovelace"])
        #expect(world.book.sources.first?.cards == 1)
    }

    @Test("A request at the moment of a failure causes no busy loop") func noHotLoop()
        async throws
    {
        let source = TestSource([ada])
        source.failure = KithError(.unreadable, "The file is a folder.")
        let world = try BookWorld(source)
        let recorder = Recorder()
        await MainActor.run { recorder.whenHeard = { _ in for _ in 0..<10 { _ = world.book.contacts } } }
        world.book.subscribe(recorder)
        for attempt in 1...4 {
            _ = await recorder.hears(attempt)
            #expect(source.loads == attempt)
            #expect(world.alarms.count <= 1)
            let pause = await world.alarms.isSet()
            #expect(pause == .seconds(1 << (attempt - 1)))
            world.clock.advance(by: pause)
            world.alarms.ring()
        }
        _ = await recorder.hears(5)
    }

    @Test("A source that fails is reported and keeps its contacts; the others are shown") func partlyFailed()
        async throws
    {
        let (file, account) = (TestSource([ada]), TestSource([bob]))
        let world = try BookWorld(file, account)
        #expect(try await world.book.loaded().count == 2)
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        account.failure = KithError(.offline, "The server cannot be reached.")
        file.set([ada, Card("Cleo", uid: "cleo")])
        world.book.reload()
        #expect(
            await recorder.hears(3).dropFirst() == [
                .changed(added: ["Cleo"], removed: [], modified: []), .failed(["Source 1"]),
            ])
        #expect(world.names == ["Cleo", "Ada Lovelace", "Bob Ross"])
        #expect(
            world.book.sources.map(\.state) == [
                .loaded, .failed(code: .offline, sentence: "The server cannot be reached."),
            ])
    }

    @Test("An account's cached cards are shown before it has answered, and if it never does") func cached()
        async throws
    {
        let account = TestSource([ada, bob])
        account.setCached([ada])
        account.hold()
        let world = try BookWorld(account)
        let recorder = Recorder()
        world.book.subscribe(recorder)
        _ = await recorder.hears(1)
        #expect(world.names == ["Ada Lovelace"])
        account.letGo()
        #expect(await recorder.hears(2)[1] == .changed(added: ["Bob Ross"], removed: [], modified: []))

        let offline = TestSource([ada])
        offline.setCached([ada])
        offline.failure = KithError(.offline, "The server cannot be reached.")
        #expect(try await BookWorld(offline).book.loaded().count == 1)
    }

    @Test("Trap: Access is denied and the app sees an empty book – denied is a failure, and nothing is shown as empty")
    func denied() async throws {
        let source = TestSource()
        source.failure = KithError(.denied, "Allow Kith to see your contacts in the settings.")
        let world = try BookWorld(source)
        #expect(await code { _ = try await world.book.loaded() } == .denied)
        #expect(world.book.contacts == nil)
        #expect(
            world.book.sources.map(\.state) == [
                .failed(code: .denied, sentence: "Allow Kith to see your contacts in the settings.")
            ])
    }

    @Test("Trap: Access is limited and the app takes it for the whole book – the status says so") func limited()
        async throws
    {
        let source = TestSource([ada])
        source.access = .limited
        let world = try BookWorld(source)
        _ = try await world.book.loaded()
        #expect(world.book.sources.map(\.access) == [.limited])
        source.access = .full
        world.book.reload()
        _ = try await world.book.loaded()
        #expect(world.book.sources.map(\.access) == [.full])
    }

    @Test("Trap: Contacts without a phone are dropped") func withoutPhone() async throws {
        let world = try await BookWorld.loaded(
            bob, Card("Only a name"), Card().with { $0.emails = [.init(id: "1", address: "x@example.com")] }, Card())
        #expect(world.book.contacts?.count == 4)
    }

    @Test("A removed source disappears with its contacts, even while it is being read") func removed() async throws {
        let (file, account) = (TestSource([ada]), TestSource([bob]))
        let world = try BookWorld(file, account)
        _ = try await world.book.loaded()
        try await world.book.removeSource(BookWorld.id(0))
        #expect(world.names == ["Bob Ross"])
        account.hold()
        world.book.reload()
        await account.begun(2)
        let removal = Task { try await world.book.removeSource(BookWorld.id(1)) }
        account.letGo()
        try await removal.value
        #expect(world.names == [])
        #expect(await code { try await world.book.removeSource(BookWorld.id(1)) } == .notFound)
    }

    @Test("A source that is added after a load is read at once; before a load it is not") func added()
        async throws
    {
        let late = TestSource([bob])
        let world = try BookWorld(TestSource([ada]))
        world.book.addSource(late, id: SourceIDs.late, name: "Late")
        #expect(late.loads == 0)
        #expect(try await world.book.loaded().count == 2)
        let later = TestSource([Card("Cleo", uid: "cleo")])
        world.book.addSource(later, id: SourceIDs.later, name: "Later")
        #expect(try await world.book.loaded().count == 3)
        // The same again takes its place.
        world.book.addSource(TestSource([ada, bob]), id: SourceIDs.later, name: "Later")
        #expect(try await world.book.loaded().count == 2)
        #expect(world.book.sources.map(\.name) == ["Source 0", "Late", "Later"])
    }

    @Test("The states of the sources are reported as they change: unread, loading, loaded") func statuses() async throws
    {
        let source = TestSource([ada])
        source.hold()
        let world = try BookWorld(source)
        var statuses = world.book.liveSources().makeAsyncIterator()
        #expect(await statuses.next()?.map(\.state) == [.unread])
        _ = world.book.contacts
        #expect(await statuses.next()?.map(\.state) == [.loading(done: 0, of: nil)])
        source.letGo()
        var last: SourceStatus?
        while last?.state != .loaded { last = await statuses.next()?.first }
        #expect(last?.cards == 1)
        #expect(last?.lastLoaded == world.clock.now.date)
    }

    @Test("Cards that are added to a source are shown when the call returns") func adding() async throws {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        _ = try await world.book.loaded()
        let card = try VCard(Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Dora\r\nEND:VCARD\r\n".utf8))
        #expect(try await world.book.add([card], to: BookWorld.id(0)).references.count == 1)
        #expect(world.names?.contains("Dora") == true)
        source.failure = KithError(.forbidden, "The file cannot be written.")
        #expect(await code { _ = try await world.book.add([card], to: BookWorld.id(0)) } == .forbidden)
        #expect(await code { _ = try await world.book.add([card], to: SourceIDs.late) } == .notFound)
    }

    private enum SourceIDs {
        static let late = SourceID(rawValue: "late")
        static let later = SourceID(rawValue: "later")
    }

    @Test("Streams receive a change after the subscribers, some of which keep caches that stream readers use")
    func order()
        async throws
    {
        let source = TestSource([ada])
        let world = try BookWorld(source)
        let cache = Recorder("cache")
        world.book.subscribe(cache, keepsCache: true)
        var changes = world.book.changes().makeAsyncIterator()
        _ = await changes.next()
        #expect(await cache.heard.count == 1)
        source.change([ada, bob])
        _ = await changes.next()
        #expect(await cache.heard.count == 2)
    }

    @Test("Adding a source again updates its password") func addedAgain() async throws {
        let world = try BookWorld()
        let address = try #require(URL(string: "https://dav.example.com/ada/"))
        let account = SourceLocation.cardDAV(address, user: "ada")
        let id = try await world.book.addSource(account, password: "one")
        #expect(try await world.book.addSource(account, name: "Mine", password: "two") == id)
        #expect(world.book.sources.map(\.id) == [id])
        #expect(world.credentials.secret(for: .source(id.rawValue)) == "two")
    }

    @Test("A card with thousands of names is indexed in linear time", .timeLimit(.minutes(15)))
    func manyNames() async throws {
        let card = ada.with { card in
            card.nicknames = (0..<8_000).map { Card.Nickname(id: "\($0)", name: "Nickname Number\($0)") }
        }
        let world = try await BookWorld.loaded([card])
        #expect(world.book.suggestions(for: "number7999").count == 1)
        #expect(world.book.search("nickname number4711").count == 1)
    }
}
