import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Editing contacts", .timeLimit(.minutes(15))) struct AddressBookEditingTests {
    private let folder = TemporaryFolder()
    private var url: URL { folder.url.appending(path: "contacts.vcf") }

    @Test("An edited contact is shown when saving it returns, and a removed one is gone") func shown() async throws {
        try Data(card("Ada", uid: "a", "TEL:1") + card("Grace", uid: "g")).write(to: url)
        let book = try KithClient.inMemory().addressBook
        try await book.addSource(.vCardFile(url))
        let ada = try #require(try await book.loaded().first?.cards.first)
        let original = try await book.vCard(of: ada)
        let saved = try await book.save(original.with { $0.name.full = "Ida" }, editedFrom: original, of: ada)
        #expect(saved.isSent)
        #expect(book.contacts?.map(\.displayName) == ["Grace", "Ida"])
        let grace = try #require(book.contacts?.first?.cards.first)
        #expect(try await book.remove(grace, asRead: book.vCard(of: grace)))
        #expect(book.contacts?.map(\.displayName) == ["Ida"])
    }

    @Test("A waiting edit is shown while the account cannot be reached, and its source counts it")
    func waiting() async throws {
        let server = FakeDAVServer()
        server.change { $0.set("ada.vcf", card("Ada", uid: "a")) }
        let account = try Account(FakeDAVServer.address, server)
        let world = try BookWorld()
        world.book.addSource(account.open(), id: BookWorld.id(0), name: "Work")
        let ada = try #require(try await world.book.loaded().first?.cards.first)
        server.change { $0.isAway = true }
        let original = try await world.book.vCard(of: ada)
        let recorder = Recorder()
        world.book.subscribe(recorder)
        var changes = world.book.changes().makeAsyncIterator()
        _ = await changes.next()
        let saved = try await world.book.save(
            original.with { $0.name.full = "Ida" }, editedFrom: original, of: ada)
        #expect(saved.isSent == false)
        let changed = await changes.next()
        #expect(changed?.modified.map(\.displayName) == ["Ida"])
        #expect(world.book.sources.first?.waiting == 1)
        // The load that follows asks the server and fails, so the next one is due after a pause.
        #expect(await recorder.heard(.failed(["Work"])))
        server.change { $0.isAway = false }
        world.clock.advance(by: AddressBookMachine.firstPause)
        world.book.reload()
        #expect(try await world.book.loaded().map(\.displayName) == ["Ida"])
        #expect(world.book.sources.first?.waiting == 0)
    }

    @Test("An edit is shown at once while the account is not asked after a failure, whether it is sent or waits")
    func duringPause() async throws {
        let server = FakeDAVServer()
        server.change { $0.set("ada.vcf", card("Ada", uid: "a")) }
        let account = try Account(FakeDAVServer.address, server)
        let world = try BookWorld()
        let book = world.book
        book.addSource(account.open(), id: BookWorld.id(0), name: "Work")
        let ada = try #require(try await book.loaded().first?.cards.first)
        let recorder = Recorder()
        book.subscribe(recorder)
        _ = await recorder.hears(1)
        server.change { $0.isAway = true }
        book.reload()
        #expect(await recorder.hears(2).last == .failed(["Work"]))
        let original = try await book.vCard(of: ada)
        let waiting = try await book.save(
            original.with { $0.name.full = "Ida" }, editedFrom: original, of: ada)
        #expect(waiting.isSent == false)
        #expect(await recorder.hears(3).last == .changed(added: [], removed: [], modified: ["Ida"]))
        server.change { $0.isAway = false }
        let ida = try #require(book.contacts?.first?.cards.first)
        let edited = try await book.vCard(of: ida)
        let sent = try await book.save(edited.with { $0.name.full = "Eve" }, editedFrom: edited, of: ida)
        #expect(sent.isSent)
        #expect(world.names == ["Eve"])
        #expect(book.sources.first?.waiting == 0)
    }

    @Test("A source of the app's that cannot edit says so") func unsupported() async throws {
        let source = TestSource(vCards: [try VCard(card("Ada", uid: "a"))])
        let world = try BookWorld(source)
        let ada = try #require(try await world.book.loaded().first?.cards.first)
        let original = try await world.book.vCard(of: ada)
        #expect(await code { _ = try await world.book.save(original, editedFrom: original, of: ada) } == .forbidden)
        #expect(await code { _ = try await world.book.remove(ada, asRead: original) } == .forbidden)
    }

    @Test("Removing an account removes the edits that wait") func forgotten() async throws {
        let server = FakeDAVServer()
        server.change { $0.set("ada.vcf", card("Ada", uid: "a")) }
        let account = try Account(FakeDAVServer.address, server)
        let source = account.open()
        let reference = try await source.contents().reference("Ada")
        let original = try await source.vCard(reference)
        server.change { $0.isAway = true }
        _ = try await source.save(original.with { $0.name.full = "Ida" }, editedFrom: original, as: reference)
        try await SourceLocation.forget(
            id: "work", database: account.database, credentials: InMemoryCredentialStore())
        server.change { $0.isAway = false }
        let contents = try await account.open().contents()
        #expect(contents.names == ["Ada"])
        #expect(contents.waiting == 0)
    }
}
