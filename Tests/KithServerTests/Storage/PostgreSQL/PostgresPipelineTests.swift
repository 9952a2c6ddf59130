import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "Statements that are sent to PostgreSQL together", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresPipelineTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// One connection, so that transactions do not count those of others.
    private static var single: PostgresSettings {
        var settings = PostgresSettings.patient
        settings.connections = 1
        return settings
    }

    private static func makeNotes(_ database: any Database) async throws {
        try await database.write { transaction in
            try transaction.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY, amount BIGINT)")
        }
    }

    /// How often PostgreSQL is waited for in `body`.
    private static func flights(
        of database: PostgresDatabase, in body: () async throws -> Void
    ) async throws -> Int {
        // A read is answered before its end. A transaction without statements waits for that end, and for nothing else.
        try await database.write { _ in }
        let before = database.flights
        try await body()
        try await database.write { _ in }
        return database.flights - before
    }

    // MARK: Rounds

    @Test(
        "A push of one edit takes two flights: what it reads, and what it writes with the commit",
        arguments: [true, false])
    func push(isNew: Bool) async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let (town, ada, list) = try Town.withList(database)
            var ben = try town.phone()
            try town.join(ben, list, of: ada, as: .editor)
            let item: RecordID<Never> = town.id()
            try ben.sync(ben.item(item, in: list))
            let edit = ben.mutation(list, .items, item, .set(["title": "Milk"]), seen: 1)
            let request = ben.request([isNew ? ben.item(town.id(), in: list) : edit])
            let (account, now) = (ben.account, town.now)
            let count = try await Self.flights(of: database) {
                let pushed = try await database.write { transaction in
                    try SyncRound(request, as: account, at: now).push(in: transaction)
                }
                #expect(pushed.acknowledged.number == 2 && pushed.signals.moved == [list])
            }
            #expect(count == 2)
            // All mutations were taken before: it writes nothing.
            let again = try await Self.flights(of: database) {
                let pushed = try await database.write { transaction in
                    try SyncRound(request, as: account, at: now).push(in: transaction)
                }
                #expect(pushed.acknowledged.number == 2 && pushed.signals.moved.isEmpty)
            }
            #expect(again == 2)
        }
    }

    @Test(
        "The answer to a push of one edit needs no flight of its own: it travels with the commit",
        arguments: [true, false])
    func answeredPush(isNew: Bool) async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let (town, ada, list) = try Town.withList(database)
            var ben = try town.phone()
            try town.join(ben, list, of: ada, as: .editor)
            let item: RecordID<Never> = town.id()
            try ben.sync(ben.item(item, in: list))
            try ben.sync()
            let edit = ben.mutation(list, .items, item, .set(["title": "Milk"]), seen: 1)
            let request = ben.request([isNew ? ben.item(town.id(), in: list) : edit])
            let service = SyncService(database: database)
            let count = try await Self.flights(of: database) {
                let answer = try await service.sync(
                    request, as: ben.account, at: town.now, through: AtOnce()
                ).answer
                #expect(answer.acknowledged.number == 2 && answer.feeds.map(\.changes.count) == [1])
                ben.apply(answer)
            }
            #expect(count == 2)
            #expect(ben.digest(list) == (try town.row(list)?.digest))
        }
    }

    @Test("A round with nothing new takes one flight before its answer, and one after it")
    func idleRound() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let (town, first, _) = try Town.withList(database)
            var ada = first
            try ada.sync()
            let request = ada.request([])
            let (account, now) = (ada.account, town.now)
            let count = try await Self.flights(of: database) {
                let answer = try await database.read { transaction in
                    try SyncRound(request, as: account, at: now).pull(after: nil, in: transaction).answer
                }
                #expect(answer.feeds.isEmpty)
            }
            #expect(count == 2)
        }
    }

    @Test("The answer is read again, whole, if others have changed something, too") func answerWithMore() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var (ada, tablet) = (first, Phone(town, account: first.account))
            try tablet.sync()
            try ada.sync()
            try tablet.sync(tablet.item(town.id(), in: list))
            let request = ada.request([ada.item(town.id(), in: list)])
            let service = SyncService(database: database)
            let answer = try await service.sync(request, as: ada.account, at: town.now, through: AtOnce()).answer
            ada.apply(answer)
            #expect(answer.outcomes.isEmpty)
            #expect(ada.digest(list) == (try town.row(list)?.digest))
        }
    }

    @Test("A session is found in one flight") func session() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let sessions = SessionService(database: database, signals: .none)
            let session = try await sessions.open(at: HandClock.start)
            let count = try await Self.flights(of: database) {
                let found = try await sessions.verify(session.token)
                #expect(found?.account == session.account)
            }
            #expect(count == 1)
        }
    }

    @Test("A device that the database has forgotten gets no row by saying so") func forgotten() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let (town, first, list) = try Town.withList(database)
            var ada = first
            try ada.sync(ada.item(town.id(), in: list))
            let devices = "SELECT count(*) FROM device"
            try await database.write { transaction in
                try transaction.execute("DELETE FROM taken")
                try transaction.execute("DELETE FROM device")
            }
            let request = ada.request([ada.item(town.id(), in: list)])
            let (account, now) = (ada.account, town.now)
            let pushed = try await database.write { transaction in
                try SyncRound(request, as: account, at: now).push(in: transaction)
            }
            #expect(pushed.standing == .forgotten && pushed.signals.moved.isEmpty)
            #expect(try await database.read { try $0.query(devices)[0].integer(0) } == 0)
        }
    }

    // MARK: Transactions

    @Test("If a commit fails, what was to be read after it is not read, and nothing is written") func failedCommit()
        async throws
    {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            try await database.write { transaction in
                try transaction.execute("CREATE TABLE pair (id BIGINT UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            }
            let count = "SELECT count(*) FROM pair"
            let reads = Mutex(0)
            await #expect(throws: ServerError.self) {
                _ = try await database.write(inTurn: nil) { transaction in
                    for _ in 0..<2 { try transaction.execute("INSERT INTO pair (id) VALUES (1)") }
                } thenRead: { _, transaction in
                    _ = try transaction.query(count)
                    reads.withLock { $0 += 1 }
                }
            }
            #expect(reads.withLock(\.self) == 0)
            #expect(try await database.read { try $0.query(count)[0].integer(0) } == 0)
        }
    }

    @Test("If the answer to a commit that travels with a read is lost, the outcome is unknown") func lostCommit()
        async throws
    {
        try await server.withDatabase(Self.single) { database, address in
            try await server.letCommitsSleep(at: address)
            async let isUnknown: Bool = {
                do {
                    _ = try await database.write(inTurn: nil) { transaction in
                        try transaction.execute("INSERT INTO meta (name, value) VALUES ('note', '')")
                    } thenRead: { _, transaction in
                        try transaction.query("SELECT name FROM meta").count
                    }
                    return false
                } catch let error as ServerError {
                    return error.cause is UnknownOutcome
                }
            }()
            try await server.endSleepingCommit(at: address)
            #expect(try await isUnknown)
        }
    }

    @Test(
        "A write waits for its beginning before its commit; without statements it waits for nothing",
        arguments: PostgresDatabaseTests.ways)
    func writes(settings: PostgresSettings) async throws {
        var settings = settings
        settings.connections = 1
        try await server.withDatabase(settings) { (database: PostgresDatabase) in
            try await Self.makeNotes(database)
            let none = try await Self.flights(of: database) { try await database.write { _ in } }
            #expect(none == 0)
            let writing = try await Self.flights(of: database) {
                try await database.write { transaction in
                    for id in 1...3 as ClosedRange<Int64> {
                        try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(id)])
                    }
                }
            }
            #expect(writing == 2)
            #expect(try await database.read { try $0.query("SELECT count(*) FROM note")[0].integer(0) } == 3)
        }
    }

    @Test("Each answer is that of the moment when it was asked for, in whatever order they are read")
    func order() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            try await Self.makeNotes(database)
            let count = "SELECT count(*) FROM note"
            let counts = try await database.write { transaction in
                let first = try transaction.ask(count, [])
                try transaction.execute("INSERT INTO note (id) VALUES (1)")
                let second = try transaction.ask(count, [])
                try transaction.execute("INSERT INTO note (id) VALUES (2)")
                let last = try transaction.query(count)
                return try [last, second.value(), first.value()].map { try $0[0].integer(0) }
            }
            #expect(counts == [2, 1, 0])
        }
    }

    @Test("If a write fails that is sent with the commit, nothing is changed, and the error is reported")
    func failedWrite() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            try await Self.makeNotes(database)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    _ = try transaction.query("INSERT INTO note (id) VALUES (1) RETURNING id")
                    try transaction.execute("INSERT INTO note (id) VALUES (2)")
                    try transaction.execute("INSERT INTO nowhere (id) VALUES (3)")
                    try transaction.execute("INSERT INTO note (id) VALUES (4)")
                }
            }
            #expect((error?.cause as? PostgresFailure)?.state == "42P01")
            // The same connection goes on.
            let flights = try await Self.flights(of: database) {
                let notes = try await database.read { try $0.query("SELECT count(*) FROM note")[0].integer(0) }
                #expect(notes == 0)
            }
            #expect(flights == 2)
        }
    }

    @Test("A write runs again if one of its statements that are sent with the commit meets another's")
    func runsAgain() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            try await Self.makeNotes(database)
            let runs = Mutex(0)
            try await database.write { transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                _ = try transaction.query("SELECT 1")
                try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(Int64(run))])
                if run < 3 {
                    try transaction.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$")
                }
            }
            #expect(runs.withLock { $0 } == 3)
            let ids = try await database.read { try $0.query("SELECT id FROM note") }
            #expect(ids.map(\.values) == [[.integer(3)]])
        }
    }

    @Test("A write that reads nothing also runs again if it meets another's, before the read that follows it")
    func runsAgainBeforeReading() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            try await Self.makeNotes(database)
            let runs = Mutex(0)
            let (_, read) = try await database.write(inTurn: nil) { transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(Int64(run))])
                if run < 3 {
                    try transaction.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$")
                }
            } thenRead: { _, transaction in
                try transaction.query("SELECT id FROM note").map(\.values)
            }
            #expect(try read.get() == [[.integer(3)]])
        }
    }

    @Test("A statement that was not prepared because an earlier one failed is prepared when it is sent again")
    func preparedAgain() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let sum = "SELECT 41 + CAST(? AS BIGINT)"
            await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    _ = try transaction.ask("SELECT 1 FROM nowhere", [])
                    _ = try transaction.query(sum, [.integer(1)])
                }
            }
            // A statement that PostgreSQL does not know would take another connection, which is a further flight.
            let flights = try await Self.flights(of: database) {
                for _ in 0..<2 {
                    let answer = try await database.read { try $0.query(sum, [.integer(1)])[0].integer(0) }
                    #expect(answer == 42)
                }
            }
            #expect(flights == 4)
        }
    }

    @Test("A read after a write whose prepared statement has an old plan is run once more, on another connection")
    func oldPlan() async throws {
        try await server.withDatabase(Self.single) { database, address in
            try await Self.makeNotes(database)
            let all = "SELECT * FROM note"
            _ = try await database.read { try $0.query(all) }
            try await server.sql("ALTER TABLE note ADD COLUMN content TEXT", at: address)
            let reads = Mutex(0)
            let (_, notes) = try await database.write(inTurn: nil) { transaction in
                try transaction.execute("INSERT INTO note (id) VALUES (1)")
            } thenRead: { _, transaction in
                reads.withLock { $0 += 1 }
                return try transaction.query(all).map(\.values)
            }
            #expect(try notes.get() == [[.integer(1), .null, .null]])
            #expect(reads.withLock(\.self) == 2)
        }
    }

    @Test("Large values and large answers do not wait for each other") func large() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            let size = 8 << 20
            let data = Data(repeating: 7, count: size)
            let sizes = try await database.read { transaction in
                let asked = try (0..<4).map { _ in
                    [
                        try transaction.ask("SELECT REPEAT('x', CAST(? AS INTEGER))", [.integer(Int64(size))]),
                        try transaction.ask("SELECT CAST(? AS BYTEA)", [.bytes(data)]),
                    ]
                }
                return try asked.joined().map { pending in
                    let row = try pending.value()[0]
                    return try row.values[0] == .bytes(data) ? size : row.text(0).utf8.count
                }
            }
            #expect(sizes == Array(repeating: size, count: 8))
        }
    }

    @Test("A statement that is refused before it is sent leaves the others as they are") func refused() async throws {
        try await server.withDatabase(Self.single) { (database: PostgresDatabase) in
            try await Self.makeNotes(database)
            try await database.write { transaction in
                try transaction.execute("INSERT INTO note (id) VALUES (1)")
                #expect(throws: ServerError.self) { try transaction.execute("INSERT INTO note (id) VALUES (?)", []) }
                try transaction.execute("INSERT INTO note (id) VALUES (2)")
            }
            #expect(try await database.read { try $0.query("SELECT count(*) FROM note")[0].integer(0) } == 2)
        }
    }
}
