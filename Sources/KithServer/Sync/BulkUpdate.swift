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
        let sequence: Int64
        /// The text of its fields.
        let text: String
    }

    private let id: RecordID<Never>
    private let feeds: [FeedRow]
    private let records: [FeedID: Stored]

    /// Locks the feeds: first those of lists, then those of accounts, each in the order of their ids. Then reads the
    /// records.
    init(of id: RecordID<Never>, lists: Set<FeedID>, accounts: Set<FeedID>, in transaction: any Transaction) throws {
        self.id = id
        feeds =
            try FeedRow.lock(lists, in: transaction).filter { $0.kind == .list }
            + FeedRow.lock(accounts, in: transaction).filter { $0.kind == .account }
        let rows = try transaction.query(
            wanted: ["feed"], feeds.map { [.id($0.id)] },
            """
            SELECT record.feed, record.collection, record.sequence, record.fields FROM wanted CROSS JOIN record
            WHERE record.feed = wanted.feed AND record.id = ?
            """, [.id(id)])
        var records: [FeedID: Stored] = [:]
        for row in rows {
            records[try row.id(0)] = Stored(
                collection: RecordCollection(rawValue: try row.text(1)), sequence: try row.integer(2),
                text: try row.text(3))
        }
        self.records = records
    }

    /// Sets the fields that `replacement` returns for a record; none if it returns nil. Writes the records that this
    /// changes.
    ///
    /// - Returns: The signals of the changes, to send once they are committed.
    func write(
        at now: Timestamp, in transaction: any Transaction, _ replacement: (Stored) throws -> FieldReplacement?
    ) throws -> Signals {
        var moved: [FeedRow] = []
        var changed: [[SQLValue]] = []
        var blocks: [FeedID: Int64] = [:]
        for var feed in feeds {
            guard let record = records[feed.id], let text = try replacement(record)?.applied(to: record.text) else {
                continue
            }
            feed.digest.remove(id, sequence: record.sequence)
            feed.sequence += 1
            feed.digest.add(id, sequence: feed.sequence)
            feed.writtenAt = max(now, feed.writtenAt)
            blocks[feed.id] = -StorageUse.blocks(feed.bytes)
            feed.bytes += Int64(text.utf8.count - record.text.utf8.count)
            blocks[feed.id, default: 0] += StorageUse.blocks(feed.bytes)
            moved.append(feed)
            changed.append([.id(feed.id), .integer(feed.sequence), .time(feed.writtenAt), .text(text)])
        }
        if moved.isEmpty { return Signals() }
        try StorageUse.add(blocks, in: transaction)
        let revision = try Revision.next(changing: moved.count, in: transaction)
        for index in moved.indices { moved[index].revision = revision }
        try FeedRow.update(moved, in: transaction)
        try transaction.execute(
            wanted: ["feed", "sequence", "modified", "fields"], changed,
            """
            UPDATE record
            SET sequence = wanted.sequence, modified = wanted.modified, fields = wanted.fields, revision = ?
            FROM wanted WHERE record.feed = wanted.feed AND record.id = ?
            """, [.revision(revision), .id(id)])
        return Signals(moved: Set(moved.map(\.id)))
    }
}
