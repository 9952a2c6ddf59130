import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Synchronization
import Testing

/// How an account's requests follow each other.
@Suite("The schedule of a CardDAV account", .timeLimit(.minutes(15))) struct CardDAVPaceTests {
    private let server = FakeDAVServer()

    private func fill(_ count: Int) {
        server.change { state in
            for number in 0..<count { state.set("c\(number).vcf", card("Person \(number)", uid: "u\(number)")) }
        }
    }

    @Test("At most four requests for cards run at once") func parallel() async throws {
        fill(950)
        let crowd = CrowdedTransport(server, size: 4)
        let contents = try await Account(FakeDAVServer.address, crowd).open().contents()
        #expect(contents.entries.count == 950)
        #expect(crowd.most == 4)
    }

    @Test("Cards that arrive far too slowly are given up after a quarter of an hour")
    func drips() async throws {
        fill(100)
        let clock = ManualClock()
        let dripping = DrippingTransport(server, clock: clock)
        let source = try Account(FakeDAVServer.address, dripping, clock: clock).open()
        #expect(await code { _ = try await source.contents() } == .offline)
        #expect(dripping.count.value < 40)
    }

    @Test(
        "A card that trickles in is reported, and the others are shown",
        arguments: [["c7.vcf"], ["c7.vcf", "c38.vcf", "c61.vcf", "c95.vcf"]])
    func oneDrips(paths: [String]) async throws {
        fill(100)
        let clock = ManualClock()
        let dripping = DrippingTransport(server, clock: clock, paths: Set(paths))
        let source = try Account(FakeDAVServer.address, dripping, clock: clock).open()
        let contents = try await source.contents()
        // With several, the deadline comes first: what has come by then is shown.
        #expect(paths.count == 1 ? contents.entries.count == 99 : (1..<97).contains(contents.entries.count))
        #expect(contents.faults.total == 100 - contents.entries.count)
    }

    @Test("An account is polled at the app's interval, and every minute while it is observed") func watched()
        async throws
    {
        var account = try Account(FakeDAVServer.address, server)
        account.schedule = PollingSchedule(every: .seconds(300))
        let source = try await account.loaded()
        _ = server.asked()
        let changes = source.changes()
        for _ in 0..<4 { await account.clock.pass(.seconds(60)) }
        await account.clock.asleep()
        #expect(server.asked() == [])
        await account.clock.pass(.seconds(60))
        await account.clock.asleep()
        #expect(server.asked() == ["PROPFIND /ada/"])
        account.schedule.beginWatching()
        for _ in 0..<2 {
            await account.clock.pass(.seconds(60))
            await account.clock.asleep()
        }
        #expect(server.asked().count == 2)
        account.schedule.endWatching()
        await account.clock.pass(.seconds(60))
        await account.clock.asleep()
        #expect(server.asked() == [])
        _ = changes
    }

    @Test("An account is observed while a listener receives changes") func listening() async throws {
        let book = try BookWorld(TestSource([Card("Ada")])).book
        let listening = Task { for await _ in book.changes() {} }
        while book.schedule.interval != PollingSchedule.whileWatched { await Task.yield() }
        listening.cancel()
        await listening.value
        while book.schedule.interval == PollingSchedule.whileWatched { await Task.yield() }
        #expect(PollingSchedule(every: .zero).interval == PollingSchedule.shortest)
    }

    @Test("The app's interval applies to every account") func setting() async throws {
        var configuration = KithConfiguration(storage: .inMemory)
        #expect(configuration.accountInterval == .seconds(15 * 60))
        configuration.accountInterval = .seconds(300)
        let book = try KithClient(configuration).addressBook
        #expect(book.schedule.interval == .seconds(300))
        let address = try #require(URL(string: "http://localhost:1/"))
        let id = try await book.addSource(.cardDAV(address, user: "ada"), password: "secret")
        let source = try #require(book.source(id) as? CardDAVSource)
        #expect(source.schedule === book.schedule)
    }

    // MARK: One account

    @Test(
        "One account under several spellings of its address is one source",
        arguments: [
            "https://dav.example.com", "https://DAV.example.com:443/", "https://dav.example.com/.well-known/carddav",
        ])
    func spellings(address: String) async throws {
        let book = try BookWorld().book
        let first = try #require(URL(string: "https://dav.example.com/"))
        let id = try await book.addSource(.cardDAV(first, user: "ada"), password: "secret")
        let again = try #require(URL(string: address))
        #expect(try await book.addSource(.cardDAV(again, user: "ada"), password: "new") == id)
        #expect(book.sources.count == 1)
        #expect(try await book.addSource(.cardDAV(again, user: "ben"), password: "secret") != id)
    }

    @Test("One account under several addresses is one source, as its server says") func addresses() async throws {
        let server = try LoopbackServer { head, connection in
            let home = head.contains(" /other") ? "/other/books/" : "/ada/"
            let body = """
                <multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><response><href>/</href><propstat><prop>\
                <C:addressbook-home-set><href>\(home)</href></C:addressbook-home-set></prop>\
                <status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
                """
            return connection.write("HTTP/1.1 207 Multi\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        }
        let world = try BookWorld()
        let id = try await world.book.addSource(.cardDAV(server.url(), user: "ada"), password: "secret")
        let principal = SourceLocation.cardDAV(server.url("/principals/ada/"), user: "ada")
        #expect(try await world.book.addSource(principal, password: "new") == id)
        #expect(world.book.sources.map(\.id) == [id])
        #expect(world.credentials.secret(for: .source(id.rawValue)) == "new")
        let other = SourceLocation.cardDAV(server.url("/other/"), user: "ada")
        #expect(try await world.book.addSource(other, password: "secret") != id)
    }

    @Test("A corrected password is tried at once, although the wrong one has just failed") func correctedPassword()
        async throws
    {
        let (tried, trying) = AsyncStream<Void>.makeStream()
        let right = Data("ada:right".utf8).base64EncodedString()
        let server = try LoopbackServer { head, connection in
            if head.contains("Basic \(right)") { trying.finish() }
            let refusal = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
            return connection.write(refusal)
        }
        let book = try BookWorld().book
        let account = SourceLocation.cardDAV(server.url(), user: "ada")
        try await book.addSource(account, password: "wrong")
        #expect(await code { _ = try await book.loaded() } == .unauthorized)
        // The clock of the test stands still, so no pause passes.
        try await book.addSource(account, password: "right")
        for await _ in tried {}
    }

    @Test("A book of an account is no second source, and an account is refused while a book of it is a source")
    func bookOfAccount() async throws {
        let server = try Self.accountWithOneBook()
        let world = try BookWorld()
        let account = SourceLocation.cardDAV(server.url(), user: "ada")
        let friends = SourceLocation.cardDAV(server.url("/ada/friends"), user: "ada")
        let id = try await world.book.addSource(account, password: "secret")
        #expect(try await world.book.addSource(friends, password: "secret") == id)
        let port = try #require(server.url().port)
        let local = try #require(URL(string: "http://localhost:\(port)/"))
        #expect(try await world.book.addSource(.cardDAV(local, user: "ada"), password: "secret") == id)
        #expect(world.book.sources.map(\.id) == [id])
        try await world.book.removeSource(id)
        let single = try await world.book.addSource(friends, name: "Friends", password: "secret")
        let error = await #expect(throws: KithError.self) {
            try await world.book.addSource(account, password: "secret")
        }
        #expect(error?.code == .refused && error?.sentence.hasPrefix("“Friends” is one address book") == true)
        #expect(world.book.sources.map(\.id) == [single])
    }

    @Test("An account that is a source is recognised, although one of its books is another source")
    func accountBesideBook() async throws {
        let isDown = Kept(false)
        let server = try Self.accountWithOneBook(isDown)
        let world = try BookWorld()
        let friends = SourceLocation.cardDAV(server.url("/ada/friends"), user: "ada")
        let single = try await world.book.addSource(friends, password: "secret")
        isDown.change { $0 = true }
        // The server cannot say that it is the account of the book.
        let id = try await world.book.addSource(.cardDAV(server.url(), user: "ada"), password: "secret")
        #expect(id != single)
        isDown.change { $0 = false }
        let principal = SourceLocation.cardDAV(server.url("/principals/ada/"), user: "ada")
        #expect(try await world.book.addSource(principal, password: "new") == id)
        #expect(world.book.sources.map(\.id) == [single, id])
    }

    /// A server with the account `/ada/`, which has the book `/ada/friends/`. While it is down, it answers that it is busy.
    private static func accountWithOneBook(_ isDown: Kept<Bool> = Kept(false)) throws -> LoopbackServer {
        try LoopbackServer { head, connection in
            if isDown.value { return connection.write("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n") }
            let (path, properties) =
                head.contains(" /ada/")
                ? ("/ada/friends/", "<resourcetype><collection/><C:addressbook/></resourcetype>")
                : ("/", "<C:addressbook-home-set><href>/ada/</href></C:addressbook-home-set>")
            let body = """
                <multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><response><href>\(path)</href><propstat>\
                <prop>\(properties)</prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
                """
            return connection.write("HTTP/1.1 207 Multi\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        }
    }
}

/// Answers no request for several cards before as many are under way as may be.
private final class CrowdedTransport: DAVTransport {
    private struct State {
        var underWay = 0
        var most = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let server: FakeDAVServer
    private let size: Int
    private let state = Mutex(State())

    init(_ server: FakeDAVServer, size: Int) { (self.server, self.size) = (server, size) }

    var most: Int { state.withLock { $0.most } }

    func send(_ request: DAVRequest) async throws -> DAVResponse {
        guard request.extent == .cards else { return try await server.send(request) }
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.underWay += 1
                state.most = max(state.most, state.underWay)
                state.waiting.append(continuation)
                // Once that many have met, nobody waits any more.
                if state.most < size { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in ready { continuation.resume() }
        }
        defer { state.withLock { $0.underWay -= 1 } }
        return try await server.send(request)
    }
}

/// Lets cards drip until the time for their request is over, and lets that time pass.
private final class DrippingTransport: DAVTransport {
    let count = Kept(0)
    private let server: FakeDAVServer
    private let clock: ManualClock
    /// The cards that drip; nil for all.
    private let paths: Set<String>?

    init(_ server: FakeDAVServer, clock: ManualClock, paths: Set<String>? = nil) {
        (self.server, self.clock, self.paths) = (server, clock, paths)
    }

    func send(_ request: DAVRequest) async throws -> DAVResponse {
        let asked = request.url.path() + request.text
        guard request.extent != .whole, paths?.contains(where: asked.contains) ?? true else {
            return try await server.send(request)
        }
        count.change { $0 += 1 }
        // Past the deadline of all, only its end is to come.
        if clock.now.offset >= BookSync.deadline { try await Task.sleep(for: .seconds(3_600)) }
        await clock.pass(DAVTimeouts().deadline(of: request))
        throw KithError(.offline, "It drips.", cause: DAVTooSlow(cause: CancellationError()))
    }
}
