import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "Nodes that share a database", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct NodesTests {
    private let server: PostgresServer
    private let noon = HandClock.start

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// A node without sockets, and all signals that have arrived at it from other nodes.
    private struct Node: Sendable {
        let database: PostgresDatabase
        let id = NodeID(UUID().uuidString)
        let hub: LiveHub
        let listStreams = ListStreams()
        let nodes: Nodes
        let heard = Heard()

        init(_ address: String, _ times: NodeTimes) async throws {
            let database = try await PostgresDatabase(url: address, settings: .patient)
            let link = NodeLink(database, node: id)
            let hub = LiveHub(
                streamsOfSession: 8, streamsAtOnce: 100, node: id, whenUntold: { link.ring() })
            let local = SignalSender { [heard] signals, _ in
                heard.signals.withLock { $0.formUnion(signals) }
                for session in signals.closedSessions { hub.end(session: session.description) }
                hub.moved(signals.moved)
            }
            (self.database, self.hub) = (database, hub)
            nodes = Nodes(
                link, hub: hub, listStreams: listStreams, local: local, times: times, clock: .system, logger: .silent)
        }

        /// Commits a new list of the account, as a round does.
        func makeList(of session: NewSession) async throws -> FeedID {
            let device = TestDevice(session)
            let list = ListID(UUID())
            let mutation = device.mutation(1, .lists, list.uuid, in: list, set: ["name": "Groceries"])
            _ = try await SyncService(database: database, signals: nodes.sender)
                .sync(device.request([mutation]), as: session.account, at: HandClock.start)
            return list.retyped()
        }

        func stream(of session: NewSession) async throws -> LiveStream {
            let stream = try hub.open(
                session.account, DeviceID(UUID()), session: SessionID(token: session.token).description,
                from: try #require(IPAddress("192.0.2.1")))
            await hub.arrive(stream, in: database)
            return stream
        }

        final class Heard: Sendable {
            let signals = Mutex(Signals())

            func wait(_ sentence: String, until condition: @escaping @Sendable (Signals) -> Bool) async throws {
                try await Limit(sentence).until { condition(self.signals.withLock { $0 }) }
            }
        }
    }

    /// Runs two nodes.
    private func withNodes(
        _ times: NodeTimes = NodeTimes(), _ body: (Node, Node, String) async throws -> Void
    ) async throws {
        let address = try await server.address()
        let (one, two) = (try await Node(address, times), try await Node(address, times))
        await one.nodes.begin()
        await two.nodes.begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in [one, two] { group.addTask { await node.nodes.run() } }
            do {
                try await server.wait(until: "count(*) = 2 \(Self.listeners)", at: address)
                try await body(one, two, address)
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
        }
        #expect(try await server.sql("SELECT count(*) FROM node", at: address) == ["0"])
        await one.database.close()
        await two.database.close()
    }

    /// The connections that listen.
    private static let listeners =
        "FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"

    private static var quick: NodeTimes {
        var times = NodeTimes()
        (times.poll, times.lease, times.checking) = (.milliseconds(100), .seconds(5), .seconds(3600))
        return times
    }

    /// A poll so rare that only notices can tell.
    private static var noticesOnly: NodeTimes {
        var times = NodeTimes()
        (times.poll, times.lease, times.checking) = (.seconds(3600), .seconds(7200), .seconds(3600))
        return times
    }

    @Test("Law: What is committed at one node is heard at the other")
    func heard() async throws {
        try await withNodes(Self.noticesOnly) { one, two, _ in
            let session = try await SessionService(database: one.database, signals: .none).open(at: noon)
            let list = try await one.makeList(of: session)
            try await two.heard.wait("the list is heard of") { $0.moved.contains(list) }
            _ = try await SessionService(database: two.database, signals: two.nodes.sender).close(session.token)
            let id = SessionID(token: session.token)
            try await one.heard.wait("the end of the session is heard of") { $0.closedSessions == [id] }
        }
    }

    @Test("Law: What is committed while the listening connection is down is heard after the next poll at the latest")
    func listenerLost() async throws {
        try await withNodes(Self.quick) { one, two, address in
            let session = try await SessionService(database: one.database, signals: .none).open(at: noon)
            let stream = try await two.stream(of: session)
            let ending = Task {
                while !Task.isCancelled {
                    try await server.sql(
                        "SELECT pg_terminate_backend(pid) \(Self.listeners)", at: address)
                }
            }
            for _ in 0..<5 {
                let list = try await one.makeList(
                    of: try await SessionService(database: one.database, signals: .none).open(at: noon))
                try await two.heard.wait("a list is heard of") { $0.moved.contains(list) }
            }
            _ = try await SessionService(database: one.database, signals: one.nodes.sender).close(session.token)
            try await Limit("the stream of the closed session ends").wait {
                while await stream.nextNews() != nil {}
            }
            ending.cancel()
            _ = await ending.result
        }
    }

    @Test("Law: A feed that a node has committed and never told is found by the poll") func neverTold() async throws {
        try await withNodes(Self.quick) { one, two, _ in
            let session = try await SessionService(database: one.database, signals: .none).open(at: noon)
            let device = TestDevice(session)
            let list = ListID(UUID())
            let mutation = device.mutation(1, .lists, list.uuid, in: list, set: ["name": "Groceries"])
            // Without a sender, as by a node that has died after the commit.
            _ = try await SyncService(database: one.database)
                .sync(device.request([mutation]), as: session.account, at: noon)
            try await two.heard.wait("the list is found") { $0.moved.contains(list.retyped()) }
        }
    }

    @Test("Law: A friend at the other node is online as long as a device is connected there")
    func presence() async throws {
        try await withNodes(Self.noticesOnly) { one, two, _ in
            let sessions = SessionService(database: one.database, signals: .none)
            let (ada, grace) = (try await sessions.open(at: noon), try await sessions.open(at: noon))
            try await connect(ada.account, grace.account, one.database)
            let hers = try await one.stream(of: ada)
            // The hub removes a stream with its last reference.
            var there: LiveStream? = try await two.stream(of: grace)
            try await Self.wait(for: .online, of: grace.account, on: hers)
            #expect(there != nil)
            there = nil
            try await Self.wait(for: .offline, of: grace.account, on: hers)
        }
    }

    @Test("Trap: Somebody leaves one node and blocks through another at once – it knows when they were last online")
    func leftElsewhere() async throws {
        try await withNodes(Self.noticesOnly) { one, two, address in
            let session = try await SessionService(database: one.database, signals: .none).open(at: noon)
            var there: LiveStream? = try await two.stream(of: session)
            try await server.wait(until: "count(*) = 1 FROM presence", at: address)
            #expect(there != nil)
            there = nil
            try await server.wait(until: "count(*) = 0 FROM presence", at: address)
            let seen = try await one.database.read { try one.hub.lastOnline(of: session.account, in: $0) }
            #expect(seen != nil)
        }
    }

    @Test("Law: When a node dies, its people go offline after the lease, and were last seen with its last heartbeat")
    func nodeDied() async throws {
        try await withNodes(Self.quick) { one, _, address in
            let sessions = SessionService(database: one.database, signals: .none)
            let (ada, grace) = (try await sessions.open(at: noon), try await sessions.open(at: noon))
            try await connect(ada.account, grace.account, one.database)
            let hers = try await one.stream(of: ada)
            let isSeen = Mutex(false)
            async let online: Void = {
                defer { isSeen.withLock { $0 = true } }
                try await Self.wait(for: .online, of: grace.account, on: hers)
            }()
            // It does not die before it was seen, however long that takes.
            try await Limit("the friend is seen").until(every: .milliseconds(100)) { [noon] in
                try await one.database.write { transaction in
                    _ = try NodeRow.beat(NodeID("dead"), at: noon, in: transaction)
                    try PresenceRow.write(
                        [PresenceChange(grace.account, .online, at: noon)], at: NodeID("dead"), in: transaction)
                }
                return isSeen.withLock { $0 }
            }
            try await online
            try await Self.wait(for: .offline, of: grace.account, on: hers)
            try await server.wait(
                until: """
                    (SELECT count(*) FROM presence WHERE node = 'dead') = 0
                    AND (SELECT count(*) FROM node WHERE id = 'dead') = 0
                    AND (SELECT count(*) FROM account WHERE seen_at = \(noon.milliseconds)) = 1
                    """, at: address)
        }
    }

    @Test("Law: After the end of a node, the streams of sessions end that it has closed and not told")
    func sessionsOfDead() async throws {
        try await withNodes(Self.quick) { one, _, _ in
            let session = try await SessionService(database: one.database, signals: .none).open(at: noon)
            let other = try await SessionService(database: one.database, signals: .none).open(at: noon)
            let (stream, stays) = (try await one.stream(of: session), try await one.stream(of: other))
            try await one.database.write { [noon] in _ = try NodeRow.beat(NodeID("dead"), at: noon, in: $0) }
            _ = try await SessionService(database: one.database, signals: .none).close(session.token)
            try await Limit("the stream ends").wait { while await stream.nextNews() != nil {} }
            #expect(one.hub.sessions.contains(SessionID(token: other.token).description))
            withExtendedLifetime(stays) {}
        }
    }

    @Test("Law: When signals are lost that no table shows, the pages of links load again")
    func pages() async throws {
        try await withNodes(Self.quick) { one, two, address in
            let page = try one.listStreams.open(FeedID(UUID()), from: try #require(IPAddress("192.0.2.1")))
            try await server.sql(#"NOTIFY kith_nodes, '{"v":1,"n":"there","z":true}'"#, at: address)
            try await Limit("the page hears of the loss").until { page.take() == .changed }
            try await two.database.write { [noon] in _ = try NodeRow.beat(NodeID("dead"), at: noon, in: $0) }
            try await Limit("the page hears of the end of a node").until { page.take() == .changed }
            // It may have heard of another loss before.
            try await server.wait(until: "count(*) = 0 FROM node WHERE id = 'dead'", at: address)
        }
    }

    @Test("A node that was taken for dead stores its presence again") func takenForDead() async throws {
        try await withNodes(Self.quick) { one, two, address in
            let session = try await SessionService(database: one.database, signals: .none).open(at: noon)
            let stream = try await two.stream(of: session)
            let isThere = "count(*) = 1 FROM presence WHERE node = '\(two.id.text)' AND state = 'online'"
            try await server.wait(until: isThere, at: address)
            try await server.sql(
                "BEGIN; DELETE FROM presence; DELETE FROM node WHERE id = '\(two.id.text)'; COMMIT", at: address)
            try await server.wait(until: isThere, at: address)
            withExtendedLifetime(stream) {}
        }
    }

    @Test("Two servers on one database: a device at one hears of a commit at the other") func servers() async throws {
        let address = try await server.address()
        let one = try await PostgresDatabase(url: address, settings: .patient)
        let two = try await PostgresDatabase(url: address, settings: .patient)
        try await TestServer.run(database: one) { first in
            try await TestServer.run(database: two) { second in
                let ada = try await first.newSession()
                let stream = try await second.live(ada, DeviceID(UUID()))
                var phone = TestDevice(ada)
                _ = try await phone.makeList("Groceries", with: first)
                let event = String(decoding: try await stream.event(), as: UTF8.self)
                #expect(event.hasPrefix("event: moved") && event.contains(ada.account.description))
                #expect(try await first.ask("DELETE", "/v1/session", token: ada.token).status == 204)
                while try await !stream.chunk().isEmpty {}
            }
        }
        await one.close()
        await two.close()
    }

    @Test("A device sets its presence at one server while its stream is at the other") func choice() async throws {
        let address = try await server.address()
        let one = try await PostgresDatabase(url: address, settings: .patient)
        let two = try await PostgresDatabase(url: address, settings: .patient)
        try await TestServer.run(database: one) { first in
            try await TestServer.run(database: two) { second in
                let ada = try await first.newSession()
                let device = DeviceID(UUID())
                let path = "/v1/presence?device=\(device)"
                let choice = PresenceRequest(state: .busy)
                #expect(try await first.ask("PUT", path, token: ada.token, json: choice).status == 409)
                let stream = try await second.live(ada, device)
                try await server.wait(until: "count(*) = 1 FROM presence WHERE state = 'online'", at: address)
                #expect(try await first.ask("PUT", path, token: ada.token, json: choice).status == 204)
                try await server.wait(until: "count(*) = 1 FROM presence WHERE state = 'busy'", at: address)
                withExtendedLifetime(stream) {}
            }
        }
        await one.close()
        await two.close()
    }

    @Test("A server whose clock differs from PostgreSQL's logs a warning") func wrongClock() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            // The clock of the test stands at a fixed time.
            try await TestServer.run(database: database) { test in
                #expect(test.log.text.contains("warning The clock of this server differs from that of PostgreSQL"))
            }
        }
    }

    @Test("What a caller takes at a server is in the table that all servers share") func rates() async throws {
        let address = try await server.address()
        let database = try await PostgresDatabase(url: address, settings: .patient)
        try await TestServer.run({ $0.limits.session = Rate(perSecond: 0.01, burst: 8) }, database: database) { test in
            let ada = try await test.newSession()
            let path = "/v1/presence?device=\(DeviceID(UUID()))"
            let choice = PresenceRequest(state: .busy)
            #expect(try await test.ask("PUT", path, token: ada.token, json: choice).status == 409)
            try await server.wait(until: "count(*) = 1 FROM rate_use WHERE kind = 'session'", at: address)
        }
        await database.close()
    }

    // MARK: People

    /// Lays down that two people are connected.
    private func connect(_ one: AccountID, _ other: AccountID, _ database: PostgresDatabase) async throws {
        try await database.write { transaction in
            for (account, peer) in [(one, other), (other, one)] {
                try transaction.execute(
                    """
                    INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps, deleted)
                    VALUES (?, ?, 'contact', 1, 1, ?, ?, 0)
                    """,
                    [
                        .id(account), .id(peer), .text(#"{"asked":1,"wish":"connect"}"#), .text(#"{"":[1,1,1]}"#),
                    ])
            }
        }
    }

    /// Waits until a stream tells that a person is in a state.
    private static func wait(
        for state: Presence.State, of account: AccountID, on stream: LiveStream
    ) async throws {
        try await Limit("\(state)").wait {
            while let news = await stream.nextNews() {
                let person = news.presence?.people.first { $0.account == account }
                if person?.presence?.state == state { return }
            }
            throw InVain("The stream has ended.")
        }
    }
}

extension LiveStream {
    /// Waits until there is news; nil at the end.
    fileprivate func nextNews() async -> News? {
        let (bell, ring) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        whenNews { ring.yield() }
        for await _ in bell { return take() }
        return nil
    }
}
