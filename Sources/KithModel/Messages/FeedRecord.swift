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
}
