import KithModel

/// The records that the mutations of a request name. The answer to the request has them.
package struct NamedRecords: Hashable, Sendable {
    /// A record, with the bytes of its fields.
    struct Record: Hashable, Sendable {
        let record: FeedRecord
        let bytes: Int
    }

    private var records: [RecordPlace: Record] = [:]
    /// The sequences of the records' feeds after the push; empty if the records were read.
    private var sequences: [FeedID: Int64] = [:]

    /// The number of bytes of the fields of all records.
    var bytes: Int { records.values.reduce(0) { $0 + $1.bytes } }

    /// All records, in any order.
    var all: some Collection<Record> { records.values }

    /// The records for the answer, in the order of their places.
    var sorted: [FeedRecord] { records.sorted { $0.key < $1.key }.map(\.value.record) }

    /// No records.
    package init() {}

    private init(_ records: [(RecordPlace, Record)]) {
        self.records = Dictionary(records) { $1 }
    }

    // MARK: After a push

    /// The records as a push has left them in `ledger`, together with `earlier` ones, which the mutations of the same
    /// request before these have named.
    ///
    /// It is nil if a record or its feed is missing, or if the ledger shows that others have changed a feed of an earlier
    /// record since then. Of feeds that it does not have, ``areCurrent(in:)`` finds this out.
    init?(of mutations: ArraySlice<Mutation>, after earlier: NamedRecords, in ledger: Ledger) {
        self = earlier
        for (feed, sequence) in earlier.sequences {
            guard let changed = ledger.feed(feed) else { continue }
            if ledger.sequenceBefore(feed) != sequence { return nil }
            sequences[feed] = changed.sequence
        }
        // The push may have changed an earlier record, too.
        for place in ledger.records.keys where records[place] != nil { records[place] = Record(at: place, in: ledger) }
        for mutation in mutations {
            let place = RecordPlace(mutation.feed, mutation.record)
            if records[place] != nil { continue }
            guard let record = Record(at: place, in: ledger), let feed = ledger.feed(place.feed) else { return nil }
            records[place] = record
            sequences[feed.id] = feed.sequence
        }
    }

    /// Whether the records have not changed since the push, and are in `feeds`, which the account can read.
    ///
    /// Each change of a record raises the sequence of its feed. The purge of an old tombstone does not, and no device needs to
    /// know of it. The clearing of a closed feed does not, either, and nobody can read that.
    func areCurrent(in feeds: [SelectedFeed]) -> Bool {
        feeds.count { sequences[$0.row.id] == $0.row.sequence } == sequences.count
    }

    // MARK: Reading

    /// Asks for the records. Those in feeds that the account cannot read are left out.
    static func ask(
        by request: SyncRequest, for account: AccountID, in transaction: any Transaction
    ) throws -> Pending<NamedRecords> {
        var collections: [RecordPlace: RecordCollection] = [:]
        for mutation in request.mutations {
            collections[RecordPlace(mutation.feed, mutation.record)] = mutation.collection
        }
        // Without an ORDER BY, which would make SQLite sort the rows with their fields.
        return try transaction.ask(
            wanted: ["feed", "id"], collections.keys.sorted().map { [.id($0.feed), .id($0.record)] },
            """
            SELECT \(RecordChange.wantedColumns)
            FROM wanted CROSS JOIN access \(RecordChange.wantedJoin(feed: "access.feed"))
            WHERE access.account = ? AND access.feed = wanted.feed
            """, [.id(account)]
        ).map { [collections] rows in
            NamedRecords(
                try rows.compactMap { row in
                    let place = RecordPlace(try row.id(0), try row.id(1))
                    return try collections[place].map { (place, try Record(row, at: place, in: $0)) }
                })
        }
    }
}

extension NamedRecords.Record {
    /// The record as it is in `ledger`; nil if the ledger does not have it.
    fileprivate init?(at place: RecordPlace, in ledger: Ledger) {
        guard let row = ledger.records[place] else { return nil }
        let change = RecordChange(
            collection: row.collection, id: place.record, sequence: row.state.sequence,
            modified: row.state.modified, fields: row.state.isDeleted ? nil : row.state.fields)
        self.init(record: FeedRecord(feed: place.feed, change: change), bytes: Int(row.bytes))
    }

    /// Reads a row of ``RecordChange/wantedColumns``. A record that does not exist has the sequence 0 and no fields.
    fileprivate init(_ row: SQLRow, at place: RecordPlace, in collection: RecordCollection) throws {
        let isThere = !row.isNull(2)
        let change =
            isThere
            ? try RecordChange(row)
            : RecordChange(
                collection: collection, id: place.record, sequence: 0, modified: Timestamp(milliseconds: 0),
                fields: nil)
        self.init(
            record: FeedRecord(feed: place.feed, change: change), bytes: isThere ? try RecordChange.bytes(row) : 0)
    }
}
