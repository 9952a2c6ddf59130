import GRDB
import KithModel

/// The records of an account in collections that this version does not know, as the server has sent them.
///
/// They count in the digests of their feeds. Once a version knows their collection, their feeds are read again: see
/// ``readAgain``.
struct ParkedRecords {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private var db: Database { store.db }
    private var account: StoreKey { store.key }

    /// Stores the record of a change, or deletes it.
    ///
    /// - Returns: The sequence of the record before the change; nil if there was none.
    func put(_ change: RecordChange, in feed: ReplicaFeed) throws -> Int64? {
        let place: StatementArguments = [account, feed.rowID, change.id]
        let before = try Int64.fetchOne(
            db, sql: "SELECT sequence FROM parked WHERE account = ? AND feed = ? AND id = ?", arguments: place)
        if let fields = change.fields {
            try db.execute(
                sql: """
                    INSERT INTO parked (account, feed, id, collection, sequence, modified, fields)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET collection = excluded.collection, sequence = excluded.sequence,
                        modified = excluded.modified, fields = excluded.fields
                    """,
                arguments: place + [
                    change.collection.rawValue, change.sequence, change.modified.milliseconds, StoredJSON.text(fields),
                ])
        } else {
            try db.execute(sql: "DELETE FROM parked WHERE account = ? AND feed = ? AND id = ?", arguments: place)
        }
        return before
    }

    /// The records in a range of ids, as removals. `after` and `through` are as in
    /// ``RecordTable/records(of:after:through:in:)``.
    func removals(
        in feed: ReplicaFeed, after: RecordID<Never>?, through: RecordID<Never>?
    ) throws -> [RecordChange] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT collection, id, modified FROM parked
                    WHERE account = ?1 AND feed = ?2 AND (?3 IS NULL OR id > ?3) AND (?4 IS NULL OR id <= ?4)
                    """),
            arguments: [account, feed.rowID, after, through]
        ).map {
            RecordChange(
                collection: RecordCollection(rawValue: $0[0]), id: $0[1], sequence: 0,
                modified: Timestamp(milliseconds: $0[2]), fields: nil)
        }
    }

    /// The sequences of a feed's records.
    func sequences(in feed: ReplicaFeed) throws -> [(id: RecordID<Never>, sequence: Int64)] {
        try Row.fetchAll(
            db, sql: "SELECT id, sequence FROM parked WHERE account = ? AND feed = ?",
            arguments: [account, feed.rowID]
        ).map { (id: $0[0], sequence: $0[1]) }
    }

    /// The canonical lines of a feed's records.
    func canonicalLines(of feed: ReplicaFeed) throws -> [String] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT collection, id, sequence, modified, fields FROM parked WHERE account = ? AND feed = ?"),
            arguments: [account, feed.rowID]
        ).map {
            CanonicalForm.line(
                collection: RecordCollection(rawValue: $0[0]), id: $0[1], sequence: $0[2],
                modified: Timestamp(milliseconds: $0[3]), fields: try StoredJSON.fields($0[4]))
        }
    }

    /// The number of records in the account's own feed, by collection.
    func counts() throws -> [RecordCollection: Int] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT collection, count(*) FROM parked WHERE account = ? AND feed = ? GROUP BY collection"),
            arguments: [account, ReplicaFeed.own.rowID])
        var counts: [RecordCollection: Int] = [:]
        for row in rows { counts[RecordCollection(rawValue: row[0])] = row[1] as Int }
        return counts
    }

    /// Deletes the records of a feed.
    func forget(_ feed: ReplicaFeed) throws {
        try db.execute(sql: "DELETE FROM parked WHERE account = ? AND feed = ?", arguments: [account, feed.rowID])
    }

    /// The query of the lists' feeds that have parked records. Its arguments are the account and the row id of the
    /// account's own feed.
    static let listFeeds = "SELECT feed FROM parked WHERE account = ?1 AND feed <> ?2"

    /// Makes the next round reread the feeds with parked records of a collection, and deletes these records. Both
    /// arguments are the collection.
    static let readAgain = """
        UPDATE feed SET isDoubtful = 1 WHERE EXISTS (
            SELECT 1 FROM parked
            WHERE parked.account = feed.account AND parked.feed = feed.id AND parked.collection = ?);
        DELETE FROM parked WHERE collection = ?;
        """
}

extension Store {
    /// The records of the store in collections that this version does not know.
    var parked: ParkedRecords { ParkedRecords(self) }
}
