import KithModel
import KithServer

/// The database of a simulated server in PostgreSQL, in a schema of its own.
///
/// Its backup is a copy of all rows in another schema. After a restore, the transactions of the cluster are numbered on,
/// as after a restored dump. After a restored base backup they would begin again at an earlier number.
final class PostgresStore: ServerStore {
    let database: any ImmediateDatabase
    private(set) var hasBackup = false
    private let postgres: PostgresDatabase
    private let schemas: PostgresSchemas
    private let schema: String

    init(in schemas: PostgresSchemas, _ random: RandomBytes, crash: Shared<Crash.Point>) throws {
        var settings = PostgresSettings()
        // One thing happens at a time.
        (settings.connections, settings.writers) = (1, 1)
        self.schemas = schemas
        schema = try schemas.create()
        postgres = try PostgresDatabase(
            openingNow: schemas.address(of: schema), settings: settings, at: Timestamp(milliseconds: 0), random: random)
        database = CrashingDatabase(database: postgres, crash: crash)
    }

    deinit {
        schemas.remove(backup)
        schemas.remove(schema)
    }

    private var backup: String { "\(schema)_backup" }

    func backUp() throws {
        try postgres.writeNow { [backup] transaction in
            try transaction.execute("CREATE SCHEMA \(backup)")
            for table in try Self.tables(in: transaction) {
                try transaction.execute("CREATE TABLE \(backup).\"\(table)\" AS TABLE \"\(table)\"")
            }
        }
        hasBackup = true
    }

    func restore() throws {
        guard hasBackup else { return }
        try postgres.writeNow { [backup] transaction in
            for table in try Self.tables(in: transaction) {
                try transaction.execute("DELETE FROM \"\(table)\"")
                try transaction.execute("INSERT INTO \"\(table)\" SELECT * FROM \(backup).\"\(table)\"")
            }
            try transaction.execute("DROP SCHEMA \(backup) CASCADE")
        }
        try postgres.newEpochNow()
        hasBackup = false
    }

    /// The schema is removed with the last reference.
    func end() {}

    private static func tables(in transaction: any Transaction) throws -> [String] {
        try transaction.query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename")
            .map { try $0.text(0) }
    }
}
