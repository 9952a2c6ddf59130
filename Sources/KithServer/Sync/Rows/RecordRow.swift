package import KithModel

/// A record as the database stores it.
package struct RecordRow: Hashable, Sendable {
    package let collection: RecordCollection
    package let state: RecordState
    /// The text of its fields, as stored.
    let text: String

    init(collection: RecordCollection, state: RecordState) {
        self.init(collection: collection, state: state, text: StoredText.text(state.fields))
    }

    private init(collection: RecordCollection, state: RecordState, text: String) {
        self.collection = collection
        self.state = state
        self.text = text
    }

    /// The number of stored bytes of its fields; 0 for a tombstone.
    var bytes: Int64 { state.isDeleted ? 0 : Int64(text.utf8.count) }

    /// Writes the new states. They change in `revision`. Live records are in the table `record`, deleted ones in
    /// `tombstone`.
    static func write(
        _ differences: [RecordDifference], at revision: Revision, in transaction: any Transaction
    ) throws {
        var (live, deleted): ([[SQLValue]], [[SQLValue]]) = ([], [])
        var (removed, revived): ([[SQLValue]], [[SQLValue]]) = ([], [])
        for one in differences {
            let (record, state) = (one.new, one.new.state)
            let (feed, id) = (SQLValue.id(one.place.feed), SQLValue.id(one.place.record))
            if state.isDeleted {
                deleted.append([
                    feed, id, .text(record.collection.rawValue), .integer(state.sequence), .time(state.modified),
                    .revision(revision),
                ])
                removed.append([feed, id])
            } else {
                live.append([
                    feed, id, .text(record.collection.rawValue), .integer(state.sequence), .time(state.modified),
                    .revision(revision), .text(record.text), .text(StoredText.text(state.stamps)), .flag(false),
                ])
                if one.old?.state.isDeleted ?? false { revived.append([feed, id]) }
            }
        }
        try transaction.execute(recordReplacement, live)
        try transaction.delete(from: "tombstone", key, revived)
        try transaction.execute(tombstoneReplacement, deleted)
        try transaction.execute(recordDeletion, removed)
    }

    private static let columns = ["feed", "id", "collection", "sequence", "modified", "revision"]
    private static let recordReplacement = RowStatement(
        insertInto: "record", columns + ["fields", "stamps", "deleted"], replacing: key)
    private static let tombstoneReplacement = RowStatement(insertInto: "tombstone", columns, replacing: key)
    private static let recordDeletion = RowStatement(deleteFrom: "record", key)

    /// The primary key of both tables.
    private static let key = ["feed", "id"]

    private static let reading = RowStatement(
        wanted: key,
        """
        SELECT \(RecordChange.wantedColumns), record.stamps FROM wanted \(RecordChange.wantedJoin(feed: "wanted.feed"))
        WHERE COALESCE(record.feed, tombstone.feed) IS NOT NULL
        """)

    /// The records and tombstones at `places`. The records have their stamps, which merging needs.
    package static func read(
        _ places: Set<RecordPlace>, in transaction: any Transaction
    ) throws -> [RecordPlace: RecordRow] {
        try ask(places, in: transaction).value()
    }

    /// Asks for what ``read(_:in:)`` returns.
    static func ask(
        _ places: Set<RecordPlace>, in transaction: any Transaction
    ) throws -> Pending<[RecordPlace: RecordRow]> {
        try transaction.ask(reading, places.sorted().map { [.id($0.feed), .id($0.record)] }).map { rows in
            var records: [RecordPlace: RecordRow] = [:]
            for row in rows { records[RecordPlace(try row.id(0), try row.id(1))] = try RecordRow(row) }
            return records
        }
    }

    /// Reads a row of ``RecordChange/wantedColumns`` and the stamps.
    private init(_ row: SQLRow) throws {
        let collection = RecordCollection(rawValue: try row.text(2))
        let (sequence, modified) = (try row.integer(3), try row.time(4))
        if row.isNull(5) {
            // The device that deleted a record is not stored, because nothing compares the stamp of a tombstone.
            let stamp = Stamp(time: modified, sequence: sequence, device: 0)
            self.init(collection: collection, state: .tombstone(at: stamp))
        } else {
            let text = try row.text(5)
            let state = try DamagedRecord.naming(DamagedRecord(row)) {
                RecordState(
                    fields: try StoredText.fields(text), stamps: try StoredText.stamps(try row.text(6)),
                    sequence: sequence, modified: modified)
            }
            self.init(collection: collection, state: state, text: text)
        }
    }
}

extension RecordChange {
    /// The columns of a live record, as ``init(_:)`` reads them.
    static let columns = "record.feed, record.id, record.collection, record.sequence, record.modified, record.fields"

    /// The same columns of a tombstone. It has no fields.
    static let tombstoneColumns =
        "tombstone.feed, tombstone.id, tombstone.collection, tombstone.sequence, tombstone.modified, NULL"

    /// The same columns of what is at a place of the row set `wanted`, to which ``wantedJoin(feed:)`` joins it. If
    /// there is nothing, all columns but the place are null.
    static let wantedColumns = """
        wanted.feed, wanted.id, COALESCE(record.collection, tombstone.collection),
            COALESCE(record.sequence, tombstone.sequence), COALESCE(record.modified, tombstone.modified), record.fields
        """

    /// Joins the row set `wanted` with the live record or the tombstone at each of its places. `feed` is a column with
    /// the feed of the place. If it belongs to a table, a database that is sharded by feed can do this shard by shard.
    ///
    /// A live record has no tombstone. The comparison of the id with null then saves the lookup.
    static func wantedJoin(feed: String) -> String {
        """
        LEFT JOIN record ON record.feed = \(feed) AND record.id = wanted.id
            LEFT JOIN tombstone ON tombstone.feed = \(feed)
                AND tombstone.id = CASE WHEN record.feed IS NULL THEN wanted.id END
        """
    }

    /// The number of bytes of the fields in a row of ``columns``; 0 for a tombstone.
    static func bytes(_ row: SQLRow) throws -> Int { row.isNull(5) ? 0 : try row.text(5).utf8.count }

    /// Reads a row of ``columns``.
    init(_ row: SQLRow) throws {
        let fields: Fields? = try DamagedRecord.naming(DamagedRecord(row)) {
            row.isNull(5) ? nil : try StoredText.fields(try row.text(5))
        }
        self.init(
            collection: RecordCollection(rawValue: try row.text(2)), id: try row.id(1), sequence: try row.integer(3),
            modified: try row.time(4), fields: fields)
    }
}
