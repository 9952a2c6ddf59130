import KithModel

/// Which feeds of an account a round looks up, as SQL.
struct FeedSelection {
    /// A query with some of the feeds. It is the same for all accounts, so that it is written and prepared once.
    struct Query: Hashable {
        /// The columns, as ``SelectedFeed`` reads them.
        let columns: String
        /// The tables and conditions.
        let rest: String
    }

    /// The maximum difference of two revisions for which a round first looks up the feeds that have changed between them,
    /// and then whether the account can read them. It does so only if the account has more feeds than that difference.
    /// Otherwise it first looks up the account's feeds.
    ///
    /// The time of the first way grows with the changes on the whole server, that of the second with the account's feeds.
    static let nearbyRevisions: Int64 = 128

    /// The number of the newest changes of a feed among which the query looks for the last one that a replica has read. If it
    /// is older, ``FeedNews`` searches for it. It is more than a push of ``Limits/mutations`` items.
    static let lookBack: Int64 = 1_024

    /// The number of columns.
    static let width = FeedRow.columns.count + 2

    /// Whether these are all feeds, or only those that have changed.
    let isWhole: Bool
    /// The values of each query.
    private let values: [[SQLValue]]

    /// All feeds that `account` can read.
    init(allOf account: AccountID) {
        isWhole = true
        values = [[.id(account)]]
    }

    /// The feeds that have changed, or were granted, after `revision`; none if the database has not reached it.
    init(changedAfter revision: Revision, for account: AccountID) {
        let known = SQLValue.revision(revision)
        isWhole = false
        let (ofColumns, ofChoice) = ([known, known, known, known], [known, .id(account), known])
        values = [
            ofColumns + ofChoice + [known, .id(account)],
            ofColumns + ofChoice + [.id(account), known],
        ]
    }

    /// The queries that have the feeds together.
    var queries: [Query] { Self.queries(isWhole: isWhole) }

    /// The values of all queries, one after another.
    var allValues: [SQLValue] { values.flatMap(\.self) }

    /// The feeds, in queries of their own.
    func read(in transaction: any Transaction) throws -> [SelectedFeed] {
        try zip(queries, values).flatMap { query, values in
            try transaction.query("SELECT \(query.columns) \(query.rest)", values).map(SelectedFeed.init)
        }
    }

    // MARK: SQL

    static func queries(isWhole: Bool) -> [Query] { isWhole ? all : changed }

    private static let all = [
        Query(
            columns: "\(FeedRow.selection), access.revision, NULL",
            rest: "FROM access CROSS JOIN feed WHERE access.account = ? AND feed.id = access.feed")
    ]

    private static let changed: [Query] = {
        let columns = """
            \(FeedRow.selection), access.revision,
            CASE WHEN access.revision > ? OR feed.horizon_revision > ? THEN NULL
                ELSE (\(lastSequence(of: "feed.id", endingAt: "feed.sequence", until: "?"))) END
            """
        // Whether the difference of the revisions is small, and smaller than the number of the account's feeds. They are
        // counted in an index, up to the difference.
        let distance = "\(Revision.current) - ?"
        let areFew = """
            \(distance) <= \(nearbyRevisions)
                AND EXISTS (SELECT 1 FROM access WHERE account = ? LIMIT 1 OFFSET \(distance))
            """
        // One of the first conditions compares with null. Its query then reads no row.
        return [
            Query(
                columns: columns,
                rest: """
                    FROM feed CROSS JOIN access
                    WHERE feed.revision > CASE WHEN \(areFew) THEN ? END
                        AND access.account = ? AND access.feed = feed.id
                    """),
            Query(
                columns: columns,
                rest: """
                    FROM access CROSS JOIN feed
                    WHERE access.account = CASE WHEN NOT (\(areFew)) THEN ? END
                        AND feed.id = access.feed AND feed.revision > ?
                    """),
        ]
    }()

    /// The newest sequence in a feed that is not later than a revision, if it is one of the last ``lookBack``; else null.
    /// Records and tombstones are read from the newest on, so this costs what has changed since then. `end` is the sequence
    /// of the feed. It is in the text four times, and `revision` twice.
    static func lastSequence(of feed: String, endingAt end: String, until revision: String) -> String {
        """
        SELECT record.sequence FROM record
        WHERE record.feed = \(feed) AND record.sequence BETWEEN \(end) - \(lookBack - 1) AND \(end)
            AND record.revision <= \(revision)
        UNION ALL SELECT tombstone.sequence FROM tombstone
        WHERE tombstone.feed = \(feed) AND tombstone.sequence BETWEEN \(end) - \(lookBack - 1) AND \(end)
            AND tombstone.revision <= \(revision)
        ORDER BY sequence DESC LIMIT 1
        """
    }

    /// The newest record or tombstone in a feed up to a sequence.
    static let newestChange = """
        SELECT sequence, revision FROM record WHERE feed = ? AND sequence <= ?
        UNION ALL SELECT sequence, revision FROM tombstone WHERE feed = ? AND sequence <= ?
        ORDER BY sequence DESC LIMIT 1
        """
}
