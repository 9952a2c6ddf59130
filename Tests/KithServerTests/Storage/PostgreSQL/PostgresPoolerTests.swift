import KithModel
import KithServer
import Processes
import Testing

@Suite(
    "PostgreSQL behind PgBouncer", .serialized,
    .skipped(if: PgBouncer.missing), .postgresServer)
struct PostgresPoolerTests {
    @Test("each transaction has its limits, the sessions keep none, and no update is lost") func transactions()
        async throws
    {
        var settings = PostgresSettings.patient
        settings.isPooled = true
        settings.preparesStatements = false
        try await PgBouncer.run { address in
            let database = try await PostgresDatabase(url: address, settings: settings)
            try await database.write { transaction in
                try transaction.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY, amount BIGINT NOT NULL)")
                try transaction.execute("INSERT INTO note (id, amount) VALUES (1, 0)")
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<12 {
                    group.addTask {
                        for _ in 0..<20 {
                            try await database.write { transaction in
                                let query = "SELECT amount FROM note WHERE id = ?" + transaction.dialect.locking("note")
                                let amount = try transaction.query(query, [.integer(1)])[0].integer(0)
                                try transaction.execute(
                                    "UPDATE note SET amount = ? WHERE id = ?", [.integer(amount + 1), .integer(1)])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = try await database.read { transaction in
                try transaction.query("SELECT amount, current_setting('lock_timeout') FROM note")[0].values
            }
            #expect(values == [.integer(240), .text("2min")])
            let server = try #require(PostgresServer.current)
            #expect(try await server.sql("SHOW lock_timeout", at: address) == ["0"])
            await database.close()
        }
    }

    @Test("commands beside the server need no setting: they keep nothing in a session") func besideServer() async throws
    {
        var settings = PostgresSettings.patient
        settings.isPooled = true
        settings.preparesStatements = false
        let server = try #require(PostgresServer.current)
        try await PgBouncer.run { address in
            let database = try await PostgresDatabase(url: address, settings: settings)
            // Each command numbers its statements from the beginning, and there are fewer sessions.
            for _ in 0..<4 {
                let beside = try await PostgresDatabase(besideServer: address, .patient)
                _ = try await beside.epoch()
                try await beside.newEpoch()
                await beside.close()
            }
            #expect(try await server.sql("SHOW lock_timeout", at: address) == ["0"])
            await database.close()
        }
    }

    @Test("a commit has an unknown outcome if PgBouncer answers it, because its connection to PostgreSQL has ended")
    func lostCommit() async throws {
        var settings = PostgresSettings.patient
        settings.isPooled = true
        settings.preparesStatements = false
        let server = try #require(PostgresServer.current)
        let direct = "\(server.socket) dbname=postgres"
        try await PgBouncer.run { address in
            let database = try await PostgresDatabase(url: address, settings: settings)
            // The commit waits for a replica that does not exist.
            try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
            try await server.wait(until: "current_setting('synchronous_standby_names') = 'nobody'", at: direct)
            let writing = Task {
                try await database.write { try $0.execute("INSERT INTO meta (name, value) VALUES ('here', '')") }
            }
            let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            try await server.wait(until: "count(*) = 1 \(waiting)", at: direct)
            try await server.sql("SELECT pg_terminate_backend(pid) \(waiting)")
            let error = await #expect(throws: ServerError.self) { try await writing.value }
            try await server.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
            try await server.wait(until: "current_setting('synchronous_standby_names') = ''", at: direct)
            #expect(error?.code == .busy && error?.cause is UnknownOutcome)
            try await server.wait(until: "count(*) = 1 FROM meta WHERE name = 'here'", at: address)
            await database.close()
        }
    }
}
