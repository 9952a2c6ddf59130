import Foundation
import KithModel
import KithServer
import Processes
import Testing

/// The parts of the server that other tests check with SQLite, through the same worlds.
@Suite(
    "A server on PostgreSQL", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresServingTests {
    private let folder = Folder()
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    // MARK: Rounds and lists

    @Test("edits, deletions, pages and lost lists reach other devices") func rounds() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            var ben = try town.phone()
            try town.join(ben, list, of: ada, as: .editor)
            let items: [RecordID<Never>] = (0..<30).map { _ in town.id() }
            try ada.sync(items.map { ada.item($0, in: list) })
            try ben.sync(page: 7)
            #expect(ben.fields(list, items[0])?["title"] == "Tea")

            let sequence = ben.replica[list]?[items[0]]?.sequence ?? 0
            try ben.sync(ben.mutation(list, .items, items[0], .delete, seen: sequence))
            try ada.sync()
            #expect(ada.fields(list, items[0]) == nil)
            #expect(try ada.digest(list) == town.row(list)?.digest)

            try ada.sync(ada.role(.viewer, of: ben.account, in: list))
            let refused = try ben.outcomes(ben.item(town.id(), in: list))
            #expect(refused == [RejectionCode.forbidden.rawValue])
            try ben.sync(ben.leave(list))
            #expect(ben.replica[list] == nil)
            #expect(try town.role(ben.account, list) == nil)
        }
    }

    @Test("a request that is sent again is taken once") func exactlyOnce() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            let request = ada.request([ada.item(town.id(), in: list)])
            let answers = try (0..<2).map { _ in try ada.send(request).answer }
            #expect(answers[0].acknowledged == answers[1].acknowledged && answers[1].device == .recognised)
            ada.apply(answers[1])
            #expect(ada.replica[list]?.count == 3)
        }
    }

    @Test("Trap: Order of transaction numbers ≠ order of commits – tokens have positions, and no counter is locked")
    func positions() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, ada, list) = try Town.withList(database)
            let token = try #require(ada.token)
            #expect(FeedPositions(token)?.feeds[list] != nil && RevisionPosition(token) == nil)
            let counter = try database.readNow { transaction in
                try transaction.query("SELECT number FROM revision WHERE name = 'feeds'").first?.integer(0)
            }
            #expect(counter == Revision.first.number)
            let row = try #require(try town.row(list))
            #expect(row.revision > .first)
        }
    }

    @Test("Trap: a dump is restored where transaction numbers begin again – later revisions are still higher")
    func restored() async throws {
        let (url, address) = try await server.url()
        let far: Int64 = 1 << 40
        let first = try await PostgresDatabase(url: url, settings: .patient)
        let (_, ada, list) = try Town.withList(first)
        await first.close()
        try await server.sql(
            "UPDATE feed SET revision = \(far)", "UPDATE record SET revision = \(far + 1)", at: address)
        let second = try await PostgresDatabase(url: url, settings: .patient)
        let town = try Town(second)
        // The ids of the first town are taken.
        for _ in 0..<10 { _ = town.id(Feed.self) }
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try tablet.sync(tablet.item(town.id(), in: list))
        #expect(try #require(try town.row(list)).revision > Revision(far + 1))
        await second.close()
        let base = "SELECT number FROM revision WHERE name = 'feeds'"
        let raised = try await server.sql(base, at: address)
        #expect(raised == ["\(far + 1)"])
        await (try await PostgresDatabase(url: url, settings: .patient)).close()
        #expect(try await server.sql(base, at: address) == raised, "It is raised once.")
    }

    @Test("a token of revisions counts as none") func tokenOfRevisions() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            let epoch = try await database.epoch()
            ada.token = RevisionPosition(epoch: epoch, account: ada.account, revision: Revision(1 << 40)).token
            let answer = try ada.sync().answer
            #expect(answer.feeds.contains { $0.feed == list && $0.page != nil })
            #expect(try ada.digest(list) == town.row(list)?.digest)
        }
    }

    @Test("housekeeping deletes old tombstones, and a device that was away rereads the list") func tombstones()
        async throws
    {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            let tea: RecordID<Never> = town.id()
            try ada.sync(ada.item(tea, in: list))
            var tablet = Phone(town, account: ada.account)
            try tablet.sync()
            try ada.sync(ada.mutation(list, .items, tea, .delete, seen: ada.replica[list]?[tea]?.sequence ?? 0))
            town.pass(Limits.tombstones + .seconds(1))
            let purged = try await town.purge()
            #expect(purged > 0)
            try tablet.sync()
            #expect(tablet.fields(list, tea) == nil)
            #expect(try tablet.digest(list) == town.row(list)?.digest)
        }
    }

    @Test("the records of a deleted list are deleted at once, and no others") func closedLists() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            let (other, tea): (FeedID, RecordID<Never>) = (town.id(), town.id())
            try ada.sync(ada.create(other), ada.item(town.id(), in: list), ada.item(tea, in: other))
            try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete))
            // The item and the owner as a member.
            #expect(try await town.purge(step: 1) == 2)
            let row = try #require(try town.row(list))
            #expect(row.live == 0 && row.digest == FeedDigest())
            var tablet = Phone(town, account: ada.account)
            try tablet.sync()
            #expect(tablet.fields(other, tea)?["title"] == "Tea")
            #expect(try tablet.digest(other) == town.row(other)?.digest)
        }
    }

    @Test("new devices that push at the same moment do not exceed the limit of an account") func devices() async throws
    {
        try await server.withDatabase { (database: PostgresDatabase) in
            let session = try await SessionService(database: database, signals: .none).open(at: HandClock.start)
            try await database.write { [account = session.account] transaction in
                try transaction.execute(
                    """
                    INSERT INTO device (account, id, last)
                    SELECT ?, DECODE(MD5(CAST(number AS TEXT)), 'hex'), 1 FROM generate_series(2, ?) AS number
                    """, [.id(account), .integer(Int64(Limits.devices))])
            }
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let device = TestDevice(session)
                        let list = ListID(UUID())
                        let mutation = device.mutation(1, .lists, list.uuid, in: list, set: ["name": "Groceries"])
                        do {
                            _ = try await SyncService(database: database)
                                .sync(device.request([mutation]), as: session.account, at: HandClock.start)
                            return true
                        } catch let error as ServerError where error.code == .tooMany { return false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    // MARK: Invitations and accounts

    @Test("an invitation by email reaches the list") func invitation() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (world, first, second, list) = try InvitationWorld.withList(Town(database))
            var (ada, ben) = (first, second)
            try world.prove("mailto:ben@example.com", by: ben)
            let sent = try ada.outcomes(ada.invite("mailto:ben@example.com", .list(list.retyped(), .editor)))
            #expect(sent == ["applied"])
            try world.work()
            #expect(try world.messages().count == 1)
            try ben.sync()
            let accepted = try ben.outcomes(ben.answer(ben.invitation(), .accept))
            #expect(accepted == ["applied"])
            try world.work()
            try ada.sync()
            try ben.sync()
            #expect(try ada.invitation().status == .accepted)
            #expect(try world.town.role(ben.account, list) == .editor)
            #expect(ben.replica[list] != nil)
        }
    }

    @Test("a code by email signs in two devices, and a deleted account has no session") func account() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let world = try SignInWorld(database: database)
            let (phone, tablet) = (try await world.open(), try await world.open())
            let first = try await world.signIn("ada@example.com", by: phone)
            #expect(first.account == phone.account)
            world.clock.advance(.seconds(60))
            let second = try await world.signIn("ada@example.com", by: tablet)
            #expect(second.account == phone.account)
            try await AccountService(database: database, signals: .none).delete(phone.account, at: world.now)
            #expect(await errorCode { try await world.sessions.verify(phone.token) } == .accountClosed)
        }
    }

    @Test("requests at the same moment do not exceed the codes of an account, nor those of a network")
    func parallelCodes() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let world = try SignInWorld(database: database) { ($0.limits.ofAccount, $0.limits.ofNetwork) = (5, 8) }
            let sessions = [try await world.open(), try await world.open()]
            let sent = try await withThrowingTaskGroup(of: [Int].self) { group in
                for number in 0..<24 {
                    group.addTask {
                        let index = number % 2
                        let code = await errorCode {
                            try await world.request("person\(number)@example.com", by: sessions[index])
                        }
                        #expect(code == nil || code == .quotaExceeded)
                        return code == nil ? [index] : []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(sent.count == 8)
            #expect([0, 1].allSatisfy { index in sent.count { $0 == index } <= 5 })
        }
    }

    // MARK: The server

    @Test("its readiness and metrics name the database, and devices sync") func serves() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            try await TestServer.run(database: database) { test in
                let ready: Readiness = try await test.ask("GET", "/ready").decoded()
                #expect(ready == Readiness(server: database.server, database: "PostgreSQL"))
                let metrics = String(decoding: try await test.ask("GET", "/metrics").body, as: UTF8.self)
                #expect(metrics.contains(#"kith_database{kind="PostgreSQL"} 1"#))
                var ada = TestDevice(try await test.newSession())
                let list = try await ada.makeList("Groceries", with: test)
                var tablet = TestDevice(ada.session)
                let answer = try await tablet.sync(with: test)
                #expect(answer.feeds.contains { $0.feed == list.retyped() })
            }
        }
    }

    @Test("Trap: One record is damaged – the server stays ready, because all that share the database would find it")
    func damagedRecord() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            try await TestServer.run(database: database) { test in
                var phone = TestDevice(try await test.newSession())
                let (list, item) = (try await phone.makeList("Groceries", with: test), UUID())
                let tea = phone.mutation(1, .items, item, in: list, set: ["title": "Tea", "position": "a0"])
                try await phone.sync([tea], with: test)
                try await database.write { transaction in
                    try transaction.execute("UPDATE record SET fields = 'my diary' WHERE collection = 'item'")
                }
                let refused = try await test.ask(
                    "POST", "/v1/sync", token: phone.session.token, json: TestDevice(phone.session).request())
                try problem(in: refused, 503, .busy)
                test.clock.advance(.seconds(1))
                #expect(try await test.ask("GET", "/ready").status == 200)
                #expect(test.log.text.contains("critical The database is damaged."))
                #expect(test.log.text.contains("(feed \(list), record \(RecordID<Never>(item)))"))
            }
        }
    }

    @Test("is opened by its URL, keeps its epoch, announces a new one, and closes its connections") func opened()
        async throws
    {
        let (url, address) = try await server.url()
        var configuration = ServerConfiguration.patient
        configuration.database = url
        configuration.postgres = .patient
        configuration.discoveryKeyFile = folder.url.appending(path: "keys").path
        func epoch(isNew: Bool) async throws -> String {
            var wanted = configuration
            wanted.newEpoch = isNew
            let metrics = PrometheusRegistry()
            let epoch = try await KithServer.open(wanted, metrics: metrics).serving { url in
                let test = TestServer(url: url)
                var device = TestDevice(try await test.newSession())
                return try await device.sync(with: test).epoch
            }
            #expect(metrics.total(of: "kith_commits_total") > 0)
            // Citus has connections of its own.
            let others = """
                FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND application_name NOT ILIKE 'citus%'
                """
            try await server.wait(until: "count(*) = 0 \(others)", at: address)
            return epoch
        }
        let first = try await epoch(isNew: false)
        #expect(try await epoch(isNew: false) == first)
        #expect(try await epoch(isNew: true) != first)
    }

    @Test("its database is opened beside it, if it has the tables of this version") func besideServer() async throws {
        let (url, address) = try await server.url()
        let place = try DatabaseAddress(url)
        let missing = await #expect(throws: ServerError.self) {
            try await ServerDatabase.open(besideServer: place, .patient)
        }
        #expect(missing?.code == .notFound)
        let database = try await PostgresDatabase(url: url, settings: .patient)
        let beside = try await ServerDatabase.open(besideServer: place, .patient)
        #expect(beside.database.server == database.server)
        _ = try await SessionService(database: beside.database, signals: .none).open(at: HandClock.start)
        try await beside.close()
        await database.close()
        try await server.sql("UPDATE meta SET value = '1' WHERE name = 'version'", at: address)
        let older = await #expect(throws: ServerError.self) {
            try await ServerDatabase.open(besideServer: place, .patient)
        }
        #expect(older?.code == ServerError.cannotOpen && older?.sentence.contains("version") == true)
    }
}
