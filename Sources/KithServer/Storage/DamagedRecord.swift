import KithModel

/// A stored value that no program has written: the database is damaged, although it can read the row.
///
/// It does not quote the value, which can be what somebody has written, and names the row by the ids in its key.
struct DamagedRecord: DatabaseFailure, Hashable, CustomStringConvertible {
    /// The feed of the record; nil if it is unknown.
    var feed: FeedID?
    /// The record; nil if it is unknown.
    var record: RecordID<Never>?
    /// The table of the row, if it is not that of the records.
    var table: String?
    /// The key of the row in that table, as it is stored.
    var key: [SQLValue] = []

    var kind: DatabaseFailureKind { .damagedRecord }

    var description: String {
        let ids = [feed.map { "feed \($0)" }, record.map { "record \($0)" }, table.map { "table \($0)" }]
        let names = ids.compactMap(\.self) + key.compactMap(\.idText).map { "id \($0)" }
        return "A stored record cannot be read" + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
    }

    /// The error for the caller.
    var serverError: ServerError {
        ServerError(
            .busy,
            "A stored record is damaged. Nothing was changed; whoever runs the server has to restore a backup.",
            retryAfter: .seconds(60), cause: self)
    }
}

extension DamagedRecord {
    /// The record in a row whose first columns are the ids of the feed and the record.
    init(_ row: SQLRow) {
        self.init(feed: try? row.id(0), record: try? row.id(1))
    }

    /// Runs `read`. If it finds a damaged value, the error names `record`.
    static func naming<Value>(_ record: @autoclosure () -> DamagedRecord, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as ServerError where error.cause is DamagedRecord {
            throw record().serverError
        }
    }
}
