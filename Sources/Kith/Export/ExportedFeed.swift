import KithModel

/// A file in `records/` of an archive: the records of one feed, by collection.
struct ExportedFeed: Encodable, Sendable {
    struct Record: Encodable, Sendable {
        let id: RecordID<Never>
        let modified: Timestamp
        /// Whether the server has the record.
        let isSent: Bool
        let fields: Fields
    }

    /// The list; nil for the account's own feed.
    let feed: FeedID?
    var records: [String: [Record]] = [:]

    init(feed: FeedID?) { self.feed = feed }

    var count: Int { records.values.reduce(0) { $0 + $1.count } }
}
