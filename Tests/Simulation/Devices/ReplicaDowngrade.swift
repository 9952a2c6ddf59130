package import GRDB
import Kith
import KithModel

/// Makes a replica look as if an earlier version of Kith had written it, so that opening it is an upgrade.
///
/// The tables become those of the earlier version. Data that the earlier version could store is kept.
package enum ReplicaDowngrade {
    /// What undoes a migration.
    private struct Undoing {
        /// Stores content as the earlier version did.
        var content: [String] = []
        /// Removes tables, columns and indexes.
        var tables: [String] = []
    }

    /// The last version without people. It stored profiles and contacts as parked records.
    private static let people = 3

    /// The statements that undo each migration, in the order of the migrations. Every new migration needs an entry
    /// here.
    private static let undoing: [Undoing] = [
        Undoing(),
        Undoing(tables: [
            "DROP INDEX mutation_flight", "DROP INDEX mutation_log",
            "CREATE INDEX mutation_log ON mutation (account, number) WHERE taken IS NOT NULL",
            "ALTER TABLE mutation DROP COLUMN made",
        ]),
        Undoing(
            content: [
                """
                INSERT INTO parked (account, feed, id, collection, sequence, modified, fields)
                SELECT account, zeroblob(16), id, 'contact', sequence, modified, '{}' FROM contact WHERE sequence > 0
                UNION ALL
                SELECT account, zeroblob(16), id, 'profile', sequence, modified, '{}' FROM profile WHERE sequence > 0
                """
            ],
            tables: ["DROP TABLE picture", "DROP TABLE details", "DROP TABLE contact", "DROP TABLE profile"]),
        Undoing(tables: ["DROP TABLE discovery", "DROP TABLE lookup"]),
        Undoing(tables: ["ALTER TABLE discovery DROP COLUMN revision"]),
        Undoing(tables: ["ALTER TABLE discovery DROP COLUMN epoch"]),
        Undoing(tables: [
            "DROP TABLE endedSession", "ALTER TABLE account DROP COLUMN address",
            "ALTER TABLE account DROP COLUMN server",
        ]),
        Undoing(
            content: [
                // An earlier version stored fields that it did not know as JSON.
                """
                UPDATE contact SET extra = json_set(COALESCE(extra, '{}'), '$.accepted', accepted)
                WHERE accepted IS NOT NULL
                """,
                """
                UPDATE member SET extra = json_set(COALESCE(extra, '{}'), '$.profileName', profileName)
                WHERE profileName IS NOT NULL
                """,
            ],
            tables: [
                "DROP TABLE removedIdentity",
                "ALTER TABLE mutation DROP COLUMN listName", "ALTER TABLE mutation DROP COLUMN title",
                "ALTER TABLE rejection DROP COLUMN listName", "ALTER TABLE rejection DROP COLUMN title",
                "ALTER TABLE contact DROP COLUMN accepted", "ALTER TABLE member DROP COLUMN profileName",
            ]),
        Undoing(tables: ["DROP TABLE removal"]),
        Undoing(tables: ["ALTER TABLE account DROP COLUMN isIdentified"]),
        Undoing(tables: ["ALTER TABLE account DROP COLUMN isUndecided"]),
        Undoing(tables: ["DROP TABLE programme"]),
    ]

    /// The earlier versions, as the numbers of their last migrations.
    package static func versions() throws -> Range<Int> {
        let newest = ReplicaSchema.migrator.migrations.count
        guard newest <= undoing.count else { throw Missing(migrations: newest) }
        return 1..<newest
    }

    /// A replica of a random earlier version with the rows of this one, and that version.
    static func earlier(
        than queue: DatabaseQueue, using random: inout SplitMix64
    ) throws -> (replica: DatabaseQueue, version: Int) {
        // Edits of profiles and contacts could not be made before the version that introduced people.
        let hasPeople = try queue.unsafeRead { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM mutation WHERE collection IN ('profile', 'contact'))
                            OR EXISTS (SELECT 1 FROM rejection WHERE collection IN ('profile', 'contact'))
                        """)) ?? false
        }
        let version = try Int.random(in: versions().clamped(to: (hasPeople ? people : 1)..<Int.max), using: &random)
        return (try replica(of: version, from: queue), version)
    }

    /// Downgrades the replica to a version.
    package static func apply(to queue: DatabaseQueue, version: Int) throws {
        try replica(of: version, from: queue).backup(to: queue)
    }

    /// A replica of an earlier version with the rows of this one, which stays as it is.
    private static func replica(of version: Int, from queue: DatabaseQueue) throws -> DatabaseQueue {
        let range = try versions()
        let target = try emptyReplicas.get()[version - range.lowerBound]
        let known = try EmptyReplica.databases.tableNames
        var creating: [String] = []
        var (tables, content) = (target.tables, CopiedTables.Content())
        try queue.inTransaction { db in
            for migration in undoing[version..<range.upperBound].reversed() {
                for sql in migration.content { try db.cachedStatement(sql: sql).execute() }
            }
            // The tables of additional kinds of records stay as they are.
            let others = try CopiedTables.names(db).filter { !known.contains($0) }
            if !others.isEmpty { tables = try tables.adding(others, db) }
            creating = try others.flatMap { table in
                try String.fetchAll(
                    db, sql: "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rowid",
                    arguments: [table])
            }
            content = try tables.content(of: db)
            return .rollback
        }
        let replica = try DatabaseQueue()
        try target.replica.backup(to: replica)
        try replica.write { db in
            for sql in creating { try db.execute(sql: sql) }
            try tables.replace(by: content, in: db)
        }
        return replica
    }

    // MARK: Empty replicas

    /// An empty replica of an earlier version.
    private struct Earlier {
        let replica: DatabaseQueue
        let tables: CopiedTables
    }

    /// An empty replica of each earlier version. To drop a column takes SQLite much longer than to copy the rows of a
    /// small replica, so the tables are downgraded here once, and not for each replica.
    private static let emptyReplicas = Result {
        var later = try EmptyReplica.queue()
        let newestFirst = try versions().reversed().map { version in
            let earlier = try empty(version: version, from: later)
            later = earlier.replica
            return earlier
        }
        return Array(newestFirst.reversed())
    }

    /// An empty replica of a version, from one of the version after it, which stays as it is.
    private static func empty(version: Int, from later: DatabaseQueue) throws -> Earlier {
        let replica = try DatabaseQueue()
        try later.backup(to: replica)
        let tables = try replica.write { db in
            for sql in undoing[version].tables { try db.execute(sql: sql) }
            try db.execute(
                sql: "DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) = ?", arguments: [version + 1])
            return try CopiedTables(db)
        }
        return Earlier(replica: replica, tables: tables)
    }

    /// The error for a migration without an entry in `undoing`.
    struct Missing: Error, CustomStringConvertible {
        let migrations: Int

        var description: String {
            "The replica has \(migrations) migrations, and ReplicaDowngrade can undo \(undoing.count). Add what undoes the new ones."
        }
    }
}
