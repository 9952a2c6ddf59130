/// An event of `GET /v1/live`: these feeds have changes.
package struct FeedsMoved: Hashable, Sendable, Codable {
    /// The feeds with changes to read.
    package var feeds: [FeedID]

    /// Creates an event for these feeds.
    package init(feeds: [FeedID]) {
        self.feeds = feeds
    }
}
