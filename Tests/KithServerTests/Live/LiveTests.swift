import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("A live stream reports the changes of others", .timeLimit(.minutes(15)))
struct LiveTests {
    @Test("A change of one device reaches the other device, and only that one")
    func twoDevices() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            var (phone, tablet) = (TestDevice(session), TestDevice(session))
            let (onPhone, onTablet) = (
                try await server.live(session, phone.id), try await server.live(session, tablet.id)
            )

            let list = try await phone.makeList("Groceries", with: server)
            // The tablet knows nothing of the list yet; that its account's feed moved tells it to look.
            #expect(try await moved(onTablet) == [session.account.retyped()])

            try await tablet.sync(with: server)
            let added = try await tablet.sync(
                [tablet.mutation(1, .items, UUID(), in: list, set: ["title": "Milk", "position": "a0"])], with: server)
            #expect(added.outcomes.isEmpty)
            // The phone made this list after its stream had begun, and hears of nothing that it did itself.
            #expect(try await moved(onPhone) == [list.retyped()])
        }
    }

    @Test("Others are notified of taken mutations, even if the answer could not be read")
    func unanswered() async throws {
        let database = try ForgetfulDatabase(SQLiteDatabase.inMemory())
        try await TestServer.run(database: database) { server in
            let session = try await server.newSession()
            let (phone, tablet) = (TestDevice(session), TestDevice(session))
            let onTablet = try await server.live(session, tablet.id)
            let list = ListID(UUID())
            let request = phone.request([phone.mutation(1, .lists, list.uuid, in: list, set: ["name": "Groceries"])])
            database.failsNextAnswer = true
            let reply = try await server.ask("POST", "/v1/sync", token: session.token, json: request)
            try problem(in: reply, 503, .busy)
            #expect(try await moved(onTablet) == [session.account.retyped()])
            let again = try await server.ask("POST", "/v1/sync", token: session.token, json: request)
            #expect(try again.decoded(as: SyncAnswer.self).acknowledged.number == 1)
        }
    }

    @Test("If the last way in is removed, the other devices make a round, which tells the kind; older clients get none")
    func kind() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run(database: database) { server in
            let session = try await server.newSession()
            let tablet = TestDevice(session)
            try await database.write { transaction in
                try transaction.execute(
                    "INSERT INTO identity (value, account, created) VALUES ('mailto:ada@example.com', ?, 0)",
                    [.id(session.account)])
                try AccountKind.update(of: session.account, in: transaction)
            }
            func told(_ kind: String?) async throws -> String? {
                var request = tablet.request()
                request.kind = kind
                let reply = try await server.ask("POST", "/v1/sync", token: session.token, json: request)
                return try reply.decoded(as: SyncAnswer.self).kind
            }
            #expect(try await told("anonymous") == "identified")
            #expect(try await told("identified") == nil)
            #expect(try await told(nil) == nil)
            let onTablet = try await server.live(session, tablet.id)
            let path = "/v1/identities/mailto%3Aada%40example.com?last=remove"
            #expect(try await server.ask("DELETE", path, token: session.token).status == 204)
            #expect(try await moved(onTablet) == [session.account.retyped()])
            #expect(try await told("identified") == "anonymous")
        }
    }

    @Test("If a session gets a name, the other devices are told that the list of sessions has changed")
    func renamedSession() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let onTablet = try await server.live(session, DeviceID(UUID()))
            let name = SessionName(device: "Ada’s phone")
            let reply = try await server.ask("PUT", "/v1/session", token: session.token, json: name)
            #expect(reply.status == 204)
            #expect(try await onTablet.event() == DeviceEvents.sessions)
        }
    }

    @Test("A new member receives the list's events from then on")
    func joining() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            var grace = TestDevice(try await server.newSession())
            let list = try await ada.makeList("Groceries", with: server)
            let ears = try await server.live(grace.session, grace.id)
            let link: ListLink = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: ada.session.token, json: LinkRequest(role: .editor)
            ).decoded()
            let token = try #require(link.token)
            #expect(try await server.ask("POST", "/v1/links/\(token)/accept", token: grace.session.token).status == 200)
            #expect(try await moved(ears).contains(grace.session.account.retyped()))
            try await grace.sync(with: server)
            try await ada.sync(
                [ada.mutation(1, .items, UUID(), in: list, set: ["title": "Milk", "position": "a0"])], with: server)
            #expect(try await moved(ears) == [list.retyped()])
        }
    }

    @Test(
        "Trap: NOTIFY in the write transaction – only committed changes are reported, and they can be read")
    func afterTheCommit() async throws {
        struct Refusal: Error {}
        // A file, beside whose writer others read: to them a commit that takes long is a long time before.
        try await Backend.file.withSQLite { database, _ in
            try await TestServer.run(database: database) { server in
                let session = try await server.newSession()
                var (phone, tablet) = (TestDevice(session), TestDevice(session))
                let lost = try await phone.makeList("Lost", with: server)
                let list = try await phone.makeList("Groceries", with: server)
                try await tablet.sync(with: server)
                let onTablet = try await server.live(session, tablet.id)
                func item(_ id: UUID, in list: ListID) -> [Mutation] {
                    [phone.mutation(1, .items, id, in: list, set: ["title": "Milk", "position": "a0"])]
                }

                database.onCommit = { if $0 == .before { throw Refusal() } }
                let refused = try await server.ask(
                    "POST", "/v1/sync", token: session.token, json: phone.request(item(UUID(), in: lost)))
                try problem(in: refused, 500, .internalError)

                database.onCommit = { if $0 == .before { usleep(20_000) } }
                for _ in 0..<5 {
                    let id = UUID()
                    let request = phone.request(item(id, in: list))
                    async let reply = server.ask("POST", "/v1/sync", token: session.token, json: request)
                    // Had the lost edit been told, its list would be named here.
                    #expect(try await moved(onTablet) == [list.retyped()])
                    let changes = try await tablet.sync(with: server).feeds.flatMap(\.changes)
                    #expect(changes.map(\.id) == [RecordID(id)])
                    phone.acknowledged = try await reply.decoded(as: SyncAnswer.self).acknowledged
                }
            }
        }
    }

    @Test("Proxies are asked not to buffer the stream")
    func headers() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            let path = "/v1/live?device=\(UUID().uuidString)"
            try wire.send(server.request("GET", path, token: session.token, headers: ["Accept-Encoding": "gzip"]))
            let head = try await wire.head()
            #expect(head["content-type"] == "text/event-stream")
            #expect(head["x-accel-buffering"] == "no")
            #expect(head["cache-control"] == "no-store, no-transform")
            #expect(head["content-encoding"] == nil)
        }
    }

    @Test("An idle stream sends heartbeats")
    func heartbeat() async throws {
        try await TestServer.run({ $0.heartbeat = .milliseconds(20) }) { server in
            let session = try await server.newSession()
            let wire = try await server.live(session, DeviceID(UUID()))
            #expect(try await wire.chunk() == Data(": still here\n\n".utf8))
            #expect(try await wire.chunk() == Data(": still here\n\n".utf8))
        }
    }

    @Test("Logging out ends the session's streams and no others")
    func logout() async throws {
        try await TestServer.run { server in
            let (ada, grace) = (try await server.newSession(), try await server.newSession())
            let device = DeviceID(UUID())
            let (hers, other) = (try await server.live(ada, device), try await server.live(grace, device))
            #expect(try await server.ask("DELETE", "/v1/session", token: ada.token).status == 204)
            #expect(try await hers.chunk().isEmpty)
            var phone = TestDevice(grace)
            _ = try await phone.makeList("Still here", with: server)
            #expect(try await moved(other) == [grace.account.retyped()])
        }
    }

    @Test(
        "Trap: While a stream opens, its session is closed or its account deleted, and nobody tells it – it does not open",
        arguments: [false, true])
    func closedMeanwhile(isDeleted: Bool) async throws {
        let base = try SQLiteDatabase.inMemory()
        let database = ClosingDatabase(base)
        try await TestServer.run(database: database) { server in
            let session = try await server.newSession()
            database.beforeFeeds {
                if isDeleted {
                    try await AccountService(database: base, signals: .none)
                        .delete(session.account, at: HandClock.start)
                } else {
                    try await SessionService(database: base, signals: .none).close(session.token)
                }
            }
            let path = "/v1/live?device=\(DeviceID(UUID()))"
            let reply = try await server.ask("GET", path, token: session.token)
            try problem(in: reply, 401, isDeleted ? .accountClosed : .tokenInvalid)
            #expect(try await server.metric("kith_live_streams") == 0)
        }
    }

    @Test("A session has at most eight streams; a closed one makes room")
    func limit() async throws {
        try await TestServer.run({ $0.heartbeat = .milliseconds(10) }) { server in
            let session = try await server.newSession()
            var streams: [Wire] = []
            for _ in 0..<8 { streams.append(try await server.live(session, DeviceID(UUID()))) }
            let path = "/v1/live?device=\(UUID().uuidString)"
            let ninth = try await server.ask("GET", path, token: session.token)
            try problem(in: ninth, 429, .tooFast)
            #expect(ninth.head["retry-after"] != nil)

            streams.removeLast()
            var open = 8
            while open == 8 {
                let metrics = String(decoding: try await server.ask("GET", "/metrics").body, as: UTF8.self)
                open = metrics.contains("kith_live_streams 8.0") ? 8 : 7
            }
            _ = try await server.live(session, DeviceID(UUID()))
        }
    }

    @Test("Trap: A device has lost its network eight times – it still gets a stream, and its oldest one ends")
    func lostNetwork() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let device = DeviceID(UUID())
            var streams: [Wire] = []
            for _ in 0..<8 { streams.append(try await server.live(session, device)) }
            server.clock.advance(LiveHub.young)
            for _ in 0..<2 { streams.append(try await server.live(session, device)) }
            for lost in streams.prefix(2) {
                while try await !lost.chunk().isEmpty {}
                #expect(try await lost.isAtEnd())
            }
            var tablet = TestDevice(session)
            _ = try await tablet.makeList("Groceries", with: server)
            for stream in streams.dropFirst(2) {
                let feeds = try await moved(stream)
                #expect(feeds == [session.account.retyped()])
            }
        }
    }

    @Test("Trap: Nine clients have the same session and device – the ninth takes no stream from another one")
    func sameDevice() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let device = DeviceID(UUID())
            var streams: [Wire] = []
            for _ in 0..<8 { streams.append(try await server.live(session, device)) }
            server.clock.advance(LiveHub.young - .milliseconds(1))
            let ninth = try await server.ask("GET", "/v1/live?device=\(device)", token: session.token)
            try problem(in: ninth, 429, .tooFast)
            #expect(ninth.head["retry-after"] == "20")
            var tablet = TestDevice(session)
            _ = try await tablet.makeList("Groceries", with: server)
            for stream in streams {
                let feeds = try await moved(stream)
                #expect(feeds == [session.account.retyped()])
            }
        }
    }

    @Test("Trap: A device vanishes without a word – after a minute without acknowledgements the kernel gives it up")
    func vanished() async throws {
        try await TestServer.run { server in
            let wire = try await server.live(try await server.newSession(), DeviceID(UUID()))
            let userTimeout: Int32 = 18  // TCP_USER_TIMEOUT, in milliseconds
            #expect(wire.optionOfServer(userTimeout) == 60_000)
        }
    }

    @Test("A stream ends when its client sends nothing more")
    func halfClosed() async throws {
        try await TestServer.run { server in
            let wire = try await server.live(try await server.newSession(), DeviceID(UUID()))
            try wire.finishSending()
            #expect(try await wire.chunk().isEmpty)
            #expect(try await wire.isAtEnd())
        }
    }

    @Test("A request after that of a stream is not answered, and the stream goes on")
    func furtherRequest() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            var phone = TestDevice(session)
            // Without “Connection: close”, after which a further request would be an error of the client.
            let wire = try Wire(server.url)
            try wire.send(
                "GET /v1/live?device=\(DeviceID(UUID())) HTTP/1.1\r\nHost: kith\r\n"
                    + "Authorization: Bearer \(session.token)\r\n\r\n")
            #expect(try await wire.head().status == 200)
            #expect(try await wire.event() == Data("event: hello\ndata: {}\n\n".utf8))
            _ = try await wire.presence()
            try wire.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n")
            _ = try await phone.makeList("Groceries", with: server)
            #expect(try await moved(wire) == [session.account.retyped()])
            #expect(try await server.ask("DELETE", "/v1/session", token: session.token).status == 204)
            #expect(try await wire.chunk().isEmpty)
            #expect(try await wire.isAtEnd())
        }
    }

    @Test("Beyond the limit of all streams the answer is 503 with Retry-After; rounds go on")
    func limitInAll() async throws {
        try await TestServer.run({ $0.limits.streamsAtOnce = 1 }) { server in
            let (ada, grace) = (try await server.newSession(), try await server.newSession())
            let stream = try await server.live(ada, DeviceID(UUID()))
            let second = try await server.ask("GET", "/v1/live?device=\(UUID().uuidString)", token: grace.token)
            try problem(in: second, 503, .busy)
            #expect(second.head["retry-after"] != nil)
            var phone = TestDevice(grace)
            try await phone.sync(with: server)
            withExtendedLifetime(stream) {}
        }
    }

    /// The feeds of the next event; comments are passed over.
    private func moved(_ wire: Wire) async throws -> Set<FeedID> {
        while true {
            let text = String(decoding: try await wire.chunk(), as: UTF8.self)
            try #require(!text.isEmpty)
            if text.hasPrefix(":") { continue }
            try #require(text.hasPrefix("event: moved\ndata: ") && text.hasSuffix("\n\n"))
            let data = Data(text.dropFirst("event: moved\ndata: ".count).utf8)
            return Set(try JSONDecoder().decode(FeedsMoved.self, from: data).feeds)
        }
    }
}

/// A database in which something happens after a device that opens its stream was recognised, and before its feeds are
/// read.
private final class ClosingDatabase: DatabaseDouble {
    let database: any Database
    private let moment = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ database: any Database) { self.database = database }

    /// Sets what happens, once.
    func beforeFeeds(_ moment: @escaping @Sendable () async throws -> Void) { self.moment.withLock { $0 = moment } }

    func performRead(_ work: any TransactionWork) async throws {
        if work.gives(Set<FeedID>.self) || work.gives(Set<FeedID>?.self) {
            let moment = self.moment.withLock { moment in
                defer { moment = nil }
                return moment
            }
            try await moment?()
        }
        try await database.perform(work, as: .read)
    }
}

/// A database that can be told to go away between a device's push and the reading of its answer. The server's own jobs
/// write and read beside them, and meet nothing.
private final class ForgetfulDatabase: DatabaseDouble {
    let database: any Database
    private let state = Mutex((isArmed: false, fails: false))

    init(_ database: any Database) { self.database = database }

    var failsNextAnswer: Bool {
        get { state.withLock(\.isArmed) }
        set { state.withLock { $0.isArmed = newValue } }
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try await database.write { try work.run(in: $0) }
        if work.isPush { state.withLock { $0 = (isArmed: false, fails: $0.isArmed) } }
    }

    func performRead(_ work: any TransactionWork) async throws {
        let isAnswer = work.gives(Synced.self)
        let fails = state.withLock { state in
            defer { if isAnswer { state.fails = false } }
            return isAnswer && state.fails
        }
        if fails { throw ServerError(.busy, "The database is away. Try again later.") }
        try await database.perform(work, as: .read)
    }
}
