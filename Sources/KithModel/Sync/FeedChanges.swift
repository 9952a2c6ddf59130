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

    // MARK: JSON

    /// Reads the news of a feed.
    init(_ reader: inout JSONReader) throws {
        var (feed, changes): (FeedID?, [RecordChange]?)
        var (page, isComplete, digest): (RecordPage?, Bool?, FeedDigest?)
        try reader.object { reader, name in
            switch name {
            case "feed": try reader.once(&feed) { try $0.id() }
            case "changes": try reader.once(&changes) { try $0.all { try RecordChange(&$0) } }
            case "page": try reader.once(&page) { try RecordPage(&$0) }
            case "isComplete": try reader.once(&isComplete) { try $0.flag() }
            case "digest": try reader.once(&digest) { try FeedDigest($0.text()).orRefuse() }
            default: try reader.skip()
            }
        }
        self.init(
            feed: try feed.orRefuse(), changes: try changes.orRefuse(), page: page,
            isComplete: try isComplete.orRefuse(), digest: digest)
    }

    /// Writes the news of a feed, in an answer that has already `written` some changes.
    func write(to json: inout JSONWriter, after written: WrittenChanges) {
        json.object { json in
            json.member("feed") { $0.id(feed) }
            json.member("changes") { $0.array(changes) { written.write($1, to: &$0) } }
            if let page { json.member("page") { page.write(to: &$0) } }
            json.member("isComplete") { $0.flag(isComplete) }
            if let digest { json.member("digest") { $0.text(digest.description) } }
        }
    }
}
