import Foundation
import KithModel
import KithServer
import Processes
import Synchronization
import Testing

@Suite(
    "PostgreSQL while it fails", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresOutageTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// One connection.
    private static var single: PostgresSettings {
        var settings = PostgresSettings.patient
        settings.connections = 1
        return settings
    }

    /// One connection, and short limits.
    private static var short: PostgresSettings {
        var settings = single
        settings.statementTime = .seconds(3)
        settings.lockTime = .seconds(1)
        settings.answerTime = .seconds(3)
        return settings
    }

    private static func backend(_ database: any Database) async throws -> Int64 {
        try await database.read { try $0.query("SELECT pg_backend_pid()")[0].integer(0) }
    }

    private func end(_ backend: Int64) async throws {
        try await server.sql("SELECT pg_terminate_backend(\(backend), 5000)")
    }

    private static func mark(_ database: any Database, _ name: String) async throws {
        try await database.write {
            try $0.execute("INSERT INTO meta (name, value) VALUES (?, '')", [.text(name)])
        }
    }

    private func has(_ name: String, at address: String) async throws -> Bool {
        try await server.sql("SELECT count(*) FROM meta WHERE name = '\(name)'", at: address) == ["1"]
    }

    @Test("a connection that ends within a statement is `busy`, and the next transaction has another")
    func endedInStatement() async throws {
        try await server.withDatabase { database, address in
            let backend = Mutex<Int64?>(nil)
            let sleeping = Task {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO meta (name, value) VALUES ('lost', '')")
                    let id = try transaction.query("SELECT pg_backend_pid()")[0].integer(0)
                    backend.withLock { $0 = id }
                    _ = try transaction.query("SELECT pg_sleep(100)")
                }
            }
            try await Limit("the write runs").until { backend.withLock { $0 } != nil }
            let id = try #require(backend.withLock { $0 })
            try await server.wait(
                until: "wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = \(id)", at: address)
            try await end(id)
            let error = await #expect(throws: ServerError.self) { try await sleeping.value }
            #expect(error?.code == .busy && error?.retryAfter == .seconds(1))
            let failure = try #require(error?.cause as? PostgresFailure)
            #expect(failure.isConnectionLost && failure.kind.isLasting && failure.state == "57P01")
            try await Self.mark(database, "next")
            let names = try await server.sql("SELECT name FROM meta WHERE name IN ('lost', 'next')", at: address)
            #expect(names == ["next"])
        }
    }

    @Test("a connection that ends between transactions is not noticed") func endedIdle() async throws {
        try await server.withDatabase(Self.single) { database in
            let before = try await Self.backend(database)
            try await end(before)
            let next = try await Self.backend(database)
            #expect(next != before)
            try await end(next)
            // It only writes, so its first answer comes after its last statement.
            try await Self.mark(database, "next")
            let last = try await Self.backend(database)
            #expect(last != next)
            try await end(last)
            // The same with a read after the write.
            let (_, read) = try await database.write(inTurn: nil) { transaction in
                try transaction.execute("INSERT INTO meta (name, value) VALUES ('read', '')")
            } thenRead: { _, transaction in
                try transaction.query("SELECT name FROM meta WHERE name = 'read'").count
            }
            #expect(try read.get() == 1)
        }
    }

    @Test("a connection that ends within a closure undoes the write") func endedInClosure() async throws {
        try await server.withDatabase(Self.single) { database, address in
            let occupation = Occupation()
            let backend = try await Self.backend(database)
            let writing = Task {
                try await database.write { transaction in
                    _ = try transaction.query("INSERT INTO meta (name, value) VALUES ('lost', '') RETURNING name")
                    occupation.hold(transaction)
                    // It is sent with the commit, which is not run.
                    try transaction.execute("UPDATE meta SET value = 'x' WHERE name = 'lost'")
                }
            }
            try await occupation.waitUntilHeld()
            try await end(backend)
            occupation.release()
            let error = await #expect(throws: ServerError.self) { try await writing.value }
            #expect(error?.code == .busy && (error?.cause as? PostgresFailure)?.state == "57P01")
            #expect(try await !has("lost", at: address))
        }
    }

    @Test("a connection that ends within a commit leaves the outcome unknown") func endedInCommit() async throws {
        try await server.withDatabase { database, address in
            try await server.letCommitsSleep(at: address)
            let writing = Task { try await Self.mark(database, "unknown") }
            try await server.endSleepingCommit(at: address)
            let error = await #expect(throws: ServerError.self) { try await writing.value }
            #expect(error?.code == .busy && error?.retryAfter == .seconds(1))
            let outcome = try #require(error?.cause as? UnknownOutcome)
            #expect(outcome.kind.isUnreachable, "The log of an outage does not repeat it for each job.")
            #expect(error?.sentence == "The database's answer was lost. The change may have been made; send it again.")
            #expect(try await !has("unknown", at: address))
        }
    }

    @Test("a failed commit that was answered is no unknown outcome") func failedCommit() async throws {
        try await server.withDatabase { database, address in
            try await server.sql(
                "CREATE TABLE pair (id BIGINT UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO pair VALUES (1)",
                at: address)
            let runs = Mutex(0)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    runs.withLock { $0 += 1 }
                    try transaction.execute("INSERT INTO pair VALUES (1)")
                }
            }
            #expect((error?.cause as? PostgresFailure)?.state == "23505" && runs.withLock { $0 } == 6)
        }
    }

    /// How the wait for a replica ends that does not exist. PostgreSQL itself does not limit it.
    enum EndOfWait: String, CaseIterable { case deadline, cancelled, terminated }

    @Test("a commit that no replica has confirmed has an unknown outcome", arguments: EndOfWait.allCases)
    func unreplicated(end: EndOfWait) async throws {
        var settings = Self.short
        if end != .deadline { settings.statementTime = .seconds(120) }
        try await server.withDatabase(settings) { database, address in
            try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
            try await server.wait(until: "current_setting('synchronous_standby_names') = 'nobody'", at: address)
            let writing = Task { try await Self.mark(database, "here") }
            let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()"
            if end != .deadline {
                try await server.wait(until: "count(*) = 1 \(waiting)", at: address)
                let function = end == .cancelled ? "pg_cancel_backend" : "pg_terminate_backend"
                try await server.sql("SELECT \(function)(pid) \(waiting)", at: address)
            }
            let error = await #expect(throws: ServerError.self) { try await writing.value }
            try await server.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
            #expect(error?.code == .busy)
            let outcome = try #require(error?.cause as? UnknownOutcome)
            #expect(outcome.words.contains(end == .deadline ? "no answer in time" : "synchronous replication"))
            // The change becomes visible when PostgreSQL ends its wait.
            try await server.wait(until: "count(*) = 1 FROM meta WHERE name = 'here'", at: address)
            try await server.wait(until: "current_setting('synchronous_standby_names') = ''", at: address)
            try await Self.mark(database, "next")
        }
    }

    @Test("While a commit waits for a replica that is away, further writes are refused at once, and reads go on")
    func replicaAway() async throws {
        var settings = Self.short
        settings.connections = 3
        try await server.withDatabase(settings) { database, address in
            try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
            try await server.wait(until: "current_setting('synchronous_standby_names') = 'nobody'", at: address)
            let lost = await #expect(throws: ServerError.self) { try await Self.mark(database, "here") }
            #expect(lost?.cause is UnknownOutcome)
            for _ in 0..<3 {
                let refused = await #expect(throws: ServerError.self) { try await Self.mark(database, "refused") }
                #expect(refused?.code == .busy && (refused?.cause as? PostgresFailure)?.kind.isLasting == true)
                let sentence = "The database waits for its replica. Nothing was changed; try again later."
                #expect(refused?.sentence == sentence)
            }
            #expect(try await database.read { try $0.query("SELECT 1") }.count == 1)
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            #expect(try await server.sql(waiting) == ["1"], "Only the first one keeps a session.")
            try await server.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
            try await server.wait(until: "count(*) = 1 FROM meta WHERE name = 'here'", at: address)
            try await server.wait(until: "current_setting('synchronous_standby_names') = ''", at: address)
            try await Self.mark(database, "next")
            #expect(try await !has("refused", at: address))
        }
    }

    /// What became of one write, as its writer knows it.
    private enum Fate { case acknowledged, refused, unknown }

    @Test("while connections end all the time, acknowledged writes exist, and refused ones do not") func chaos()
        async throws
    {
        var settings = PostgresSettings.patient
        settings.connections = 6
        settings.writers = 5
        try await server.withDatabase(settings) { database, address in
            let ending = Task {
                let end = """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'kith' AND datname = current_database() ORDER BY random() LIMIT 2
                    """
                while !Task.isCancelled { try await server.sql(end, at: address) }
            }
            let fates = try await withThrowingTaskGroup(of: [String: Fate].self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        var fates: [String: Fate] = [:]
                        for number in 0..<50 {
                            let name = "chaos \(writer) \(number)"
                            do {
                                try await database.write { transaction in
                                    let insert = "INSERT INTO meta (name, value) VALUES (?, '')"
                                    try transaction.execute(insert, [.text(name)])
                                    _ = try transaction.query("SELECT pg_sleep(0.01)")
                                    // It is sent with the commit.
                                    try transaction.execute(insert, [.text("\(name) too")])
                                }
                                fates[name] = .acknowledged
                            } catch let error as ServerError {
                                #expect(error.code == .busy)
                                fates[name] = error.cause is UnknownOutcome ? .unknown : .refused
                            }
                        }
                        return fates
                    }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            }
            ending.cancel()
            _ = await ending.result
            let found = Set(try await server.sql("SELECT name FROM meta WHERE name LIKE 'chaos%'", at: address))
            #expect(fates.count == 400 && fates.values.contains(.refused) && fates.values.contains(.acknowledged))
            for (name, fate) in fates where fate != .unknown {
                #expect(found.contains(name) == (fate == .acknowledged), "\(name) is \(fate).")
            }
            for name in fates.keys {
                #expect(found.contains(name) == found.contains("\(name) too"), "\(name) is half there.")
            }
        }
    }

    @Test("a stopped server is `busy`, and works again after its start without a restart of ours")
    func restarted() async throws {
        try await server.withDatabase { database, address in
            try await Self.mark(database, "before")
            await server.stop()
            for _ in 0..<3 {
                let error = await #expect(throws: ServerError.self) { try await Self.mark(database, "lost") }
                #expect(error?.code == .busy && (error?.cause as? PostgresFailure)?.kind.isLasting == true)
                #expect(error?.retryAfter.map { $0 >= .seconds(1) && $0 <= .seconds(5) } == true)
            }
            try await server.start()
            try await Limit("the database works again").until {
                (try? await Self.mark(database, "after")) != nil
            }
            #expect(try await has("before", at: address))
            #expect(try await has("after", at: address))
            #expect(try await !has("lost", at: address))
        }
    }

    @Test("while it is stopped, the log says it once, and why, although many devices read") func log() async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let change: (inout ServerConfiguration) -> Void = {
                $0.limits.newSessions = Rate(perSecond: 1, burst: 1_000_000)
            }
            try await TestServer.run(change, database: database) { test in
                let device = TestDevice(try await test.newSession())
                await server.stop()
                for _ in 0..<3 {
                    let reply = try await test.ask(
                        "POST", "/v1/sync", token: device.session.token, json: device.request())
                    try problem(in: reply, 503, .busy)
                }
                try problem(in: try await test.ask("GET", "/ready"), 503, .busy)
                try await server.start()
                try await Limit("writes succeed again").until {
                    try await test.ask("POST", "/v1/sessions").status == 201
                }
                #expect(test.log.text.contains("Writes succeed again."))
                // The clock stands still, so this is the answer of before.
                try problem(in: try await test.ask("GET", "/ready"), 503, .busy)
                let errors = test.log.text.split(separator: "\n").filter { $0.hasPrefix("error ") }
                let isFirst = { (line: Substring) in line.hasPrefix("error Writes fail. cause=PostgreSQL ") }
                #expect(errors.count(where: isFirst) == 1)
                #expect(errors.filter { !isFirst($0) } == [], "Neither jobs nor /ready repeat it.")
            }
        }
    }

    @Test("a server that cannot be reached is `busy` when it is opened") func unreachable() async throws {
        let error = await #expect(throws: ServerError.self) {
            _ = try await PostgresDatabase(url: "host=/nowhere dbname=kith password=secret")
        }
        #expect(error?.code == .busy)
        #expect(!"\(try #require(error))".contains("secret"))
    }

    @Test("a connection without an answer is given up after its deadline") func noAnswer() async throws {
        try await server.withDatabase(Self.short) { database in
            let backend = pid_t(try await Self.backend(database))
            kill(backend, SIGSTOP)
            let start = ContinuousClock.now
            // Sent on the old connection, which looks alive.
            let answer = try await Self.backend(database)
            let duration = ContinuousClock.now - start
            kill(backend, SIGCONT)
            #expect(answer != backend && duration >= .seconds(3) && duration < .seconds(60))
        }
    }

    @Test("a statement without an answer within a transaction is `busy` after its deadline") func noAnswerWithin()
        async throws
    {
        try await server.withDatabase(Self.short) { database in
            let backend = Mutex<pid_t>(0)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    let id = pid_t(try transaction.query("SELECT pg_backend_pid()")[0].integer(0))
                    backend.withLock { $0 = id }
                    kill(id, SIGSTOP)
                    _ = try transaction.query("UPDATE meta SET value = value RETURNING 1")
                }
            }
            kill(backend.withLock { $0 }, SIGCONT)
            #expect(error?.code == .busy && (error?.cause as? PostgresFailure)?.isConnectionLost == true)
            try await Self.mark(database, "next")
        }
    }

    @Test("writes that are sent with the commit have an unknown outcome without an answer, and may be made later")
    func noAnswerToWrites() async throws {
        try await server.withDatabase(Self.short) { database, address in
            let backend = Mutex<pid_t>(0)
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    let id = pid_t(try transaction.query("SELECT pg_backend_pid()")[0].integer(0))
                    backend.withLock { $0 = id }
                    kill(id, SIGSTOP)
                    try transaction.execute("INSERT INTO meta (name, value) VALUES ('late', '')")
                }
            }
            #expect(error?.code == .busy && error?.cause is UnknownOutcome)
            #expect(try await !has("late", at: address))
            kill(backend.withLock { $0 }, SIGCONT)
            try await server.wait(until: "count(*) = 1 FROM meta WHERE name = 'late'", at: address)
        }
    }

    @Test("a long statement and a long wait for a lock are ended by PostgreSQL") func limits() async throws {
        var settings = Self.short
        settings.connections = 2
        try await server.withDatabase(settings) { database in
            let slow = await #expect(throws: ServerError.self) {
                try await database.read { _ = try $0.query("SELECT pg_sleep(100)") }
            }
            #expect(slow?.code == .busy && (slow?.cause as? PostgresFailure)?.state == "57014")
            let update = "UPDATE meta SET value = value WHERE name = 'epoch'"
            let lock: @Sendable (any Transaction) throws -> Void = { _ = try $0.query("\(update) RETURNING name") }
            let locked = try await Occupation.run(in: database, after: lock) { _ in
                await #expect(throws: ServerError.self) { try await database.write { try $0.execute(update) } }
            }
            #expect(locked?.code == .busy && (locked?.cause as? PostgresFailure)?.state == "55P03")
        }
    }

    @Test("a read-only database is `busy` until it can be written again") func readOnly() async throws {
        try await server.withDatabase(Self.single) { database, address in
            try await server.sql("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
            // The connection that is open.
            try await Limit("a write is refused").until {
                do {
                    try await Self.mark(database, UUID().uuidString)
                    return false
                } catch let error as ServerError {
                    let failure = try #require(error.cause as? PostgresFailure)
                    #expect(error.code == .busy && failure.state == "25006" && failure.kind.isLasting)
                    return true
                }
            }
            // A new one is not opened to a server that is read-only.
            let refused = await #expect(throws: ServerError.self) { try await Self.mark(database, "lost") }
            #expect(refused?.sentence.hasPrefix("The database is read-only for now.") == true)
            let failure = try #require(refused?.cause as? PostgresFailure)
            #expect(failure.state == "25006" && failure.kind.isUnreachable, "Nobody reads either.")
            try await server.sql(
                "SET default_transaction_read_only = off", "ALTER SYSTEM RESET default_transaction_read_only",
                "SELECT pg_reload_conf()")
            try await Limit("writes succeed again").until { (try? await Self.mark(database, "after")) != nil }
            #expect(try await has("after", at: address))
        }
    }

    @Test("a user without another connection is `busy`, and goes on with those that are open")
    func tooManyConnections() async throws {
        try await server.sql("CREATE ROLE guest LOGIN CONNECTION LIMIT 1")
        let address = try await server.address(["-O", "guest"]).replacing("user=postgres", with: "user=guest")
        var settings = Self.single
        let database = try await PostgresDatabase(url: address, settings: settings)
        let error = await #expect(throws: ServerError.self) { _ = try await PostgresDatabase(url: address) }
        #expect(error?.code == .busy && error?.sentence.hasPrefix("The database cannot be reached.") == true)
        let failure = try #require(error?.cause as? PostgresFailure)
        #expect(failure.words.contains("too many connections for role"), "Operations tells to look for these words.")
        try await Self.mark(database, "next")
        await database.close()
        try await server.wait(
            until: "count(*) = 0 FROM pg_stat_activity WHERE usename = 'guest'",
            at: address.replacing("user=guest", with: "user=postgres"))
        settings.connections = 2
        let again = try await PostgresDatabase(url: address, settings: settings)
        await again.close()
    }
}
