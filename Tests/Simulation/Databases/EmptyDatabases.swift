import GRDB
import Synchronization

/// Databases in memory with the same tables and no content, which worlds use one after another.
///
/// A database keeps its prepared statements from one world to the next, because SQLite takes longer to prepare a
/// statement than to run it. Nothing else of a world remains: all rows are deleted, and rows are numbered from the
/// beginning again. A database whose tables a world has changed, for example by an upgrade, is not used again.
final class EmptyDatabases: Sendable {
    private let original: Result<Original, any Error>
    /// The databases that no world uses now.
    private let unused = Mutex<[DatabaseQueue]>([])

    /// The most databases that are kept: enough for the worlds that run at the same time.
    private static let most = 32

    /// - Parameter create: Creates the tables, and the rows that they have from the beginning.
    init(_ create: (DatabaseQueue) throws -> Void) {
        original = Result { try Original(create) }
    }

    /// A database without content.
    func take() throws -> DatabaseQueue {
        let original = try original.get()
        while let queue = unused.withLock({ $0.popLast() }) {
            if try queue.write({ try original.renew($0) }) { return queue }
        }
        let queue = try DatabaseQueue()
        try original.queue.backup(to: queue)
        return queue
    }

    /// Keeps a database for later worlds. Nothing may use it any more.
    func giveBack(_ queue: DatabaseQueue) {
        unused.withLock { queues in
            if queues.count < Self.most { queues.append(queue) }
        }
    }

    /// The database of which all are copies.
    private struct Original {
        let queue: DatabaseQueue
        /// The statements that created the tables and indexes, in their order.
        private let schema: [String]
        /// The tables, the last created first, so that rows are deleted before those to which they refer.
        private let tables: [Table]

        init(_ create: (DatabaseQueue) throws -> Void) throws {
            let queue = try DatabaseQueue()
            try create(queue)
            (schema, tables) = try queue.write { db in
                let names = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'table' AND (name NOT GLOB 'sqlite_*' OR name = 'sqlite_sequence')
                        ORDER BY rowid DESC
                        """)
                return (try Self.schema(of: db), try names.map { try Table($0, db) })
            }
            self.queue = queue
        }

        /// Deletes what a world has written.
        ///
        /// - Returns: Whether the database now is as a new one. It is not if its tables were changed.
        func renew(_ db: Database) throws -> Bool {
            guard try Self.schema(of: db) == schema else { return false }
            for table in tables { try db.cachedStatement(sql: table.delete).execute() }
            for table in tables {
                for row in table.rows {
                    try db.cachedStatement(sql: table.insert).execute(arguments: StatementArguments(row))
                }
            }
            return true
        }

        private static func schema(of db: Database) throws -> [String] {
            try String.fetchAll(db.cachedStatement(sql: "SELECT COALESCE(sql, name) FROM sqlite_master ORDER BY rowid"))
        }
    }

    private struct Table {
        let delete: String
        let insert: String
        /// The rows that the table has from the beginning.
        let rows: [[DatabaseValue]]

        init(_ name: String, _ db: Database) throws {
            rows = try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"").map { Array($0.databaseValues) }
            let marks = Array(repeating: "?", count: rows.first?.count ?? 0).joined(separator: ", ")
            delete = "DELETE FROM \"\(name)\""
            insert = "INSERT INTO \"\(name)\" VALUES (\(marks))"
        }
    }
}
