import GRDB
import Synchronization

/// Connections to a database file for reads of microseconds on the caller's thread. Taking a connection out of GRDB's pool
/// would take as long as such a read.
final class ReadConnections: Sendable {
    /// A connection, and its statements, which end before it.
    private struct Reader {
        let statements = FrequentStatements()
        let connection: DatabaseQueue
    }

    private let path: String
    private let configuration: Configuration
    /// The connections that nobody uses. There are as many as have ever read at the same time.
    private let free = Mutex<[Reader]>([])

    /// Opens no connection yet.
    init(path: String, _ configuration: Configuration) {
        self.path = SQLiteFile.existing(path)
        var configuration = configuration
        // A connection that SQLite itself opens for reading only would leave the log of the writes behind, if it closed last.
        configuration.prepareDatabase { database in try database.execute(sql: "PRAGMA query_only = 1") }
        self.configuration = configuration
    }

    /// Runs `body` on a connection, outside of a transaction.
    func run(_ body: (GRDB.Database, FrequentStatements) throws -> Void) throws {
        let known = free.withLock { $0.popLast() }
        let reader = try known ?? Reader(connection: DatabaseQueue(path: path, configuration: configuration))
        defer { free.withLock { $0.append(reader) } }
        try reader.connection.unsafeRead { try body($0, reader.statements) }
    }
}
