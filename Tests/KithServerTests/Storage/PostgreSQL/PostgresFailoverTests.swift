import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite(
    "PostgreSQL after a failover", .serialized,
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresFailoverTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    private static func mark(_ database: any Database, _ name: String) async throws {
        try await database.write {
            try $0.execute("INSERT INTO meta (name, value) VALUES (?, '')", [.text(name)])
        }
    }

    @Test("A failover is logged, and an old primary that accepts writes again is not used") func oldPrimary()
        async throws
    {
        var settings = PostgresSettings.patient
        settings.connections = 2
        try await server.withDatabase(settings) { database, address in
            let log = LogKeeper()
            database.log(to: log.logger)
            let count = { (start: String) in log.text.split(separator: "\n").count { $0.hasPrefix(start) } }
            let old = try await server.failOver()
            try await Limit("the new primary is found").until { (try? await Self.mark(database, "new")) != nil }
            #expect(count("notice PostgreSQL has failed over to another server. before=1 timeline=2") == 1)

            try await server.exchangeData(with: old)
            for _ in 0..<3 {
                let error = await #expect(throws: ServerError.self) { try await Self.mark(database, "lost") }
                #expect(error?.code == .busy)
                #expect((error?.cause as? PostgresFailure)?.words.contains("old primary") == true)
            }
            #expect(count("critical An old primary of PostgreSQL accepts writes.") == 1)

            try await server.exchangeData(with: old)
            try await Limit("the new primary is found again").until {
                (try? await Self.mark(database, "again")) != nil
            }
            let names = try await server.sql(
                "SELECT name FROM meta WHERE name IN ('new', 'lost', 'again') ORDER BY name", at: address)
            #expect(names == ["again", "new"])
            #expect(count("notice PostgreSQL has failed over") == 1)
        }
    }

    @Test("A role that must not ask for the timeline connects all the same") func forbidden() async throws {
        try await server.sql("CREATE ROLE plain LOGIN")
        let address = try await server.address(["-O", "plain"])
        try await server.sql("REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC", at: address)
        let database = try await PostgresDatabase(url: address.replacing("user=postgres", with: "user=plain"))
        #expect(try await !database.epoch().isEmpty)
        await database.close()
    }
}
