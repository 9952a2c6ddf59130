/// An event of `GET /v1/live`: these feeds have moved.
public struct FeedsMoved: Hashable, Sendable, Codable {
    /// The feeds that have something new to read.
    public var feeds: [FeedID]

    /// The event that these feeds have moved.
    public init(feeds: [FeedID]) {
        self.feeds = feeds
    }
}
