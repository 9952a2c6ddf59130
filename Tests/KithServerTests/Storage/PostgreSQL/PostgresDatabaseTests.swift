import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "PostgreSQL as the server's database", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresDatabaseTests {
    private struct Refusal: Error {}

    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    static let ways = variants(of: .patient)

    /// The settings with prepared statements, with none, and with sessions that change with each transaction.
    private static func variants(of settings: PostgresSettings) -> [PostgresSettings] {
        var (unprepared, pooled) = (settings, settings)
        unprepared.preparesStatements = false
        pooled.isPooled = true
        return [settings, unprepared, pooled]
    }

    private static func makeNotes(_ database: any Database) async throws {
        try await database.write { transaction in
            try transaction.execute(
                """
                CREATE TABLE note (
                    id BIGINT NOT NULL PRIMARY KEY, content TEXT, data \(transaction.dialect.bytes), amount BIGINT
                )
                """)
        }
    }

    // MARK: Values and statements

    @Test("returns each kind of value unchanged, prepared or not", arguments: ways)
    func values(settings: PostgresSettings) async throws {
        try await server.withDatabase(settings) { database in
            try await Self.makeNotes(database)
            let notes: [[SQLValue]] = [
                [.integer(.min), .text(""), .bytes(Data()), .integer(0)],
                [.integer(0), .null, .null, .null],
                [.integer(1), .text("ü\u{1F6D2}\n\"'\\?$1"), .bytes(Data([0, 255, 39, 92])), .integer(-1)],
                [
                    .integer(.max), .text(String(repeating: "x", count: 1_000_000)), .bytes(Data(count: 1_000_000)),
                    .null,
                ],
            ]
            try await database.write { transaction in
                for note in notes {
                    try transaction.execute("INSERT INTO note (id, content, data, amount) VALUES (?, ?, ?, ?)", note)
                }
            }
            // Twice, so that a prepared statement is used again.
            for _ in 0..<2 {
                let rows = try await database.read { try $0.query("SELECT * FROM note ORDER BY id") }
                #expect(rows.map(\.values) == notes)
            }
            let found = try await database.read { transaction in
                try notes.map {
                    try transaction.number("SELECT count(*) FROM note WHERE id = ? AND data = ?", [$0[0], $0[2]])
                }
            }
            #expect(found == [1, 0, 1, 1])
        }
    }

    @Test("reads all types that queries have as values of SQLite’s types") func types() async throws {
        try await server.withDatabase { database in
            let row = try await database.read { transaction in
                try transaction.query(
                    """
                    SELECT CAST(-2 AS SMALLINT), CAST(-4 AS INTEGER), 1 = 1, 1 = 2, CAST('n' AS NAME),
                        CAST('v' AS VARCHAR), CAST(NULL AS TEXT), 'literal', count(*), 3, CAST(? AS BYTEA)
                    """, [.bytes(Data([7]))])
            }.first
            #expect(
                row?.values == [
                    .integer(-2), .integer(-4), .integer(1), .integer(0), .text("n"), .text("v"), .null,
                    .text("literal"), .integer(1), .integer(3), .bytes(Data([7])),
                ])
        }
    }

    @Test(
        "reads sums as whole numbers",
        arguments: [
            0, 1, -1, 9_999, 10_000, -10_000, 100_000_000, 123_456_789, 1_000_000_000_000, .max, .min, .max - 9_999,
        ] as [Int64])
    func sums(number: Int64) async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            let sum = try await database.write { transaction in
                try transaction.execute("INSERT INTO note (id, amount) VALUES (1, ?), (2, 0)", [.integer(number)])
                return try transaction.query("SELECT sum(amount) FROM note")[0].integer(0)
            }
            #expect(sum == number)
        }
    }

    @Test(
        "refuses numbers that do not fit, and types that the server does not use",
        arguments: [
            "CAST(1.5 AS NUMERIC)", "CAST('NaN' AS NUMERIC)", "CAST(9223372036854775808 AS NUMERIC)", "now()",
            "CAST(ARRAY[1] AS BIGINT[])",
        ])
    func unreadable(expression: String) async throws {
        try await server.withDatabase { database in
            let error = await #expect(throws: ServerError.self) {
                try await database.read { try $0.query("SELECT \(expression)") }
            }
            #expect(error?.code == .internalError)
            let one = try await database.read { try $0.number("SELECT 1") }
            #expect(one == 1)
        }
    }

    @Test("refuses a text with NUL with a sentence; the transaction can go on") func nul() async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            try await database.write { transaction in
                let insert = "INSERT INTO note (id, content) VALUES (?, ?)"
                let error = #expect(throws: ServerError.self) {
                    try transaction.execute(insert, [.integer(1), .text("a\0b")])
                }
                #expect(error?.code == .malformed)
                #expect(error?.sentence == "A text contains a NUL character, which cannot be stored. Remove it.")
                try transaction.execute(insert, [.integer(2), .text("ab")])
            }
            #expect(try await database.read { try $0.number("SELECT count(*) FROM note") } == 1)
        }
    }

    @Test("refuses a wrong number of values") func wrongCount() async throws {
        try await server.withDatabase { database in
            let error = await #expect(throws: ServerError.self) { try await database.read { try $0.query("SELECT ?") } }
            #expect(error?.code == .internalError)
        }
    }

    @Test("runs statements with many parameters", arguments: [1, 32_767])
    func manyParameters(count: Int64) async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            let ids = (1...count).map { SQLValue.integer($0) }
            try await database.write { transaction in
                let places = Array(repeating: "(?)", count: ids.count).joined(separator: ", ")
                try transaction.execute("INSERT INTO note (id) VALUES \(places)", ids)
            }
            let found = try await database.read { try $0.query("SELECT id FROM note ORDER BY id") }
            #expect(found.map(\.values) == ids.map { [$0] })
        }
    }

    @Test("reads rows up to the first that is not wanted") func rows() async throws {
        try await server.withDatabase { database in
            let rows = try await database.read { transaction in
                try transaction.query("SELECT generate_series(1, 1000)", []) { try $0.integer(0) < 4 }
            }
            #expect(rows.map(\.values) == [[.integer(1)], [.integer(2)], [.integer(3)]])
        }
    }

    @Test("keeps statements prepared, one for each list of types") func prepared() async throws {
        var settings = PostgresSettings.patient
        settings.connections = 1
        try await server.withDatabase(settings) { database in
            try await Self.makeNotes(database)
            let texts = try await database.write { transaction in
                for id in 1...3 as ClosedRange<Int64> {
                    try transaction.execute("INSERT INTO note (id, content) VALUES (?, ?)", [.integer(id), .null])
                    try transaction.execute("INSERT INTO note (id, content) VALUES (?, ?)", [.integer(-id), .text("")])
                }
                return try transaction.query(
                    "SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'")
            }
            #expect(
                texts.map(\.values)
                    == Array(
                        repeating: [.text("INSERT INTO note (id, content) VALUES ($1, $2)")], count: 2))
        }
    }

    @Test("runs a prepared statement whose table another node has changed") func changedTable() async throws {
        var settings = PostgresSettings.patient
        settings.connections = 1
        try await server.withDatabase(settings) { database, address in
            try await Self.makeNotes(database)
            #expect(try await database.read { try $0.query("SELECT * FROM note") }.isEmpty)
            try await server.sql(
                "ALTER TABLE note ADD COLUMN color TEXT; INSERT INTO note (id) VALUES (1)", at: address)
            #expect(try await database.read { try $0.query("SELECT * FROM note")[0].values.count } == 5)
        }
    }

    // MARK: Transactions

    /// A point that two transactions reach before either goes on. Later ones pass.
    private final class Meeting: Sendable {
        private let count = Mutex(0)
        private let second = DispatchSemaphore(value: 0)

        /// The number of transactions that have been here.
        var arrivals: Int { count.withLock { $0 } }

        @Sendable func meet() {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { second.wait() }
            if number == 2 { second.signal() }
        }
    }

    @Test("undoes a write that throws, and reports its error", arguments: ways)
    func undoes(settings: PostgresSettings) async throws {
        try await server.withDatabase(settings) { database in
            try await Self.makeNotes(database)
            await #expect(throws: Refusal.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO note (id) VALUES (1)")
                    throw Refusal()
                }
            }
            #expect(try await database.read { try $0.number("SELECT count(*) FROM note") } == 0)
        }
    }

    @Test("undoes a write whose failed statement was caught, and reports the failure") func caught() async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO note (id) VALUES (1)")
                    try? transaction.execute("INSERT INTO nowhere (id) VALUES (1)")
                }
            }
            #expect(error?.code == .internalError)
            #expect((error?.cause as? PostgresFailure)?.state == "42P01")
            #expect(try await database.read { try $0.number("SELECT count(*) FROM note") } == 0)
        }
    }

    @Test("reads one snapshot, and writes in a read are refused", arguments: ways)
    func snapshot(settings: PostgresSettings) async throws {
        try await server.withDatabase(settings) { database in
            try await Self.makeNotes(database)
            let (hasRead, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let counts = database.read { transaction in
                let before = try transaction.number("SELECT count(*) FROM note")
                hasRead.signal()
                hasWritten.wait()
                return [before, try transaction.number("SELECT count(*) FROM note")]
            }
            try await database.write { transaction in
                hasRead.wait()
                try transaction.execute("INSERT INTO note (id) VALUES (1)")
            }
            hasWritten.signal()
            #expect(try await counts == [0, 0])
            await #expect(throws: ServerError.self) {
                try await database.read { try $0.execute("INSERT INTO note (id) VALUES (2)") }
            }
            #expect(try await database.read { try $0.number("SELECT count(*) FROM note") } == 1)
        }
    }

    @Test("loses no update of writers who lock the row", arguments: ways)
    func noLostUpdate(settings: PostgresSettings) async throws {
        try await server.withDatabase(settings) { database in
            try await Self.makeNotes(database)
            try await database.write { try $0.execute("INSERT INTO note (id, amount) VALUES (1, 0)") }
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<10 {
                            try await database.write { transaction in
                                let amount = try transaction.query(
                                    "SELECT amount FROM note WHERE id = 1" + transaction.dialect.locking("note"))[0]
                                    .integer(0)
                                try transaction.execute(
                                    "UPDATE note SET amount = ? WHERE id = 1", [.integer(amount + 1)])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.read { try $0.number("SELECT amount FROM note") } == 200)
        }
    }

    @Test("runs a write again that PostgreSQL has ended to end a deadlock") func deadlock() async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            try await database.write { try $0.execute("INSERT INTO note (id, amount) VALUES (1, 0), (2, 0)") }
            let meeting = Meeting()
            try await withThrowingTaskGroup { group in
                for ids in [[1, 2], [2, 1]] as [[Int64]] {
                    group.addTask {
                        try await database.write { transaction in
                            let update = "UPDATE note SET amount = amount + 1 WHERE id = ?"
                            // A row that is read shows that the first is locked.
                            _ = try transaction.query("\(update) RETURNING id", [.integer(ids[0])])
                            meeting.meet()
                            try transaction.execute(update, [.integer(ids[1])])
                        }
                    }
                }
                try await group.waitForAll()
            }
            // They can meet again before the other goes on.
            #expect(meeting.arrivals >= 3)
            let amounts = try await database.read { try $0.query("SELECT amount FROM note") }
            #expect(amounts.map(\.values) == [[.integer(2)], [.integer(2)]])
        }
    }

    @Test("runs a write again if another has created the same row meanwhile") func sameRow() async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            let meeting = Meeting()
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await database.write { transaction in
                            if try !transaction.query("SELECT 1 FROM note WHERE id = 1").isEmpty { return false }
                            meeting.meet()
                            try transaction.execute("INSERT INTO note (id) VALUES (1)")
                            return true
                        }
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(made.filter(\.self).count == 1 && meeting.arrivals == 2)
        }
    }

    @Test(
        "repeats only what can succeed, and reports each failure with the time to wait",
        arguments: [
            ("40001", 6, 1, false), ("40P01", 6, 1, false), ("23505", 6, nil, false), ("55P03", 1, 1, false),
            ("57014", 1, 1, false), ("53100", 1, 60, true), ("53300", 1, 5, true), ("25006", 1, 1, true),
            ("57P01", 1, 1, true), ("58030", 1, 30, true), ("XX001", 1, 30, true), ("42601", 1, nil, false),
            ("26000", 6, 30, true), ("42P05", 6, 30, true),
        ] as [(String, Int, Int64?, Bool)])
    func failures(state: String, runs: Int, seconds: Int64?, isLasting: Bool) async throws {
        try await server.withDatabase { database in
            let counted = Mutex(0)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    counted.withLock { $0 += 1 }
                    try transaction.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(state)'; END $$")
                }
            }
            #expect(counted.withLock { $0 } == runs)
            #expect(error?.code == (seconds == nil ? .internalError : .busy))
            #expect(error?.retryAfter == seconds.map { .seconds($0) })
            let failure = try #require(error?.cause as? PostgresFailure)
            #expect(failure.state == state)
            #expect(failure.kind.isLasting == (isLasting && state != "53300") || state == "53300")
            #expect(try await database.read { try $0.number("SELECT 1") } == 1)
        }
    }

    @Test("logs the name of a violated constraint, and no values") func constraint() async throws {
        try await server.withDatabase { database in
            try await Self.makeNotes(database)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    for _ in 0..<2 { try transaction.execute("INSERT INTO note (id) VALUES (?)", [.integer(4711)]) }
                }
            }
            let words = "\(try #require(error))"
            #expect(words.contains("note_pkey") && !words.contains("4711"))
        }
    }

    // MARK: Opening and sessions

    @Test("nodes that open an empty database together become one server") func openedTogether() async throws {
        let address = try await server.address()
        let servers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let database = try await PostgresDatabase(url: address, settings: .patient)
                    let epoch = try await database.epoch()
                    await database.close()
                    return "\(database.server) \(epoch)"
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(servers.count == 1)
        let again = try await PostgresDatabase(url: address, settings: .patient)
        #expect(servers == ["\(again.server) \(try await again.epoch())"])
        let renewed = try await again.newEpoch()
        #expect(try await again.epoch() == renewed && !servers.contains("\(again.server) \(renewed)"))
        await again.close()
    }

    @Test("refuses the database of a newer version") func newerVersion() async throws {
        let address = try await server.address()
        await (try PostgresDatabase(url: address)).close()
        try await server.sql("UPDATE meta SET value = '1000000' WHERE name IN ('version', 'oldest')", at: address)
        let error = await #expect(throws: ServerError.self) { _ = try await PostgresDatabase(url: address) }
        #expect(error?.sentence.hasPrefix("The database is of version 1000000") == true)
    }

    @Test(
        "sets the limits of each session, and of each transaction behind a pooler",
        arguments: variants(of: PostgresSettings()))
    func session(settings: PostgresSettings) async throws {
        let address = try await server.address()
        let name = try #require(address.split(separator: "=").last)
        try await server.sql("ALTER DATABASE \(name) SET synchronous_commit = off")
        let database = try await PostgresDatabase(url: address, settings: settings)
        let values = try await database.write { transaction in
            try [
                "application_name", "client_encoding", "client_min_messages", "statement_timeout", "lock_timeout",
                "idle_in_transaction_session_timeout", "synchronous_commit",
            ].map { try transaction.query("SELECT current_setting(?)", [.text($0)])[0].text(0) }
        }
        #expect(values == ["kith", "UTF8", "warning", "15s", "5s", "3s", "on"])
        await database.close()
    }

    @Test("refuses a database that is not in UTF-8") func encoding() async throws {
        let address = try await server.address(["-E", "LATIN1"])
        let error = await #expect(throws: ServerError.self) { _ = try await PostgresDatabase(url: address) }
        #expect(error?.sentence.contains("LATIN1") == true)
    }

    @Test(
        "refuses what is no address, and does not repeat it",
        arguments: ["kith.sqlite", "postgres://ada:secret@[host/kith", "host", "password=secret nonsense"])
    func address(text: String) async throws {
        let error = await #expect(throws: ServerError.self) { _ = try await PostgresDatabase(url: text) }
        #expect(error?.sentence.hasPrefix("The address of the PostgreSQL database cannot be read.") == true)
        #expect(error?.code == .malformed)
        #expect(!"\(try #require(error))".contains("secret"))
    }
}

extension Transaction {
    /// The number in the first column of a query's first row.
    fileprivate func number(_ sql: String, _ values: [SQLValue] = []) throws -> Int64 {
        try #require(try query(sql, values).first).integer(0)
    }
}
