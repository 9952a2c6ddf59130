import Foundation
import Kith
import KithDiscovery
import KithModel
import Testing

@Suite("An account belongs to one server") struct HomeServerTests {
    private static let here = "https://kith.example.com"
    private static let there = "https://other.example.com"

    /// A device that has an account with a list and an unsent edit, and the same device with a wrong address.
    private struct Moved {
        let folder = TemporaryFolder()
        let home = FakeServer()
        let other = FakeServer.other()
        let credentials = InMemoryCredentialStore()
        let account: AccountID
        let list: ListID
        let stray: Phone

        init() async throws {
            let phone = try Phone(home, file: folder.replica, credentials: credentials, address: here)
            list = try await phone.lists.create("Groceries").id
            try await phone.client.syncNow()
            account = try #require(try await phone.client.session.account())
            try await phone.lists.add("Milk", to: list)
            stray = try Phone(other, file: folder.replica, seed: 2, credentials: credentials, address: there)
        }

        func phone(at address: String = here) throws -> Phone {
            try Phone(home, file: folder.replica, seed: 3, credentials: credentials, address: address)
        }
    }

    @Test("Law 13: Nothing of an account is sent to another server than its own") func nothingSent() async throws {
        let moved = try await Moved()
        #expect(await code { try await moved.stray.client.syncNow() } == .otherServer)
        #expect(await code { try await moved.stray.client.session.verify() } == .otherServer)
        #expect(await code { try await moved.stray.client.session.deleteAccount() } == .otherServer)
        #expect(await code { _ = try await moved.stray.lists.links(of: moved.list) } == .otherServer)
        let emails = ["grace@example.com"]
        #expect(await code { _ = try await moved.stray.client.discovery.look(for: emails) } == .otherServer)
        #expect(moved.other.requests.isEmpty, "Not even a token.")
    }

    @Test("Trap: One wrong address signs the device out of the right server") func wrongAddress() async throws {
        let moved = try await Moved()
        #expect(await code { try await moved.stray.client.syncNow() } == .otherServer)
        let status = try await moved.stray.client.status()
        #expect(status.session == .anonymous)
        #expect(status.waiting == 1)
        #expect(status.lastError?.code == .otherServer)
        let sentence = try #require(status.lastError?.sentence)
        #expect(sentence.contains(Self.here) && sentence.contains(Self.there))
        #expect(try moved.stray.query("SELECT * FROM mutation WHERE number IS NOT NULL AND taken IS NULL").isEmpty)
        let phone = try moved.phone()
        try await phone.client.syncNow()
        #expect(moved.home.change { $0.titles(in: moved.list) } == ["Milk"])
        #expect(try await phone.client.status().lastError == nil)
    }

    @Test("A 401 of another server, which took over the address, ends no session") func addressTakenOver() async throws
    {
        let moved = try await Moved()
        let phone = try moved.phone()
        try await phone.client.session.verify()
        // The client has asked which server it is; only then another one answers.
        moved.home.change { world in
            world.tokens = [:]
            world.server = ServerID("01900000-0000-7000-8000-00000000000f")
        }
        #expect(await code { try await phone.client.syncNow() } == .otherServer)
        #expect(try await phone.client.session.state() == .anonymous)
        #expect(try await phone.waiting() == 1)
    }

    @Test("A server that has moved to another address is recognised by its id") func movedServer() async throws {
        let moved = try await Moved()
        let phone = try moved.phone(at: "https://new.example.com:8443/")
        try await phone.client.syncNow()
        #expect(moved.home.change { $0.titles(in: moved.list) } == ["Milk"])
        let store = try #require(try await phone.client.accounts.store(.account(moved.account)))
        #expect(store.address?.absoluteString == "https://new.example.com:8443")
        #expect(store.server == moved.home.change(\.server))
    }

    @Test("Opening a session on another server makes a different account, and says what it hides") func openElsewhere()
        async throws
    {
        let moved = try await Moved()
        let opened = try await moved.stray.client.session.open()
        #expect(opened.account != moved.account)
        #expect(opened.hidden.stores.map(\.scope) == [.account(moved.account)])
        #expect(opened.hidden.waiting == 1)
        try await moved.stray.client.syncNow()
        #expect(!moved.other.rounds.contains { !$0.mutations.isEmpty })
        let stores = try await moved.stray.client.accounts.all()
        #expect(stores.map(\.address?.absoluteString) == [Self.here, Self.there])
        #expect(stores.map(\.hasToken) == [true, true])
    }

    @Test("A fresh account with an invalid token does not continue under a session of another server")
    func freshElsewhere()
        async throws
    {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let home = FakeServer()
        let other = FakeServer.other()
        let phone = try Phone(home, file: folder.replica, credentials: credentials, address: Self.here)
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.create("Groceries")
        let stray = try Phone(other, file: folder.replica, seed: 2, credentials: credentials, address: Self.there)
        try await stray.client.session.open()
        try await stray.client.syncNow()
        #expect(!other.rounds.contains { !$0.mutations.isEmpty })
        #expect(try await stray.lists.all(within: .account(first)).map(\.name) == ["Groceries"])
    }

    @Test("Nor does an account with an earlier ended session that opens a session on another server")
    func endedElsewhere()
        async throws
    {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let phone = try Phone(file: folder.replica, credentials: credentials, address: Self.here)
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.create("Groceries")
        let over = KithError(.unauthorized, "A proxy's.")
        #expect(try !phone.rounds.fail(over, by: phone.account().device))
        #expect(try phone.account().state == .initial)
        let other = FakeServer.other()
        let stray = try Phone(other, file: folder.replica, seed: 2, credentials: credentials, address: Self.there)
        try await stray.client.syncNow()
        #expect(try await stray.client.session.account() != first)
        #expect(try await stray.lists.all().isEmpty)
        #expect(try await stray.lists.all(within: .account(first)).map(\.name) == ["Groceries"])
        #expect(!other.rounds.contains { !$0.mutations.isEmpty })
    }

    @Test("A server that has neither an id nor an address is the same as before") func namelessServer() async throws {
        let phone = try Phone()
        phone.server.change { $0.server = nil }
        try await phone.client.syncNow()
        let list = try await phone.lists.create("Groceries")
        #expect(try !phone.rounds.fail(KithError(.unauthorized, "A proxy's."), by: phone.account().device))
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.id) == [list.id])
        #expect(try await phone.client.accounts.all().count == 1, "The store goes on under the new session.")
    }

    @Test("A running client requests no live stream from another server") func noStreamElsewhere() async throws {
        let moved = try await Moved()
        let tokens = moved.home.change(\.tokens)
        moved.other.change { $0.tokens = tokens }
        let clock = moved.other.clock
        let dependencies = Dependencies(
            now: { clock.now }, random: RandomSource(SplitMix64(seed: 4)), pause: { _ in await Task.yield() })
        let replica = try Replica(.file(moved.folder.replica), dependencies: dependencies)
        let client = try KithClient(
            replica: replica, transport: moved.other, server: URL(string: Self.there), credentials: moved.credentials)
        try await running(client) {
            // The round asks once; the live stream again and again.
            try await until { moved.other.identifications >= 5 || !moved.other.requests.isEmpty }
        }
        #expect(moved.other.requests.isEmpty, "Not even a token.")
    }

    @Test("When the account's own server has the address again, the next attempt finds it") func backAgain()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let again = try Phone(
            phone.server, database: phone.client.replica.database, seed: 2, credentials: phone.credentials)
        let home = phone.server.change(\.server)
        phone.server.change { $0.server = ServerID("01900000-0000-7000-8000-00000000000f") }
        #expect(await code { try await again.client.syncNow() } == .otherServer)
        phone.server.change { $0.server = home }
        try await again.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("A server at the account's address is not recorded as its own before it has accepted the token")
    func notBelieved() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let old = FakeServer()
        old.change { $0.server = nil }
        let phone = try Phone(old, file: folder.replica, credentials: credentials, address: Self.here)
        try await phone.lists.create("Groceries")
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.account())
        let other = FakeServer.other()
        let stray = try Phone(other, file: folder.replica, seed: 2, credentials: credentials, address: Self.here)
        _ = try? await stray.client.syncNow()
        #expect(other.requests.contains { $0.token != nil })
        #expect(try await stray.client.accounts.store(.account(first))?.server == nil)
    }

    @Test("A new address is recorded with the requested account, even if another has become current")
    func settledBehind() async throws {
        let moved = try await Moved()
        let phone = try moved.phone(at: "https://new.example.com")
        let session = moved.home.change { $0.openSession(at: moved.home.clock.now) }
        _ = try await phone.client.session.activate(token: session.token)
        try await phone.client.session.select(.account(moved.account))
        let again = try moved.phone(at: "https://newer.example.com")
        moved.home.wire.instead = { request in
            if request.path == "/ready" {
                try again.execute("UPDATE account SET isCurrent = (id IS NOT NULL AND isCurrent = 0)")
                moved.home.mend()
            }
            return nil
        }
        try await again.client.syncNow()
        #expect(try await again.client.session.account() == session.account)
        let store = try #require(try await again.client.accounts.store(.account(moved.account)))
        #expect(store.address?.absoluteString == "https://newer.example.com")
    }

    @Test("A token of this device is not sent to another server to be activated there") func foreignToken() async throws
    {
        let moved = try await Moved()
        let token = try #require(try moved.credentials.token(for: moved.account))
        #expect(await code { _ = try await moved.stray.client.session.activate(token: token) } == .otherServer)
        #expect(moved.other.requests.isEmpty)
    }

    @Test("Another server cannot take an account over by naming it") func namedByAnother() async throws {
        let moved = try await Moved()
        moved.other.change { $0.tokens["made up"] = moved.account }
        #expect(await code { _ = try await moved.stray.client.session.activate(token: "made up") } == .otherServer)
        #expect(try moved.credentials.token(for: moved.account) != "made up")
        let phone = try moved.phone()
        try await phone.client.syncNow()
        #expect(moved.home.change { $0.titles(in: moved.list) } == ["Milk"])
    }

    @Test("A server without an id counts as the server of its address") func serverWithoutID() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let old = FakeServer()
        old.change { $0.server = nil }
        let phone = try Phone(old, file: folder.replica, credentials: credentials, address: Self.here)
        try await phone.client.syncNow()
        let stray = try Phone(
            FakeServer.other(), file: folder.replica, seed: 2, credentials: credentials, address: Self.there)
        #expect(await code { try await stray.client.syncNow() } == .otherServer)
        // It is upgraded, and has an id from then on.
        let id = ServerID("01900000-0000-7000-8000-00000000000a")
        old.change { $0.server = id }
        let again = try Phone(old, file: folder.replica, seed: 3, credentials: credentials, address: "\(Self.here)/")
        try await again.client.syncNow()
        #expect(try await again.client.status().server == id)
    }

    @Test("An account that does not know its server learns it from the first that accepts its token") func learns()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        try phone.execute("UPDATE account SET server = NULL, address = NULL")
        let tokens = phone.server.change { world in
            defer { world.tokens = [:] }
            return world.tokens
        }
        let again = try Phone(phone.server, database: phone.client.replica.database, credentials: phone.credentials)
        #expect(await code { try await again.client.syncNow() } == .otherServer, "It may be another's word.")
        #expect(try await again.client.session.state() == .anonymous)
        phone.server.change { $0.tokens = tokens }
        try await again.client.syncNow()
        #expect(try await again.client.status().server == phone.server.change(\.server))
    }

    @Test("The server's id is requested once, and again after it could not be reached") func askedOnce() async throws {
        let (phone, _, _) = try await Phone.withItem()
        #expect(phone.server.identifications == 1)
        phone.server.goAway()
        _ = try? await phone.client.syncNow()
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.identifications == 2)
    }

    // MARK: Links

    @Test("A link of another server says so before anything is sent", arguments: ["links", "public"])
    func linkOfAnother(kind: String) async throws {
        let server = FakeServer()
        let elsewhere = [Self.there: FakeServer.other()]
        let phone = try Phone(server, address: Self.here, elsewhere: elsewhere)
        let link = "\(Self.there)/v1/\(kind)/secret"
        let error = await #expect(throws: KithError.self) { _ = try await phone.lists.preview(link: link) }
        #expect(error?.code == .otherServer)
        let ids = [elsewhere[Self.there]?.change(\.server), server.change(\.server)]
        let (theirs, ours) = (try #require(ids[0]), try #require(ids[1]))
        #expect(
            error?.sentence.hasPrefix(
                "The link belongs to \(Self.there) (server \(theirs)), and this client speaks with \(Self.here) (server \(ours))."
            ) == true)
        #expect(await code { _ = try await phone.lists.publicList(link: link) } == .otherServer)
        #expect(await code { _ = try await phone.lists.accept(link: link) } == .otherServer)
        #expect(!server.requests.contains { $0.path.contains("secret") })
        #expect(elsewhere[Self.there]?.requests.isEmpty == true)
    }

    @Test("A link with another address of the same server is opened") func linkOfTheSame() async throws {
        let server = FakeServer()
        let phone = try Phone(server, address: Self.here, elsewhere: ["http://127.0.0.1:8480": server])
        _ = try? await phone.lists.preview(link: "http://127.0.0.1:8480/v1/links/secret")
        #expect(server.requests.map(\.path) == ["/v1/links/secret"])
    }

    @Test("An unknown link with an unreachable server belongs to another server")
    func unknownLink() async throws {
        let phone = try Phone(address: Self.here, elsewhere: [:])
        let error = await #expect(throws: KithError.self) {
            _ = try await phone.lists.preview(link: "\(Self.there)/v1/links/x")
        }
        #expect(error?.code == .otherServer)
        let sentence = "The link belongs to \(Self.there), and this client speaks with \(Self.here)."
        #expect(error?.sentence.hasPrefix(sentence) == true)
        #expect(await code { _ = try await phone.lists.preview(link: "\(Self.here)/v1/links/x") } == .notFound)
        #expect(await code { _ = try await phone.lists.preview(link: "x") } == .notFound)
    }
}
