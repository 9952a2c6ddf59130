import KithModel

/// New records of a page that were written together, without a check for existing ones.
struct InsertedRecords {
    /// The page's records of one collection.
    let columns: RecordPage.Columns
    /// The rows that were written.
    let indexes: [Int]
    /// The feed of the records.
    let feed: ReplicaFeed

    var collection: RecordCollection { columns.collection }

    /// The latest change of any of the records.
    var modified: Timestamp? { indexes.lazy.map { columns.modified[$0] }.max() }

    /// The key of the record in one of the rows.
    func key(at index: Int) -> RecordKey { RecordKey(columns.collection, in: feed, columns.id(at: index)) }

    /// The records, each made from its key and its fields.
    func map<Record>(_ make: (RecordKey, StoredRecord) -> Record) -> [Record] {
        indexes.map { make(key(at: $0), columns.record(at: $0)) }
    }
}
