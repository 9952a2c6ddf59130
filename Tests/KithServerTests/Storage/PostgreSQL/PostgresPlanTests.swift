import KithModel
import KithServer
import Processes
import Testing

@Suite(
    "The plans of PostgreSQL",
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresPlanTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    @Test("a push reads only the outcomes that it needs, however many of its device are stored") func outcomes()
        async throws
    {
        try await server.withDatabase { database, address in
            let (town, owner, list) = try Town.withList(database)
            var ada = owner
            let counting = CountingDatabase(database)
            let request = ada.request([ada.item(town.id(), in: list)])
            _ = try await counting.write { [account = ada.account, now = town.now] transaction in
                try SyncRound(request, as: account, at: now).push(in: transaction)
            }
            let statement = try #require(counting.statements.first { $0.contains("taken.number") })
            let parts = statement.split(separator: "?", omittingEmptySubsequences: false)
            let numbered = parts.dropFirst().enumerated().reduce(String(parts[0])) {
                "\($0)$\($1.offset + 1)\($1.element)"
            }
            // A plan that is kept knows no values, and few rows are no reason to read a whole table.
            let plan = try await server.sql(
                "PREPARE numbers AS \(numbered)", "SET plan_cache_mode = force_generic_plan",
                "SET enable_seqscan = off",
                "EXPLAIN EXECUTE numbers (\(parts.dropFirst().map { _ in "NULL" }.joined(separator: ", ")))",
                at: address)
            #expect(plan.contains { $0.contains("Index Cond: ") && $0.contains("number >= ") }, "\(plan)")
        }
    }
}
