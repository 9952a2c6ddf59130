import Foundation
import KithModel
import KithServer
import Synchronization
import Testing

@Suite("Presence over the live stream, for people who may see it", .timeLimit(.minutes(15)))
struct PresenceTests {
    @Test("Two connected people see each other go online, change and go offline") func connected() async throws {
        try await Village.run { village in
            let (ada, grace) = (try await village.person(), try await village.person())
            try await village.connect(ada, grace)
            let (ears, first) = try await village.server.meet(ada.session, ada.id)
            #expect(first.people.isEmpty)
            var stream: (wire: Wire, event: PresenceEvent)? = try await village.server.meet(grace.session, grace.id)
            #expect(stream?.event.people == [.init(account: ada.account, presence: Presence(.online))])
            #expect(try await ears.nextPeople() == [.init(account: grace.account, presence: Presence(.online))])

            #expect(try await village.show(.busy, by: grace).status == 204)
            #expect(try await ears.nextPeople() == [.init(account: grace.account, presence: Presence(.busy))])
            #expect(try await village.presence(of: grace, to: ada) == Presence(.busy))

            village.server.clock.advance(.seconds(90))
            stream = nil
            let gone = Presence(.offline, lastSeen: HandClock.start + .seconds(90))
            #expect(try await ears.nextPeople() == [.init(account: grace.account, presence: gone)])
            #expect(try await village.presence(of: grace, to: ada) == gone)
        }
    }

    @Test("The last-seen time survives a restart; if it is hidden, nobody gets it") func lastSeen() async throws {
        let database = try SQLiteDatabase.inMemory()
        let (ada, grace) = try await TestServer.run(database: database) { server in
            let village = Village(server: server, database: database)
            let (ada, grace) = (try await village.person(), try await village.person())
            try await village.connect(ada, grace)
            _ = try await server.meet(ada.session, ada.id)
            return (ada, grace)
        }
        try await TestServer.run(database: database) { server in
            let village = Village(server: server, database: database)
            var ada = ada
            #expect(try await village.presence(of: ada, to: grace) == Presence(.offline, lastSeen: HandClock.start))
            try await village.set(["lastSeenVisibility": "nobody"], of: &ada)
            #expect(try await village.presence(of: ada, to: grace) == Presence(.offline))
        }
    }

    @Test("Presence is unknown outside the network: to a stranger, and during a request")
    func strangers() async throws {
        try await Village.run { village in
            let (ada, stranger) = (try await village.person(), try await village.person())
            var eager = try await village.person()
            try await village.set(["wish": "connect"], of: ada.account, by: &eager)
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            for other in [stranger, eager] {
                let (_, event) = try await village.server.meet(other.session, other.id)
                #expect(event.people.isEmpty)
                let reply = try await village.get("/v1/accounts/\(ada.account)/presence", by: other)
                try problem(in: reply, 404, .notFound)
            }
            withExtendedLifetime(hers) {}
        }
    }

    @Test("A block looks at once like going offline, and unblocking like going online")
    func block() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let grace = try await village.person()
            try await village.connect(ada, grace)
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            let (ears, _) = try await village.server.meet(grace.session, grace.id)
            _ = try await hers.nextPeople()
            try await village.set(["isBlocked": true], of: grace.account, by: &ada)
            let gone = Presence(.offline, lastSeen: HandClock.start)
            #expect(try await ears.nextPeople() == [.init(account: ada.account, presence: gone)])
            #expect(try await hers.nextPeople() == [.init(account: grace.account, presence: nil)])
            #expect(try await village.presence(of: ada, to: grace) == gone)
            try problem(
                in: try await village.get("/v1/accounts/\(grace.account)/presence", by: ada), 404, .notFound)
            try await village.set(["isBlocked": false], of: grace.account, by: &ada)
            #expect(try await ears.nextPeople() == [.init(account: ada.account, presence: Presence(.online))])
        }
    }

    @Test("Trap: A stream opens while the round with a block waits – the blocked person sees the other leave now")
    func blockWhileOpening() async throws {
        let base = try SQLiteDatabase.inMemory()
        let database = WaitingDatabase(base)
        try await TestServer.run(database: database) { server in
            let village = Village(server: server, database: base)
            var ada = try await village.person()
            let grace = try await village.person()
            try await village.connect(ada, grace)
            let (ears, _) = try await server.meet(grace.session, grace.id)
            let hers = Mutex<Wire?>(nil)
            database.beforePush { [session = ada.session, device = ada.id] in
                server.clock.advance(.seconds(5))
                let (wire, _) = try await server.meet(session, device)
                hers.withLock { $0 = wire }
                let isThere = PresenceEvent.Person(account: session.account, presence: Presence(.online))
                #expect(try await ears.nextPeople() == [isThere])
            }
            try await village.set(["isBlocked": true], of: grace.account, by: &ada)
            let gone = Presence(.offline, lastSeen: HandClock.start + .seconds(5))
            #expect(try await ears.nextPeople() == [.init(account: ada.account, presence: gone)])
            #expect(try await village.presence(of: ada, to: grace) == gone)
            #expect(hers.withLock { $0 != nil })
        }
    }

    @Test("A person who blocks someone while offline stays offline for them") func blockedForLong()
        async throws
    {
        try await Village.run { village in
            var ada = try await village.person()
            let grace = try await village.person()
            try await village.connect(ada, grace)
            try await village.set(["isBlocked": true], of: grace.account, by: &ada)
            village.server.clock.advance(.seconds(3600))
            let (ears, event) = try await village.server.meet(grace.session, grace.id)
            #expect(event.people.isEmpty)
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            let during = try await village.presence(of: ada, to: grace)
            #expect(during == Presence(.offline))
            try await village.server.expectGone(ada, hers)
            #expect(try await village.presence(of: ada, to: grace) == during)
            withExtendedLifetime(ears) {}
        }
    }

    @Test("An account that the operator deletes loses its stream, and others see it go offline")
    func deletedByOperator() async throws {
        try await Village.run { village in
            let (ada, grace) = (try await village.person(), try await village.person())
            try await village.connect(ada, grace)
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            let (ears, _) = try await village.server.meet(grace.session, grace.id)
            // As another program does it, which knows of no streams.
            try await AccountService(database: village.database, signals: .none).delete(
                ada.account, at: HandClock.start)
            while !(try await hers.chunk().isEmpty) {}
            #expect(try await ears.nextPeople().map(\.account) == [ada.account])
        }
    }

    @Test("When a blocker was last seen never moves to a moment that has passed") func lastSeenJump() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let grace = try await village.person()
            try await village.connect(ada, grace)
            try await village.database.write { [account = ada.account] in
                try $0.execute(
                    "UPDATE account SET seen_at = ? WHERE id = ?", [.time(HandClock.start), .id(account)])
            }
            village.server.clock.advance(.seconds(600))
            // Ada blocks from a program that has no stream.
            try await village.set(["isBlocked": true], of: grace.account, by: &ada)
            village.server.clock.advance(.seconds(3000))
            let before = try await village.presence(of: ada, to: grace)
            // An hour later Ada is online.
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            let during = try await village.presence(of: ada, to: grace)
            #expect(during == before)
            withExtendedLifetime(hers) {}
        }
    }

    @Test("A person who opens the stream as invisible does not appear online") func invisible() async throws {
        try await Village.run { village in
            let (ada, grace, other) = (
                try await village.person(), try await village.person(), try await village.person()
            )
            try await village.connect(ada, grace)
            try await village.connect(ada, other)
            let (ears, _) = try await village.server.meet(ada.session, ada.id)
            let (hers, event) = try await village.server.meet(grace.session, grace.id, as: .invisible)
            #expect(event.people.map(\.account) == [ada.account])
            let (his, _) = try await village.server.meet(other.session, other.id)
            // The first that is heard is of the other.
            #expect(try await ears.nextPeople() == [.init(account: other.account, presence: Presence(.online))])
            #expect(try await village.show(.away, by: grace).status == 204)
            #expect(try await ears.nextPeople() == [.init(account: grace.account, presence: Presence(.away))])
            withExtendedLifetime((hers, his)) {}
        }
    }

    @Test("Impossible states are refused: explicit offline, a state without a stream, an unknown one")
    func refusals() async throws {
        try await Village.run { village in
            let ada = try await village.person()
            try problem(in: try await village.show(.online, by: ada), 409, .conflict)
            let (wire, _) = try await village.server.meet(ada.session, ada.id)
            let offline = try problem(in: try await village.show(.offline, by: ada), 400, .malformed)
            #expect(offline.path == "$.state")
            let token = ada.session.token
            for path in ["/v1/presence", "/v1/presence?device=1"] {
                let reply = try await village.server.ask("PUT", path, token: token, json: PresenceRequest(state: .away))
                try problem(in: reply, 400, .malformed)
            }
            let odd = try await village.server.ask(
                "PUT", "/v1/presence?device=\(ada.id)", token: token, json: ["state": "asleep"])
            #expect(try problem(in: odd, 400, .malformed).path == "$.state")
            for word in ["offline", "asleep", "away&presence=away"] {
                let path = "/v1/live?device=\(ada.id)&presence=\(word)"
                let reply = try await village.server.ask("GET", path, token: token)
                #expect(try problem(in: reply, 400, .malformed).path == "?presence")
            }
            withExtendedLifetime(wire) {}
        }
    }

    @Test("Presence is never stored, except for the last-seen time") func notKept()
        async throws
    {
        try await Village.run { village in
            let (ada, grace) = (try await village.person(["given": "Ada"]), try await village.person())
            try await village.connect(ada, grace)
            func records() async throws -> [SQLRow] {
                try await village.database.read { transaction in
                    try transaction.query("SELECT * FROM record ORDER BY feed, id")
                        + transaction.query("SELECT * FROM feed ORDER BY id")
                        + transaction.query("SELECT * FROM taken ORDER BY account, device, number")
                }
            }
            let before = try await records()
            let (ears, _) = try await village.server.meet(grace.session, grace.id)
            let (hers, _) = try await village.server.meet(ada.session, ada.id)
            for state in [Presence.State.away, .busy, .invisible, .online] {
                #expect(try await village.show(state, by: ada).status == 204)
                _ = try await ears.nextPeople()
            }
            try await village.server.expectGone(ada, hers)
            #expect(try await records() == before)
        }
    }
}

/// A database in which a push waits for something else first.
private final class WaitingDatabase: DatabaseDouble {
    let database: any Database
    private let moment = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ database: any Database) { self.database = database }

    /// Sets what happens before the next push, once.
    func beforePush(_ moment: @escaping @Sendable () async throws -> Void) { self.moment.withLock { $0 = moment } }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        if work.isPush {
            let moment = self.moment.withLock { moment in
                defer { moment = nil }
                return moment
            }
            try await moment?()
        }
        try await database.write { try work.run(in: $0) }
    }
}

extension TestServer {
    /// Ends a stream by logging its session out, and waits until the server has ended it.
    func expectGone(_ device: TestDevice, _ wire: Wire) async throws {
        #expect(try await ask("DELETE", "/v1/session", token: device.session.token).status == 204)
        while !(try await wire.chunk().isEmpty) {}
    }
}
