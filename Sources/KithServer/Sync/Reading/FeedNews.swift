import KithModel

/// The feeds that a round has to look at, and how far its replica has read each.
///
/// If the token says that everything was read to a revision, these are only the feeds that have changed since then.
/// Otherwise they are all feeds that the account can read.
struct FeedNews {
    /// A feed that the account can read.
    struct Feed {
        var row: FeedRow
        /// When the account was last granted access.
        var granted: Revision
        /// The position of the replica; nil if it has not read the feed.
        var position: FeedPositions.Position?
        /// The revision from which ``position`` was derived; nil if the token has the position itself.
        var revision: Revision?

        init(_ selected: SelectedFeed) { (row, granted) = (selected.row, selected.granted) }
    }

    private(set) var feeds: [Feed]
    /// The feeds that the replica may have, but the account can no longer read.
    private(set) var lost: [FeedID] = []
    /// All other feeds were read to each of these revisions: nothing changed in between.
    private(set) var others: ClosedRange<Revision>

    /// The news for a replica at `position`. `selected` is what ``AnswerHead/read(_:_:after:since:in:)`` has found: all feeds, or
    /// if `isPartial` those that have changed after the revision of a complete position.
    init(
        _ selected: [SelectedFeed], after position: ReadPosition?, for account: AccountID, isPartial: Bool,
        at head: AnswerHead, in transaction: any Transaction
    ) throws {
        feeds = selected.map(Feed.init)
        others = .zero...head.revision
        switch position {
        case .revisions(let position) where position.revision > head.revision:
            // This database has not reached that revision, so the replica reads everything again.
            feeds = try FeedSelection(allOf: account).read(in: transaction).map(Feed.init)
            lost = try Self.lost(by: account, after: .zero, in: transaction)
        case .revisions(let position):
            if isPartial && !position.isContinued {
                others = position.revision...head.revision
                for index in feeds.indices {
                    try feeds[index].locate(at: position.revision, last: selected[index].last, in: transaction)
                }
            } else {
                try locate(by: position, in: transaction)
            }
            if head.lastLoss > position.revision {
                lost = try Self.lost(by: account, after: position.revision, in: transaction)
            }
        case .positions(let positions):
            for index in feeds.indices { feeds[index].position = positions.feeds[feeds[index].row.id] }
            let readable = Set(feeds.map(\.row.id))
            lost = positions.feeds.keys.filter { !readable.contains($0) }.sorted()
        case nil: break
        }
    }

    /// The positions of the replica in those of the feeds that it has read.
    func positions(in epoch: String) -> FeedPositions {
        let positions = feeds.compactMap { feed in feed.position.map { (feed.row.id, $0) } }
        return FeedPositions(epoch: epoch, feeds: Dictionary(uniqueKeysWithValues: positions))
    }

    /// The token entries with which the next answer is the same, for each feed. This answer has brought the replica to
    /// `positions`.
    func fits(at positions: FeedPositions, in revision: Revision) -> [FeedID: RevisionPosition.Fit] {
        var fits: [FeedID: RevisionPosition.Fit] = [:]
        for feed in feeds {
            let row = feed.row
            fits[row.id] =
                switch positions.feeds[row.id] {
                case .changes(after: row.sequence):
                    .revisions(min(max(feed.granted, row.revision), revision)...revision)
                case nil, .reread: .revisions(.zero...max(feed.granted, row.horizonRevision).previous)
                case let position? where position == feed.position:
                    feed.revision.map { .revisions($0...$0) } ?? .position(position)
                case let position?: .position(position)
                }
        }
        return fits
    }
}

// MARK: - Looking up

extension FeedNews {
    /// The lists that the account has lost after a revision and has not got back.
    private static func lost(
        by account: AccountID, after revision: Revision, in transaction: any Transaction
    ) throws -> [FeedID] {
        try transaction.query(
            """
            SELECT feed FROM lost_access WHERE account = ? AND revision > ?
                AND feed NOT IN (SELECT feed FROM access WHERE account = ?)
            """, [.id(account), .revision(revision), .id(account)]
        ).map { try $0.id(0) as FeedID }.sorted()
    }

    /// Sets the positions of all feeds.
    private mutating func locate(by position: RevisionPosition, in transaction: any Transaction) throws {
        var changed: [[SQLValue]] = []
        for index in feeds.indices {
            let feed = feeds[index]
            if let known = position.positions[feed.row.id] {
                feeds[index].position = known
                continue
            }
            let known = position.revision(of: feed.row.id)
            if feed.isKnown(at: known) && feed.row.revision > known {
                changed.append(
                    [.integer(Int64(index)), .id(feed.row.id), .revision(known), .integer(feed.row.sequence)])
            } else {
                try feeds[index].locate(at: known, last: feed.row.sequence, in: transaction)
            }
        }
        let last = FeedSelection.lastSequence(
            of: "wanted.feed", endingAt: "wanted.newest", until: "wanted.revision")
        let rows = try transaction.query(
            wanted: ["number", "feed", "revision", "newest"], changed,
            "SELECT wanted.number, wanted.revision, (\(last)) FROM wanted")
        for row in rows {
            let last = row.isNull(2) ? nil : try row.integer(2)
            try feeds[Int(try row.integer(0))].locate(at: try row.revision(1), last: last, in: transaction)
        }
    }
}

extension FeedNews.Feed {
    /// Whether a replica that has read to `revision` has the records of the feed, and no purged tombstone is missing.
    fileprivate func isKnown(at revision: Revision) -> Bool {
        revision >= granted && revision >= row.horizonRevision
    }

    /// Sets the position of a replica that has read to `revision`, at which the newest record had the sequence `last`. If
    /// that is nil, it is searched for.
    ///
    /// Newer tombstones than that record may have been purged since, but the replica has read them.
    fileprivate mutating func locate(
        at revision: Revision, last: Int64?, in transaction: any Transaction
    ) throws {
        guard isKnown(at: revision) else { return }
        let last = try last ?? lastSequence(until: revision, in: transaction)
        position = .changes(after: max(last, row.horizon))
        self.revision = revision
    }

    /// The newest sequence whose revision is not later than `revision`; 0 if it is not after the horizon. The last
    /// ``FeedSelection/lookBack`` changes are all later.
    ///
    /// This is a binary search. In SQLite, a later sequence of a feed never has an earlier revision. In PostgreSQL, a token
    /// with a revision is older than every commit there.
    private func lastSequence(until revision: Revision, in transaction: any Transaction) throws -> Int64 {
        var last: Int64 = 0
        // Everything up to `read` is not later than the revision, and everything after `unread` is.
        var (read, unread) = (row.horizon, row.sequence - FeedSelection.lookBack)
        while read < unread {
            let middle = unread - (unread - read) / 2
            let newest = try transaction.query(
                FeedSelection.newestChange,
                [.id(row.id), .integer(middle), .id(row.id), .integer(middle)]
            ).first
            if let newest, try newest.revision(1) > revision {
                unread = try newest.integer(0) - 1
            } else {
                last = try newest?.integer(0) ?? 0
                read = middle
            }
        }
        return last
    }
}
