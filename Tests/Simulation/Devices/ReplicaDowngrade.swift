package import GRDB
import Kith
import KithModel

/// Makes a replica look as an earlier version of Kith would have left it, so that opening it is an upgrade.
///
/// Only tables and columns that came later are taken away: what the earlier version could hold stays.
package enum ReplicaDowngrade {
    /// The version before people: it kept profiles and contacts as records of collections that it did not know.
    private static let people = 3

    /// What undoes each migration, the newest last. A new migration adds its own here.
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
            // An earlier version carried what it did not know.
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
    ]

    /// The earlier versions, by the number of the last migration that each had.
    package static func versions() throws -> Range<Int> {
        let replica = try Replica(.inMemory)
        let newest = try replica.database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM grdb_migrations") }
        guard let newest, newest <= undoing.count else { throw Missing(migrations: newest ?? 0) }
        return 1..<newest
    }

    /// Takes the replica back to a version chosen at random, and says which.
    static func apply(to queue: DatabaseQueue, using random: inout SplitMix64) throws -> Int {
        // An edit of people is one that the version before people could not have made.
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

    /// Takes the replica back to a version.
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

    /// A migration that has nothing here to undo it.
    struct Missing: Error, CustomStringConvertible {
        let migrations: Int

        var description: String {
            "The replica has \(migrations) migrations, and ReplicaDowngrade can undo \(undoing.count). Add what undoes the new ones."
        }
    }
}
