import KithModel

/// Which feeds of an account a round looks up, as SQL.
struct FeedSelection {
    /// A query with some of the feeds.
    struct Part {
        /// The columns, as ``SelectedFeed`` reads them.
        var columns: String
        /// The tables and conditions.
        var rest: String
        var values: [SQLValue]
    }

    /// The maximum difference of two revisions for which the feeds that have changed between them are looked up first,
    /// and then whether the account can read them. Beyond it, the account's feeds are looked up first.
    ///
    /// The first way costs what has changed on the whole server, the second way the number of the account's feeds.
    static let walk: Int64 = 128

    /// The number of columns.
    static let width = FeedRow.columns.count + 2

    /// The queries that have the feeds together.
    let parts: [Part]

    /// All feeds that `account` can read.
    init(allOf account: AccountID) {
        parts = [
            Part(
                columns: "\(FeedRow.selection), access.revision, NULL",
                rest: "FROM access CROSS JOIN feed WHERE access.account = ? AND feed.id = access.feed",
                values: [.id(account)])
        ]
    }

    /// Those of them of which something has changed after a revision, or which were granted after it. There are none if
    /// the database has not reached that revision.
    init(changedAfter revision: Revision, for account: AccountID) {
        let known = SQLValue.revision(revision)
        let columns = """
            \(FeedRow.selection), access.revision,
            CASE WHEN access.revision > ? OR feed.horizon_revision > ? THEN NULL
                ELSE (\(Self.lastSequence(of: "feed.id", until: "?"))) END
            """
        let distance = "\(Revision.current) - ?"
        // One of the first conditions compares with null. Its part then reads no row.
        parts = [
            Part(
                columns: columns,
                rest: """
                    FROM feed CROSS JOIN access
                    WHERE feed.revision > CASE WHEN \(distance) <= \(Self.walk) THEN ? END
                        AND access.account = ? AND access.feed = feed.id
                    """,
                values: [known, known, known, known, known, .id(account)]),
            Part(
                columns: columns,
                rest: """
                    FROM access CROSS JOIN feed
                    WHERE access.account = CASE WHEN \(distance) > \(Self.walk) THEN ? END
                        AND feed.id = access.feed AND feed.revision > ?
                    """,
                values: [known, known, known, known, .id(account), known]),
        ]
    }

    /// The newest sequence in a feed that is not later than a revision. The records are read from the newest on, so this
    /// costs what has changed since then.
    static func lastSequence(of feed: String, until revision: String) -> String {
        """
        SELECT record.sequence FROM record WHERE record.feed = \(feed) AND record.revision <= \(revision)
        ORDER BY record.sequence DESC LIMIT 1
        """
    }

    /// The feeds, in a query of their own.
    func read(in transaction: any Transaction) throws -> [SelectedFeed] {
        try parts.flatMap { part in
            try transaction.query("SELECT \(part.columns) \(part.rest)", part.values).map(SelectedFeed.init)
        }
    }
}
