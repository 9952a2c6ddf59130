import GRDB
import KithModel

/// The digests of an account's feeds, and which of the feeds the next round rereads.
///
/// Each record of an answer changes a digest, so changed digests are in memory until ``save()``.
struct FeedDigests {
    let db: Database
    var account: StoreKey
    /// The digests that have changed and are not stored yet.
    private var changed: [ReplicaFeed: FeedDigest] = [:]

    init(_ store: Store) { (db, account) = (store.db, store.key) }

    private var store: Store { Store(db, account) }

    func digest(of feed: ReplicaFeed) throws -> FeedDigest {
        if let digest = changed[feed] { return digest }
        let stored = try DirectStatement("SELECT digest FROM feed WHERE account = ? AND id = ?", db)
            .first(account, feed.rowID) { FeedDigest($0.text(0)) }
        return (stored ?? nil) ?? FeedDigest()
    }

    mutating func change(_ feed: ReplicaFeed, _ change: (inout FeedDigest) -> Void) throws {
        var digest = try digest(of: feed)
        change(&digest)
        changed[feed] = digest
    }

    /// Recomputes a feed's digest from the stored records. `tables` are those of its records.
    mutating func recount(_ feed: ReplicaFeed, in tables: [RecordTable]) throws {
        var digest = FeedDigest()
        for table in tables {
            for (key, record) in try table.records(of: feed, in: store) where record.sequence > 0 {
                digest.add(key.id, sequence: record.sequence)
            }
        }
        for (id, sequence) in try store.parked.sequences(in: feed) {
            digest.add(id, sequence: sequence)
        }
        changed[feed] = digest
    }

    /// Stores the feed's digest, and whether the next round rereads the feed from its beginning.
    mutating func mark(_ feed: ReplicaFeed, isDoubtful: Bool) throws {
        try DirectStatement(
            """
            INSERT INTO feed (account, id, digest, isDoubtful) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET digest = excluded.digest, isDoubtful = excluded.isDoubtful
            """, db
        ).run(account, feed.rowID, digest(of: feed).description, isDoubtful)
        changed[feed] = nil
    }

    /// The feeds whose digests differed from the server's when they were last read.
    func doubtful() throws -> [ReplicaFeed] {
        try FeedID.fetchAll(
            db.cachedStatement(sql: "SELECT id FROM feed WHERE account = ? AND isDoubtful ORDER BY id"),
            arguments: [account]
        ).map { ReplicaFeed(rowID: $0) }
    }

    /// Whether any feed has records from the server.
    func haveRecords() throws -> Bool {
        try db.exists("SELECT 1 FROM feed WHERE account = ? AND digest <> ?", [account, FeedDigest().description])
    }

    mutating func forget(_ feed: ReplicaFeed) throws {
        try db.execute(sql: "DELETE FROM feed WHERE account = ? AND id = ?", arguments: [account, feed.rowID])
        changed[feed] = nil
    }

    mutating func forgetAll() throws {
        try db.execute(sql: "DELETE FROM feed WHERE account = ?", arguments: [account])
        changed = [:]
    }

    /// Stores the changed digests.
    func save() throws {
        for (feed, digest) in changed {
            try DirectStatement(
                """
                INSERT INTO feed (account, id, digest) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET digest = excluded.digest
                """, db
            ).run(account, feed.rowID, digest.description)
        }
    }
}
