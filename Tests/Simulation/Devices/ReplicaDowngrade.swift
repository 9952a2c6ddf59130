package import GRDB
import Kith
import KithModel

/// Makes a replica look as if an earlier version of Kith had written it, so that opening it is an upgrade.
///
/// It removes only the tables and columns that were added later. Data that the earlier version could store is kept.
package enum ReplicaDowngrade {
    /// The last version without people. It stored profiles and contacts as parked records.
    private static let people = 3

    /// The statements that undo each migration, in the order of the migrations. Every new migration needs an entry
    /// here.
    private static let undoing: [[String]] = [
        [],
        [
            "DROP INDEX mutation_flight", "DROP INDEX mutation_log",
            "CREATE INDEX mutation_log ON mutation (account, number) WHERE taken IS NOT NULL",
            "ALTER TABLE mutation DROP COLUMN made",
        ],
        [
            """
            INSERT INTO parked (account, feed, id, collection, sequence, modified, fields)
            SELECT account, zeroblob(16), id, 'contact', sequence, modified, '{}' FROM contact WHERE sequence > 0
            UNION ALL
            SELECT account, zeroblob(16), id, 'profile', sequence, modified, '{}' FROM profile WHERE sequence > 0
            """,
            "DROP TABLE picture", "DROP TABLE details", "DROP TABLE contact", "DROP TABLE profile",
        ],
        ["DROP TABLE discovery", "DROP TABLE lookup"],
        ["ALTER TABLE discovery DROP COLUMN revision"],
        ["ALTER TABLE discovery DROP COLUMN epoch"],
        [
            "DROP TABLE endedSession", "ALTER TABLE account DROP COLUMN address",
            "ALTER TABLE account DROP COLUMN server",
        ],
        [
            "DROP TABLE removedIdentity",
            "ALTER TABLE mutation DROP COLUMN listName", "ALTER TABLE mutation DROP COLUMN title",
            "ALTER TABLE rejection DROP COLUMN listName", "ALTER TABLE rejection DROP COLUMN title",
            // An earlier version stored fields that it did not know as JSON.
            """
            UPDATE contact SET extra = json_set(COALESCE(extra, '{}'), '$.accepted', accepted)
            WHERE accepted IS NOT NULL
            """,
            "ALTER TABLE contact DROP COLUMN accepted",
            """
            UPDATE member SET extra = json_set(COALESCE(extra, '{}'), '$.profileName', profileName)
            WHERE profileName IS NOT NULL
            """,
            "ALTER TABLE member DROP COLUMN profileName",
        ],
        ["DROP TABLE removal"],
        ["ALTER TABLE account DROP COLUMN isIdentified"],
        ["ALTER TABLE account DROP COLUMN isUndecided"],
        ["DROP TABLE programme"],
    ]

    /// The earlier versions, as the numbers of their last migrations.
    package static func versions() throws -> Range<Int> {
        let newest = ReplicaSchema.migrator.migrations.count
        guard newest <= undoing.count else { throw Missing(migrations: newest) }
        return 1..<newest
    }

    /// Downgrades the replica to a random version, and returns that version.
    static func apply(to queue: DatabaseQueue, using random: inout SplitMix64) throws -> Int {
        // Edits of profiles and contacts could not be made before the version that introduced people.
        let hasPeople = try queue.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM mutation WHERE collection IN ('profile', 'contact'))
                        OR EXISTS (SELECT 1 FROM rejection WHERE collection IN ('profile', 'contact'))
                    """) ?? false
        }
        let version = try Int.random(in: versions().clamped(to: (hasPeople ? people : 1)..<Int.max), using: &random)
        try apply(to: queue, version: version)
        return version
    }

    /// Downgrades the replica to a version.
    package static func apply(to queue: DatabaseQueue, version: Int) throws {
        try queue.write { db in
            let newest = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM grdb_migrations") ?? 0
            guard newest <= undoing.count else { throw Missing(migrations: newest) }
            for number in (version + 1...newest).reversed() {
                for sql in undoing[number - 1] { try db.execute(sql: sql) }
                try db.execute(
                    sql: "DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) = ?", arguments: [number])
            }
        }
    }

    /// The error for a migration without an entry in `undoing`.
    struct Missing: Error, CustomStringConvertible {
        let migrations: Int

        var description: String {
            "The replica has \(migrations) migrations, and ReplicaDowngrade can undo \(undoing.count). Add what undoes the new ones."
        }
    }
}
