import Foundation
import GRDB
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite("A disk that is full or fails", .timeLimit(.minutes(15)))
struct FullDiskTests {
    private func run(
        _ database: SQLiteDatabase, free: @escaping @Sendable () -> Double?, _ body: (TestServer) async throws -> Void
    ) async throws {
        let (clock, log) = (HandClock(), LogKeeper())
        let server = KithServer(
            ServerDependencies(
                .patient, ServerDatabase(database, freeDisk: free), discoveryKeys: DiscoveryKeys(),
                clock: clock.server, logger: log.logger))
        try await server.serving { try await body(TestServer(url: $0, clock: clock, log: log)) }
    }

    @Test("Below five percent of free disk, writes get 503 and reads still work; /ready says why, until there is space")
    func low() async throws {
        let share = Share()
        try await run(try SQLiteDatabase.inMemory(), free: { share.value }) { server in
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Groceries", with: server)
            #expect(try await server.ask("GET", "/ready").status == 200)

            share.value = 0.04
            server.clock.advance(.seconds(1))
            let item = device.mutation(1, .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
            let refused = try await server.ask(
                "POST", "/v1/sync", token: device.session.token, json: device.request([item]))
            try problem(in: refused, 503, .busy)
            #expect(refused.head["retry-after"] == "60")
            try problem(in: try await server.ask("POST", "/v1/sessions"), 503, .busy)
            let (token, picture) = (device.session.token, Data([0xFF, 0xD8, 0xFF] + repeatElement(7, count: 40)))
            let hash = Hex.text(Secret.sha256(picture))
            try problem(
                in: try await server.ask(
                    "PUT", "/v1/pictures/\(hash)", token: token, headers: ["Content-Type": "image/jpeg"], body: picture),
                503, .busy)
            try problem(
                in: try await server.ask(
                    "POST", "/v1/lists/\(list)/links", token: token, json: LinkRequest(role: .editor)), 503, .busy)
            try await device.sync(with: server)
            let unready = try await server.ask("GET", "/ready")
            #expect(String(decoding: unready.body, as: UTF8.self).contains("4 % of it is free"))
            try problem(in: unready, 503, .busy)
            #expect(server.log.text.components(separatedBy: "Writes fail.").count == 2, "It is logged once.")

            share.value = 0.06
            server.clock.advance(.seconds(1))
            #expect(try await server.ask("GET", "/ready").status == 200)
            #expect(try await device.sync([item], with: server).outcomes.isEmpty)
        }
    }

    @Test("While SQLite cannot write, /ready says so; the log has neither SQL nor what people wrote, in short lines")
    func failing() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await run(database, free: { nil }) { server in
            var device = TestDevice(try await server.newSession())
            database.onCommit = { moment in
                guard moment == .before else { return }
                let sql = "INSERT INTO record VALUES ('\(String(repeating: "my diary ", count: 10_000))')"
                throw DatabaseError(resultCode: .SQLITE_FULL, message: "database or disk is full", sql: sql)
            }
            let list = device.mutation(1, .lists, UUID(), in: ListID(UUID()), set: ["name": "Groceries"])
            let refused = try await server.ask(
                "POST", "/v1/sync", token: device.session.token, json: device.request([list]))
            try problem(in: refused, 503, .busy)
            try problem(in: try await server.ask("GET", "/ready"), 503, .busy)
            try await device.sync(with: server)
            #expect(server.log.text.contains("error Writes fail. cause=SQLite 13: database or disk is full"))
            #expect(!server.log.text.contains("error The server's disk is full."), "One line is enough.")
            #expect(!server.log.text.contains("INSERT") && !server.log.text.contains("diary"))
            // A small write finds room, although others may not.
            database.onCommit = nil
            server.clock.advance(.seconds(1))
            _ = try await server.newSession()
            let unready = try await server.ask("GET", "/ready")
            try problem(in: unready, 503, .busy)
            #expect(String(decoding: unready.body, as: UTF8.self).contains("The server's disk is full."))
            server.clock.advance(.seconds(60))
            #expect(try await server.ask("GET", "/ready").status == 200)
            for line in ["Writes fail.", "Writes succeed again."] {
                #expect(server.log.text.components(separatedBy: line).count == 2, "“\(line)” is logged once.")
            }
        }
    }

    @Test("Trap: a damaged database can write elsewhere; /ready says that it is damaged, and the log says it once")
    func damaged() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await run(database, free: { nil }) { server in
            #expect(try await server.ask("GET", "/ready").status == 200)
            database.onCommit = { moment in
                guard moment == .before else { return }
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "database disk image is malformed")
            }
            for _ in 0..<2 {
                let refused = try await server.ask("POST", "/v1/sessions")
                try problem(in: refused, 503, .busy)
                #expect(String(decoding: refused.body, as: UTF8.self).contains("The server's database is damaged."))
            }
            database.onCommit = nil
            server.clock.advance(.seconds(1))
            _ = try await server.newSession()
            let unready = try await server.ask("GET", "/ready")
            try problem(in: unready, 503, .busy)
            #expect(String(decoding: unready.body, as: UTF8.self).contains("is damaged. Restore a backup."))
            #expect(server.log.text.components(separatedBy: "The database is damaged.").count == 2)
        }
    }

    @Test(
        "Trap: only a background job reads the damaged part; /ready says that the database is damaged, and so does the log",
        arguments: [
            "SELECT id FROM message", "SELECT id FROM webhook", "SELECT feed, id, sequence, revision FROM tombstone",
        ]
    )
    func damagedForJobs(statement: String) async throws {
        let damage = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "database disk image is malformed")
        let database = FaultyDatabase(try SQLiteDatabase.inMemory(), failure: damage)
        database.refuse(statement)
        try await TestServer.run(database: database) { server in
            try await Limit("The log says that the database is damaged").until {
                server.log.text.contains("critical The database is damaged.")
            }
            let unready = try await server.ask("GET", "/ready")
            try problem(in: unready, 503, .busy)
            #expect(String(decoding: unready.body, as: UTF8.self).contains("is damaged. Restore a backup."))
        }
    }

    @Test("Trap: a server whose file was moved acknowledges nothing more; /ready says so, and the log says it once")
    func moved() async throws {
        let folder = Folder()
        let opened = try await ServerDatabase.open(
            .file(folder.database), PostgresSettings(), at: HandClock.start, newEpoch: false, whenCommitted: {})
        let (clock, log) = (HandClock(), LogKeeper())
        let server = KithServer(
            ServerDependencies(
                .patient, opened, discoveryKeys: DiscoveryKeys(), clock: clock.server, logger: log.logger))
        try await server.serving { url in
            let server = TestServer(url: url, clock: clock, log: log)
            _ = try await server.newSession()
            #expect(try await server.ask("GET", "/ready").status == 200)
            try FileManager.default.moveItem(atPath: folder.database, toPath: folder.database + ".moved")
            clock.advance(.seconds(1))
            for _ in 0..<2 { try problem(in: try await server.ask("POST", "/v1/sessions"), 503, .busy) }
            let unready = try await server.ask("GET", "/ready")
            try problem(in: unready, 503, .busy)
            #expect(String(decoding: unready.body, as: UTF8.self).contains("was moved or replaced"))
            #expect(log.text.components(separatedBy: "Put it back, and start the server again.").count == 2)
            #expect(!log.text.contains("error The server's database file was moved"), "Not at each request.")
            #expect(!FileManager.default.fileExists(atPath: folder.database))
            // Put back, it may lack what was written meanwhile: only a start reads it again.
            try FileManager.default.moveItem(atPath: folder.database + ".moved", toPath: folder.database)
            clock.advance(.seconds(1))
            try problem(in: try await server.ask("POST", "/v1/sessions"), 503, .busy)
        }
    }

    @Test("/ready writes at most once a second, even while writes fail")
    func askedOften() async throws {
        let database = try SQLiteDatabase.inMemory()
        let writes = Mutex(0)
        try await run(database, free: { nil }) { server in
            database.onCommit = { moment in
                guard moment == .before else { return }
                writes.withLock { $0 += 1 }
                // After a full disk, no test write follows for a minute.
                throw DatabaseError(resultCode: .SQLITE_IOERR, message: "disk I/O error")
            }
            // What the server writes by itself when it starts may be among them.
            for second in 1...3 {
                let before = writes.withLock(\.self)
                for _ in 0..<20 { try problem(in: try await server.ask("GET", "/ready"), 503, .busy) }
                #expect(writes.withLock(\.self) - before < 20, "second \(second)")
                server.clock.advance(.seconds(1))
            }
            database.onCommit = nil
        }
    }

    @Test("Log lines are short, however long the content") func shortLines() async throws {
        let database = try SQLiteDatabase.inMemory()
        struct Long: Error, CustomStringConvertible { let description = String(repeating: "long\n", count: 10_000) }
        try await run(database, free: { nil }) { server in
            database.onCommit = { if $0 == .before { throw Long() } }
            try problem(in: try await server.ask("POST", "/v1/sessions"), 500, .internalError)
            let lines = server.log.text.split(separator: "\n")
            #expect(lines.contains { $0.contains("long long") && $0.contains("id=") })
            #expect(lines.allSatisfy { $0.utf8.count <= 2_048 })
            database.onCommit = nil
        }
    }

    private final class Share: Sendable {
        private let held = Mutex(0.5)
        var value: Double {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }
}
