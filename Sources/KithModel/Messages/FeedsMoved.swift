/// An event of `GET /v1/live`: these feeds have moved.
package struct FeedsMoved: Hashable, Sendable, Codable {
    /// The feeds that have something new to read.
    package var feeds: [FeedID]

    /// The event that these feeds have moved.
    package init(feeds: [FeedID]) {
        self.feeds = feeds
    }
}
