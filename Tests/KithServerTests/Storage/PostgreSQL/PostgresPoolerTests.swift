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
        var settings = PostgresSettings()
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
            #expect(values == [.integer(240), .text("5s")])
            let server = try #require(PostgresServer.current)
            #expect(try await server.sql("SHOW lock_timeout", at: address) == ["0"])
            await database.close()
        }
    }
}
