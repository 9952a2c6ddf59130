/// The part of an answer about one feed: the changes after the token, or a page of live records.
package struct FeedChanges: Hashable, Sendable, Codable {
    /// The feed.
    package var feed: FeedID
    /// The changes after the token, oldest first.
    package var changes: [RecordChange]
    /// Live records ordered by id, while the feed is read from its beginning.
    package var page: RecordPage?
    /// Whether this reaches the feed's end. Only then is `digest` present.
    package var isComplete: Bool
    /// The digest of all live records of the feed.
    package var digest: FeedDigest?

    /// Creates the news of `feed`.
    package init(
        feed: FeedID, changes: [RecordChange], page: RecordPage? = nil, isComplete: Bool, digest: FeedDigest? = nil
    ) {
        self.feed = feed
        self.changes = changes
        self.page = page
        self.isComplete = isComplete
        self.digest = digest
    }
}
