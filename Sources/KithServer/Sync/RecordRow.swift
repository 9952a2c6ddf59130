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

    /// Inserts or updates records. They change in `revision`.
    static func write(
        _ records: [(RecordPlace, RecordRow)], at revision: Revision, in transaction: any Transaction
    ) throws {
        try transaction.insert(
            into: "record",
            ["feed", "id", "collection", "sequence", "modified", "fields", "stamps", "deleted", "revision"],
            records.map { place, record in
                [
                    .id(place.feed), .id(place.record), .text(record.collection.rawValue),
                    .integer(record.state.sequence), .time(record.state.modified),
                    .text(record.text), .text(StoredText.text(record.state.stamps)),
                    .flag(record.state.isDeleted), .revision(revision),
                ]
            }, replacing: ["feed", "id"])
    }

    /// The records at `places` with their stamps, which merging needs.
    package static func read(
        _ places: Set<RecordPlace>, in transaction: any Transaction
    ) throws -> [RecordPlace: RecordRow] {
        let rows = try transaction.query(
            wanted: ["feed", "id"], places.sorted().map { [.id($0.feed), .id($0.record)] },
            """
            SELECT record.feed, record.id, collection, sequence, modified, fields, stamps, deleted
            FROM wanted CROSS JOIN record WHERE record.feed = wanted.feed AND record.id = wanted.id
            """)
        var records: [RecordPlace: RecordRow] = [:]
        for row in rows {
            let text = try row.text(5)
            records[RecordPlace(try row.id(0), try row.id(1))] = RecordRow(
                collection: RecordCollection(rawValue: try row.text(2)),
                state: RecordState(
                    fields: try StoredText.fields(text), stamps: try StoredText.stamps(try row.text(6)),
                    sequence: try row.integer(3), modified: try row.time(4), isDeleted: try row.flag(7)),
                text: text)
        }
        return records
    }
}

extension RecordChange {
    /// The columns, as ``init(_:)`` reads them.
    static let columns = "record.feed, record.id, collection, record.sequence, modified, fields, deleted"

    /// The number of bytes of the fields in a row of ``columns``.
    static func bytes(_ row: SQLRow) throws -> Int { try row.text(5).utf8.count }

    /// Reads a row of ``columns``.
    init(_ row: SQLRow) throws {
        self.init(
            collection: RecordCollection(rawValue: try row.text(2)), id: try row.id(1), sequence: try row.integer(3),
            modified: try row.time(4), fields: try row.flag(6) ? nil : StoredText.fields(try row.text(5)))
    }
}
