import KithModel

/// New records of a page that were written together, without a check for existing ones.
struct InsertedRecords {
    /// The page's records of one collection.
    let columns: RecordPage.Columns
    /// The rows that were written.
    let indexes: [Int]
    /// The keys of these rows.
    let keys: [RecordKey]

    var collection: RecordCollection { columns.collection }

    /// The latest change of any of the records.
    var modified: Timestamp? { indexes.lazy.map { columns.modified[$0] }.max() }

    /// The records, each made from its key and its fields.
    func map<Record>(_ make: (RecordKey, StoredRecord) -> Record) -> [Record] {
        zip(indexes, keys).map { make($1, columns.record(at: $0)) }
    }
}
