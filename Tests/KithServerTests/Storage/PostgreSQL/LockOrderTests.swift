import KithModel
import KithServer
import Processes
import Testing

/// Two transactions wait for each other only if they lock the same rows in different orders. Decision 0044 has the order.
@Suite(
    "The order of locks",
    .skipped(if: PostgresServer.missing), .postgresServer)
struct LockOrderTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// Those of these tables that a transaction locks or writes, in the order in which it first does.
    private static func locked(
        _ statements: [String], among known: [String] = ["device", "account", "feed"]
    ) -> [String] {
        var tables: [String] = []
        for statement in statements {
            for match in statement.matches(of: #/\b(?:FOR UPDATE OF|UPDATE|DELETE FROM|INSERT INTO) (\w+)/#) {
                let table = String(match.1)
                if known.contains(table), !tables.contains(table) { tables.append(table) }
            }
        }
        return tables
    }

    @Test("of a push: the device, a new device's account, then the feeds") func push() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, ada, list) = try Town.withList(database)
            for (hasPushed, expected) in [(false, ["device", "account", "feed"]), (true, ["device", "feed"])] {
                var ben = try town.phone()
                try town.join(ben, list, of: ada, as: .editor)
                if hasPushed { try ben.sync(ben.item(town.id(), in: list)) }
                let counting = CountingDatabase(database)
                let request = ben.request([ben.item(town.id(), in: list)])
                let pushed = try await counting.write { [account = ben.account, now = town.now] transaction in
                    try SyncRound(request, as: account, at: now).push(in: transaction)
                }
                #expect(pushed.signals.moved == [list])
                #expect(Self.locked(counting.statements) == expected)
            }
        }
    }

    @Test("of a new account and of its deletion: the account, then its feed") func deletion() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let counting = CountingDatabase(database)
            let session = try await SessionService(database: counting, signals: .none).open(at: HandClock.start)
            #expect(Self.locked(counting.statements) == ["account", "feed"])
            counting.reset()
            try await AccountService(database: counting, signals: .none).delete(session.account, at: HandClock.start)
            #expect(Self.locked(counting.statements) == ["account", "feed"])
        }
    }

    @Test("of an accepted link: only the feeds") func acceptance() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, ada, list) = try Town.withList(database)
            let ben = try town.phone()
            let link = try town.links.create(
                LinkRequest(role: .editor), for: list.retyped(), by: ada.account, at: town.now
            ).value
            let token = try #require(link.token)
            let counting = CountingDatabase(database)
            _ = try await counting.write { [account = ben.account, now = town.now, server = database.server] in
                try LinkTransaction($0, at: now, on: server).accept(token, by: account)
            }
            #expect(Self.locked(counting.statements) == ["feed"])
        }
    }

    @Test("of the removal of a silent device's outcomes, as of a push: the device, then the outcomes")
    func silentDevice() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, owner, list) = try Town.withList(database)
            var ada = owner
            try ada.sync(ada.item(town.id(), in: list), ada.item(town.id(), in: list))
            let counting = CountingDatabase(database)
            town.pass(Limits.tombstones + .seconds(1))
            try await Housekeeping(database: counting, signals: .none).purge(town.now)
            #expect(Self.locked(counting.statements, among: ["device", "taken"]) == ["device", "taken"])
        }
    }

    @Test("of a used recovery code: its account, then its row") func recoveryCode() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let world = try SignInWorld(database: database)
            let (phone, tablet) = (try await world.open(), try await world.open())
            let set = try await world.recovery.create(
                for: phone.account, languages: [], address: "203.0.113.7", at: world.now)
            let counting = CountingDatabase(database)
            let recovery = RecoveryService(database: counting, messages: world.queue, signals: .none)
            _ = try await recovery.use(
                RecoveryCodeUse(code: set.codes[0], device: nil), by: world.requester(tablet), at: world.now)
            #expect(Self.locked(counting.statements, among: ["account", "recovery"]) == ["account", "recovery"])
        }
    }

    @Test("of a sign-up that somebody has brought: the feeds of both, in the order of their ids")
    func signUp() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let counting = CountingDatabase(database)
            let world = try SharingWorld(town: try Town(counting))
            let ben = try world.person("Ben")
            world.town.pass(.seconds(1))
            var ada = try world.person("Ada")
            try #require(ben.account < ada.account)
            try ada.sync(ada.shareable("ADA-TEA"))
            try ada.sync(ada.share(.email, to: "mailto:ben@example.com"))
            try world.work()
            world.town.pass(.days(1))
            try world.town.prove("mailto:ben@example.com", by: ben)
            counting.reset()
            try world.work()
            let feeds = counting.calls.filter { $0.sql.contains("FOR UPDATE OF feed") }.flatMap(\.values)
            #expect(feeds.prefix(2) == [.id(ben.home), .id(ada.home)])
        }
    }

    @Test("is read from the text of the statements") func reading() {
        let statements = [
            "WITH wanted (id) AS (VALUES ($1)) SELECT 1 FROM feed ORDER BY feed.id FOR UPDATE OF feed",
            "INSERT INTO device (account) VALUES (?) ON CONFLICT (account, id) DO UPDATE SET last = device.last",
            "SELECT 1 FROM account", "DELETE FROM account WHERE id = ?", "UPDATE feed SET kind = ?",
        ]
        #expect(Self.locked(statements) == ["feed", "device", "account"])
    }
}
