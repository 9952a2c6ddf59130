import KithModel
import KithServer
import Processes
import Testing

@Suite("Row sets in PostgreSQL", .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresRowSetTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    private static let join = "SELECT note.id FROM wanted CROSS JOIN note WHERE note.id = wanted.id"

    /// Hands a database with one connection to `body`, with a table of notes.
    private func withNotes(_ body: (PostgresDatabase) async throws -> Void) async throws {
        var settings = PostgresSettings.patient
        settings.connections = 1
        try await server.withDatabase(settings) { (database: PostgresDatabase) in
            try await database.write {
                try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY, content TEXT)")
            }
            try await body(database)
        }
    }

    private static func rows(_ count: Int64) -> [[SQLValue]] {
        (0..<count).map { [.integer($0), .text("note \($0)")] }
    }

    @Test("have one statement for any number of rows from two on, and one for a single row") func texts() async throws {
        try await withNotes { database in
            let texts = try await database.write { transaction in
                for count in [1, 2, 3, 1_000, 1, 2] as [Int64] {
                    let rows = Self.rows(count)
                    try transaction.insert(into: "note", ["id", "content"], rows, replacing: ["id"])
                    _ = try transaction.query(wanted: ["id"], rows.map { [$0[0]] }, Self.join)
                }
                return try transaction.query(
                    """
                    SELECT statement FROM pg_prepared_statements
                    WHERE statement LIKE 'INSERT%' OR statement LIKE 'WITH%' ORDER BY statement COLLATE "C"
                    """
                ).map { try $0.text(0) }
            }
            let change = "ON CONFLICT (id) DO UPDATE SET content = excluded.content"
            let added = "SELECT id, content FROM unnest($1, $2) AS added(id, content)"
            let wanted = "SELECT * FROM unnest((SELECT $1)) LIMIT (SELECT CAST(NULL AS BIGINT))"
            #expect(
                texts == [
                    "INSERT INTO note (id, content) \(added) \(change)",
                    "INSERT INTO note (id, content) VALUES ($1, $2) \(change)",
                    "WITH wanted(id) AS (\(wanted)) \(Self.join)",
                    "WITH wanted(id) AS (VALUES ($1)) \(Self.join)",
                ])
        }
    }

    @Test(
        "take 10,000 rows before there is another statement", arguments: [(10_000, 1), (10_001, 2)] as [(Int64, Int)])
    func limit(count: Int64, statements: Int) async throws {
        try await withNotes { database in
            let counting = CountingDatabase(database)
            try await counting.write { transaction in
                try transaction.insert(into: "note", ["id", "content"], Self.rows(count))
            }
            #expect(counting.statements.count == statements)
        }
    }

    // PostgreSQL plans a prepared statement for its values five times. Then it keeps a plan for all values, unless the
    // first plans were cheaper.
    @Test("keep one plan for all lengths after five executions") func plannedOnce() async throws {
        try await withNotes { database in
            let plans = try await database.write { transaction in
                for _ in 0..<12 {
                    _ = try transaction.query(wanted: ["id"], [[.integer(1)], [.integer(2)]], Self.join)
                }
                return try transaction.query(
                    "SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE statement LIKE 'WITH%'")
            }
            #expect(plans.map(\.values) == [[.integer(5), .integer(7)]])
        }
    }

    @Test("are joined through an index, however many rows they and the table have", arguments: [0, 40_000] as [Int64])
    func joinedByIndex(stored: Int64) async throws {
        try await withNotes { database in
            let counting = CountingDatabase(database)
            let ids = Self.rows(10_000).map { [$0[0]] }
            try await counting.write { transaction in
                // PostgreSQL does not know how large a new table will be.
                if stored > 0 {
                    try transaction.insert(into: "note", ["id", "content"], Self.rows(stored))
                    try transaction.execute("ANALYZE note")
                }
                _ = try transaction.query(wanted: ["id"], ids, Self.join)
            }
            let call = try #require(counting.calls.last)
            let plan = try await database.read { transaction in
                try transaction.query("EXPLAIN \(call.sql)", call.values).map { try $0.text(0) }
            }
            #expect(plan.contains { $0.contains("Index") })
            #expect(!plan.contains { $0.contains("Seq Scan") })
        }
    }

    @Test("have values of one kind in a column, without NUL in a text", arguments: [true, false])
    func refused(isMixed: Bool) async throws {
        try await withNotes { database in
            try await database.write { transaction in
                let value = isMixed ? SQLValue.integer(1) : .text("a\0b")
                let error = #expect(throws: ServerError.self) {
                    try transaction.insert(
                        into: "note", ["id", "content"], [[.integer(1), .text("a")], [.integer(2), value]])
                }
                #expect(error?.code == (isMixed ? .internalError : .malformed))
                // Nothing was sent, so the transaction can go on.
                try transaction.insert(into: "note", ["id", "content"], Self.rows(2))
            }
            let count = try await database.read { try $0.query("SELECT count(*) FROM note")[0].integer(0) }
            #expect(count == 2)
        }
    }
}
