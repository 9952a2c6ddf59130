/// A record together with its feed.
package struct FeedRecord: Hashable, Sendable, Codable {
    /// The feed that contains the record.
    package var feed: FeedID
    /// The record's current state.
    package var change: RecordChange

    /// Creates a pair of feed and record.
    package init(feed: FeedID, change: RecordChange) {
        self.feed = feed
        self.change = change
    }

    // MARK: JSON

    /// Reads a record and its feed.
    init(_ reader: inout JSONReader) throws {
        var (feed, change): (FeedID?, RecordChange?)
        try reader.object { reader, name in
            switch name {
            case "feed": try reader.once(&feed) { try $0.id() }
            case "change": try reader.once(&change) { try RecordChange(&$0) }
            default: try reader.skip()
            }
        }
        self.init(feed: try feed.orRefuse(), change: try change.orRefuse())
    }

    /// Writes a record and its feed, and adds its change to those that were written.
    func write(to json: inout JSONWriter, adding written: inout WrittenChanges) {
        json.object { json in
            json.member("feed") { $0.id(feed) }
            json.member("change") { written.add(change, to: &$0) }
        }
    }
}
