package import GRDB
import Synchronization

/// Databases in memory with the same tables and no content, which worlds use one after another.
///
/// A database keeps its prepared statements from one world to the next, because SQLite takes longer to prepare a
/// statement than to run it. Nothing else of a world remains: all rows are deleted, and rows are numbered from the
/// beginning again. A database whose tables a world has changed is not used again.
package final class EmptyDatabases: Sendable {
    private let original: Result<Original, any Error>
    /// The databases that no world uses now.
    private let unused = Mutex<[DatabaseQueue]>([])
    /// The definitions of tables that were found to have the shape of the original's.
    private let alike = Mutex<Set<Set<String>>>([])

    /// The most databases that are kept: enough for the worlds that run at the same time.
    private static let most = 32

    /// - Parameter create: Creates the tables, and the rows that they have from the beginning.
    package init(_ create: (DatabaseQueue) throws -> Void) {
        original = Result { try Original(create) }
    }

    /// A database without content.
    package func take() throws -> DatabaseQueue {
        let original = try original.get()
        while let queue = unused.withLock({ $0.popLast() }) {
            let isNew = try queue.write { db in
                guard try original.hasTables(db) else { return false }
                try original.tables.replace(by: original.content, in: db)
                return true
            }
            if isNew { return queue }
        }
        return try original.copy()
    }

    /// Keeps a database for later worlds. Nothing may use it any more.
    package func giveBack(_ queue: DatabaseQueue) {
        unused.withLock { queues in
            if queues.count < Self.most { queues.append(queue) }
        }
    }

    // MARK: Content

    /// The names of the tables.
    var tableNames: Set<String> { get throws { try original.get().tables.names } }

    /// The rows of a database, whose tables are unchanged.
    func content(of queue: DatabaseQueue) throws -> CopiedTables.Content {
        let tables = try original.get().tables
        return try queue.unsafeRead { try tables.content(of: $0) }
    }

    /// Replaces the rows of a database, whose tables are unchanged.
    func replaceContent(of queue: DatabaseQueue, by content: CopiedTables.Content) throws {
        let tables = try original.get().tables
        try queue.write { try tables.replace(by: content, in: $0) }
    }

    /// Another database with the content of `queue`.
    package func copy(of queue: DatabaseQueue) throws -> DatabaseQueue {
        let original = try original.get()
        guard try queue.unsafeRead({ try original.hasTables($0) }) else {
            let copy = try original.copy()
            // A backup increases SQLite's number of the tables in its target. From that of a new database, it would lead to
            // the number of an unchanged copy.
            try queue.backup(to: copy)
            return copy
        }
        let copy = try take()
        try replaceContent(of: copy, by: content(of: queue))
        return copy
    }

    /// Replaces the rows of `queue` by those of a database that has got the same tables in another way.
    func moveContent(from other: DatabaseQueue, to queue: DatabaseQueue) throws {
        let original = try original.get()
        // Other tables are those of a world with a kind of record of its own.
        let (tables, otherShape) = try queue.unsafeRead { db -> (CopiedTables, Set<String>?) in
            if try original.hasTables(db) { return (original.tables, nil) }
            return (try CopiedTables(db), try CopiedTables.shape(of: db))
        }
        let content = try other.unsafeRead { db -> CopiedTables.Content in
            if let otherShape {
                try Self.compare(CopiedTables.shape(of: db), with: otherShape)
            } else {
                // SQLite takes long to read a shape, and the same definitions have the same one.
                let definitions = try CopiedTables.definitions(in: db)
                if !alike.withLock({ $0.contains(definitions) }) {
                    try Self.compare(CopiedTables.shape(of: db), with: original.shape)
                    alike.withLock { _ = $0.insert(definitions) }
                }
            }
            return try tables.content(of: db)
        }
        try queue.write { try tables.replace(by: content, in: $0) }
    }

    private static func compare(_ shape: Set<String>, with other: Set<String>) throws {
        let difference = shape.symmetricDifference(other).sorted()
        guard difference.isEmpty else { throw OtherTables(description: "The tables differ: \(difference)") }
    }

    /// Two databases do not have the same tables.
    private struct OtherTables: Error, CustomStringConvertible { let description: String }

    /// The database of which all are copies.
    private struct Original {
        private let queue: DatabaseQueue
        let tables: CopiedTables
        let shape: Set<String>
        /// The rows that the tables have from the beginning.
        let content: CopiedTables.Content
        /// SQLite's number of the tables, which each change of a table increases.
        private let version: Int?

        init(_ create: (DatabaseQueue) throws -> Void) throws {
            let queue = try DatabaseQueue()
            try create(queue)
            (tables, shape, content) = try queue.write { db in
                let tables = try CopiedTables(db)
                return (tables, try CopiedTables.shape(of: db), try tables.content(of: db))
            }
            self.queue = queue
            version = try Self.copy(of: queue).unsafeRead { try Self.version($0) }
        }

        func copy() throws -> DatabaseQueue { try Self.copy(of: queue) }

        /// Whether no table of a copy was changed.
        func hasTables(_ db: Database) throws -> Bool { try Self.version(db) == version }

        private static func copy(of queue: DatabaseQueue) throws -> DatabaseQueue {
            let copy = try DatabaseQueue()
            try queue.backup(to: copy)
            return copy
        }

        private static func version(_ db: Database) throws -> Int? {
            try Int.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version"))
        }
    }
}
