import KithModel

/// The live records with one id in many feeds, in which the server sets fields at once.
///
/// The outcome is that of ``Ledger/set(_:of:at:)`` for each of the records. But records are neither decoded nor
/// encoded, and no rules are asked. Therefore only fields may be set that nobody but the server writes, and that no
/// rule looks at.
struct BulkUpdate {
    /// A record as it is stored.
    struct Stored {
        let collection: RecordCollection
        fileprivate(set) var sequence: Int64
        /// The text of its fields.
        fileprivate(set) var fields: String
        fileprivate let stamps: String
    }

    private struct Place {
        var feed: FeedRow
        var record: Stored
    }

    private let id: RecordID<Never>
    private let places: [Place]

    private static let reading = RowStatement(
        wanted: ["feed"],
        """
        SELECT \(FeedRow.selection), record.collection, record.sequence, record.fields, record.stamps
        FROM wanted CROSS JOIN feed CROSS JOIN record
        WHERE feed.id = wanted.feed AND record.feed = feed.id AND record.id = ?
        """)
    /// Inserts nothing: the rows exist, because nobody removes records of an open feed without locking it. The
    /// collection and `deleted` stay as they are, so that SQLite does not renew the indexes that name them.
    private static let writing = RowStatement(
        insertInto: "record",
        ["feed", "id", "collection", "sequence", "modified", "revision", "fields", "stamps", "deleted"],
        replacing: ["feed", "id"], keeping: ["collection", "stamps", "deleted"])

    /// Locks the feeds and reads the records: first those of lists, then those of accounts, each in the order of their ids.
    ///
    /// Closed feeds are left out. The records of a deleted account are removed without locking its feed.
    init(of id: RecordID<Never>, lists: [FeedID], accounts: [FeedID], in transaction: any Transaction) throws {
        func places(_ feeds: [FeedID], _ kind: FeedRow.Kind) throws -> [Place] {
            try FeedRow.lockRows(feeds, in: transaction)
            return try transaction.query(Self.reading, feeds.map { [.id($0)] }, [.id(id)]).compactMap { row in
                let feed = try FeedRow(row)
                if feed.kind != kind || feed.isClosed { return nil }
                return Place(feed: feed, record: try Stored(row, from: FeedRow.columns.count))
            }
        }
        self.id = id
        self.places = try places(lists, .list) + places(accounts, .account)
    }

    /// Sets the fields that `replacement` returns for a record; none if it returns nil. Writes the records that this
    /// changes.
    ///
    /// - Returns: The signals of the changes, to send once they are committed.
    func write(
        at now: Timestamp, in transaction: any Transaction, _ replacement: (Stored) throws -> FieldReplacement?
    ) throws -> Signals {
        var changed: [Place] = []
        var blocks: [FeedID: Int64] = [:]
        for var place in places {
            let (feed, text) = (place.feed.id, place.record.fields)
            let wanted = try replacement(place.record)
            let applied = try DamagedRecord.naming(DamagedRecord(feed: feed, record: id)) {
                try wanted?.applied(to: text)
            }
            guard let fields = applied else { continue }
            let (old, difference) = (place.feed.bytes, Int64(fields.utf8.count - place.record.fields.utf8.count))
            place.feed.digest.remove(id, sequence: place.record.sequence)
            place.feed.sequence += 1
            place.feed.digest.add(id, sequence: place.feed.sequence)
            place.feed.writtenAt = max(now, place.feed.writtenAt)
            place.feed.bytes += difference
            (place.record.sequence, place.record.fields) = (place.feed.sequence, fields)
            changed.append(place)
            let more = StorageUse.blocks(place.feed.bytes) - StorageUse.blocks(old)
            if more != 0 { blocks[place.feed.id] = more }
        }
        if changed.isEmpty { return Signals() }
        try StorageUse.add(blocks, in: transaction)
        let revision = try Revision.next(changing: changed.count, in: transaction)
        for index in changed.indices { changed[index].feed.revision = revision }
        try FeedRow.update(changed.map(\.feed), in: transaction)
        let records: [[SQLValue]] = changed.map { place in
            [
                .id(place.feed.id), .id(id), .text(place.record.collection.rawValue), .integer(place.record.sequence),
                .time(place.feed.writtenAt), .revision(revision), .text(place.record.fields),
                .text(place.record.stamps), .flag(false),
            ]
        }
        try transaction.execute(Self.writing, records)
        return Signals(moved: Set(changed.map(\.feed.id)))
    }
}

extension BulkUpdate.Stored {
    /// Reads the columns of a row from this one on.
    fileprivate init(_ row: SQLRow, from column: Int) throws {
        self.init(
            collection: RecordCollection(rawValue: try row.text(column)), sequence: try row.integer(column + 1),
            fields: try row.text(column + 2), stamps: try row.text(column + 3))
    }
}
