package import KithModel

/// How far a replica has read each feed, by a position for each: the content of a ``SyncToken`` of the form
/// ``TokenForm/positions``.
///
/// A device sends it back with its next request and never looks inside. A token that cannot be read counts as no token,
/// so the format may change.
package struct FeedPositions: Hashable, Sendable {
    /// How far one feed has been read.
    package enum Position: Hashable, Sendable {
        /// Read up to this sequence; the changes after it follow.
        case changes(after: Int64)
        /// Read in pages up to this id. The feed was at the sequence `since` when the pages began.
        case pages(after: RecordID<Never>, since: Int64)
        /// The replica has records of the feed, and has to read it from the beginning.
        case reread
    }

    /// The epoch in which the sequences are valid.
    package var epoch: String
    package var feeds: [FeedID: Position]
    /// Whether the answer that brought these positions was incomplete, so that the next answer continues it.
    package var isContinued: Bool

    package init(epoch: String, feeds: [FeedID: Position] = [:], isContinued: Bool = false) {
        self.epoch = epoch
        self.feeds = feeds
        self.isContinued = isContinued
    }
}

extension FeedPositions {
    /// The token: sixteen bytes and a few more for each feed, in Base64url.
    package var token: SyncToken {
        var bytes = TokenBytes()
        bytes.append(byte: isContinued ? TokenForm.Version.continuedPositions : TokenForm.Version.positions)
        bytes.append(text: epoch)
        for (feed, position) in feeds.sorted(by: { $0.key < $1.key }) {
            bytes.append(id: feed.uuid)
            bytes.append(position)
        }
        return bytes.token
    }

    /// Reads `token`; nil if it cannot be read, or has another form.
    package init?(_ token: SyncToken) {
        guard let bytes = TokenBytes(token) else { return nil }
        self.init(bytes)
    }

    /// Reads the bytes of a token.
    init?(_ bytes: TokenBytes) {
        var bytes = bytes
        guard let version = bytes.byte(),
            version == TokenForm.Version.positions || version == TokenForm.Version.continuedPositions,
            let epoch = bytes.text()
        else { return nil }
        self.init(epoch: epoch, isContinued: version == TokenForm.Version.continuedPositions)
        guard let feeds = bytes.positions() else { return nil }
        self.feeds = feeds
    }
}

extension TokenBytes {
    mutating func append(_ position: FeedPositions.Position) {
        switch position {
        case .changes(let after):
            append(byte: 0)
            append(number: after)
        case .pages(let after, let since):
            append(byte: 1)
            append(id: after.uuid)
            append(number: since)
        case .reread:
            append(byte: 2)
        }
    }

    /// The rest: feeds with their positions.
    mutating func positions() -> [FeedID: FeedPositions.Position]? {
        var positions: [FeedID: FeedPositions.Position] = [:]
        while !isEmpty {
            guard let feed = id(), let position = position() else { return nil }
            positions[RecordID(feed)] = position
        }
        return positions
    }

    private mutating func position() -> FeedPositions.Position? {
        switch byte() {
        case 0: number().map { .changes(after: $0) }
        case 1: id().flatMap { after in number().map { .pages(after: RecordID(after), since: $0) } }
        case 2: .reread
        default: nil
        }
    }
}
