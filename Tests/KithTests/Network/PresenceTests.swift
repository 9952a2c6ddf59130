import Foundation
import Kith
import KithModel
import Synchronization
import Testing

@Suite("Presence events of the live stream")
struct PresenceBoardTests {
    private let phone = DeviceID(UUID())
    private let ada = AccountID(UUID())
    private let grace = AccountID(UUID())

    private func event(isWhole: Bool = false, _ people: [AccountID: Presence?]) -> PresenceEvent {
        PresenceEvent(isWhole: isWhole, people: people.map { .init(account: $0.key, presence: $0.value) })
    }

    @Test("Before the first event nothing is known; then everybody who is not named is offline") func whole() {
        var board = PresenceBoard()
        #expect(board.apply(event(isWhole: true, [ada: Presence(.online)]), from: phone).isEmpty)
        board.begin(phone)
        #expect(board.apply(event([ada: Presence(.busy)]), from: phone).isEmpty)
        #expect(board.presence(of: ada) == nil)
        #expect(board.apply(event(isWhole: true, [ada: Presence(.online)]), from: phone) == [ada])
        #expect(board.presence(of: ada) == Presence(.online) && board.presence(of: grace) == Presence(.offline))
        let gone = Presence(.offline, lastSeen: Timestamp(milliseconds: 5))
        #expect(board.apply(event([grace: Presence(.away), ada: gone]), from: phone) == [ada, grace])
        #expect(board.presence(of: ada) == gone && board.present == [grace: Presence(.away)])
    }

    @Test("A repeated event changes nothing; a new whole event replaces all") func replacing() {
        var board = PresenceBoard()
        board.begin(phone)
        _ = board.apply(event(isWhole: true, [ada: Presence(.online)]), from: phone)
        #expect(board.apply(event([ada: Presence(.online)]), from: phone).isEmpty)
        #expect(board.apply(event(isWhole: true, [grace: Presence(.away)]), from: phone) == [ada, grace])
        #expect(board.presence(of: ada) == Presence(.offline))
    }

    @Test("The end of the stream ends its presence; another device's end does not") func ending() {
        var board = PresenceBoard()
        board.begin(phone)
        _ = board.apply(event(isWhole: true, [ada: Presence(.online)]), from: phone)
        #expect(board.end(DeviceID(UUID())).isEmpty)
        #expect(board.presence(of: ada) == Presence(.online))
        #expect(board.end(phone) == [ada])
        #expect(board.presence(of: ada) == nil)
        #expect(board.apply(event([ada: Presence(.busy)]), from: phone).isEmpty && board.presence(of: ada) == nil)
    }
}

/// With the system's clock, because the loop sleeps by it; nothing here waits for a time, only for what must come.
@Suite("Presence is held in memory, and cleared with the live stream", .timeLimit(.minutes(15)))
struct PresenceTests {
    private let ada = AccountID(UUID())

    @Test("Presence is an update of the contact: known while the stream is open, and unknown after its end")
    func comesAndGoes() async throws {
        try await Listener.run { listener in
            listener.write(connected: ada)
            try await listener.client.syncNow()
            var changes = listener.client.network.changes().makeAsyncIterator()
            #expect(await changes.next()?.added.map(\.id) == [ada])
            #expect(try await listener.client.network.presence(of: ada) == nil)
            let stream = try await listener.stream()
            try stream.tell(isWhole: true, [(ada, Presence(.online))])
            #expect(await changes.next()?.updated.map(\.keys) == [[.presence]])
            #expect(try await listener.client.network.presence(of: ada) == Presence(.online))
            #expect(try await listener.client.network.presences() == [ada: Presence(.online)])
            listener.server.wire.refusesStreams = true
            stream.finish()
            #expect(await changes.next()?.updated.map(\.keys) == [[.presence]])
            #expect(try await listener.client.network.presence(of: ada) == nil)
        }
    }

    @Test("Trap: the app cancels run() in the background – observers learn that presence is unknown") func cancelled()
        async throws
    {
        let server = FakeServer()
        let client = try KithClient(
            replica: try Replica(.inMemory), transport: server, credentials: InMemoryCredentialStore())
        try await client.syncNow()
        let loop = Task { await client.run() }
        defer { loop.cancel() }
        try await Listener(server: server, client: client).connect(to: ada)
        var changes = client.network.changes().makeAsyncIterator()
        #expect(await changes.next()?.added.map(\.id) == [ada])
        loop.cancel()
        await loop.value
        // A later change, which would be the next one if the end of presence was not announced.
        try await client.network.mute(ada)
        #expect(await changes.next()?.updated.map(\.keys) == [[.presence]])
        #expect(try await client.network.presence(of: ada) == nil)
    }

    @Test("Trap: a removed contact's cached object keeps its presence – it is unknown from the removal on")
    func removed() async throws {
        try await Listener.run { listener in
            try await listener.connect(to: ada)
            try await listener.client.network.remove(ada)
            #expect(try await listener.client.network.presence(of: ada) == nil)
            #expect(try await listener.client.network.presences().isEmpty)
        }
    }

    @Test("The presence of a person that I block is unknown at once") func blocked() async throws {
        try await Listener.run { listener in
            try await listener.connect(to: ada)
            try await listener.client.network.block(ada)
            #expect(try await listener.client.network.presence(of: ada) == nil)
        }
    }

    @Test("Trap: presence arrives before the roster entry – it is kept, and there with the entry") func early()
        async throws
    {
        try await Listener.run { listener in
            let bob = AccountID(UUID())
            listener.write(connected: bob)
            try await listener.client.syncNow()
            var changes = listener.client.network.changes().makeAsyncIterator()
            #expect(await changes.next()?.added.map(\.id) == [bob])
            // Bob's news, told after hers, shows that hers was heard.
            try await listener.stream().tell(isWhole: true, [(ada, Presence(.busy)), (bob, Presence(.online))])
            #expect(await changes.next()?.updated.map(\.contact.id) == [bob])
            #expect(try await listener.client.network.presence(of: ada) == nil)
            listener.write(connected: ada)
            try await listener.client.syncNow()
            #expect(await changes.next()?.added.map(\.id) == [ada])
            #expect(try await listener.client.network.presence(of: ada) == Presence(.busy))
        }
    }

    @Test("My presence can be set offline, and is sent when the stream opens") func invisible() async throws {
        let server = FakeServer()
        let client = try KithClient(
            replica: try Replica(.inMemory), transport: server, credentials: InMemoryCredentialStore())
        try await client.network.setPresence(.invisible)
        try await client.syncNow()
        let device = try client.replica.readNow { $0.account.device }
        let loop = Task { await client.run() }
        defer { loop.cancel() }
        let path = "/v1/live?device=\(device)&presence=invisible"
        while !server.requests.contains(where: { $0.path == path }) { await Task.yield() }
        #expect(!server.requests.contains { $0.path == "/v1/live?device=\(device)" })
    }

    @Test("Online is sent if it was set, and nothing if nothing was set: another process may be invisible")
    func onlineIsSet() async throws {
        for isSet in [false, true] {
            let server = FakeServer()
            let client = try KithClient(
                replica: try Replica(.inMemory), transport: server, credentials: InMemoryCredentialStore())
            if isSet { try await client.network.setPresence(.online) }
            try await client.syncNow()
            let device = try client.replica.readNow { $0.account.device }
            let loop = Task { await client.run() }
            defer { loop.cancel() }
            func streams() -> [String] { server.requests.map(\.path).filter { $0.hasPrefix("/v1/live") } }
            while streams().isEmpty { await Task.yield() }
            #expect(streams().first == "/v1/live?device=\(device)" + (isSet ? "&presence=online" : ""))
        }
    }

    @Test("With an open stream it is sent at once, and once; offline is not sent") func said() async throws {
        try await Listener.run { listener in
            try await listener.client.syncNow()
            try await listener.connect(to: ada)
            for state in [Presence.State.busy, .busy, .online] {
                try await listener.client.network.setPresence(state)
            }
            let said = listener.server.requests.filter { $0.method == "PUT" }
                .compactMap { $0.body.flatMap { try? JSONDecoder().decode(PresenceRequest.self, from: $0).state } }
            #expect(said == [.busy, .online])
            let error = await #expect(throws: KithError.self) {
                try await listener.client.network.setPresence(.offline)
            }
            #expect(error?.code == .invalid)
        }
    }
}

/// A client that runs against a small server.
private struct Listener: Sendable {
    let server: FakeServer
    let client: KithClient

    static func run(_ body: (Listener) async throws -> Void) async throws {
        let server = FakeServer()
        server.wire.instead = { request in
            request.path.hasPrefix("/v1/presence") ? TransportResponse(status: 204, body: Data()) : nil
        }
        let client = try KithClient(
            replica: try Replica(.inMemory), transport: server, credentials: InMemoryCredentialStore())
        try await client.syncNow()
        try await running(client) { try await body(Listener(server: server, client: client)) }
    }

    /// The server comes to know that someone and I are connected.
    func write(connected peer: AccountID) {
        guard let id = try? client.replica.readNow({ $0.account.id }) else { return }
        server.change {
            $0.write(
                .contacts, peer.retyped(), ["wish": "connect", "asked": 1], in: id.retyped(), at: server.clock.now)
        }
    }

    /// The live stream, once it is open.
    func stream() async throws -> AsyncThrowingStream<ServerEvent, any Error>.Continuation {
        try await server.stream(of: client)
    }

    /// Connects to someone who is online, and returns when the client knows both.
    func connect(to peer: AccountID) async throws {
        write(connected: peer)
        try await client.syncNow()
        var changes = client.network.changes().makeAsyncIterator()
        _ = await changes.next()
        try await stream().tell(isWhole: true, [(peer, Presence(.online))])
        _ = await changes.next()
    }
}

extension AsyncThrowingStream<ServerEvent, any Error>.Continuation {
    fileprivate func tell(isWhole: Bool, _ people: [(AccountID, Presence?)]) throws {
        let event = PresenceEvent(isWhole: isWhole, people: people.map { .init(account: $0.0, presence: $0.1) })
        yield(ServerEvent(name: "presence", data: String(decoding: try JSONEncoder().encode(event), as: UTF8.self)))
    }
}
