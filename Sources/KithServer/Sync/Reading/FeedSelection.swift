import KithModel

/// Which feeds of an account a round looks up, as SQL.
struct FeedSelection {
    /// How the feeds that have changed after a revision are found.
    enum Way: Int64 {
        /// First what has changed, then whether the account can read it.
        case fromChanges = 1
        /// First what the account can read, then whether it has changed.
        case fromAccess = 2
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

    private let query: String
    private let values: [SQLValue]

    /// All feeds that `account` can read.
    init(allOf account: AccountID) {
        query = Self.all
        values = [.id(account)]
    }

    /// The feeds that have changed, or were granted, after `revision`; none if the database has not reached it.
    init(changedAfter revision: Revision, for account: AccountID, _ way: Way) {
        let known = SQLValue.revision(revision)
        let ofColumns = [known, known, known, known]
        switch way {
        case .fromChanges: (query, values) = (Self.fromChanges, ofColumns + [known, .id(account)])
        case .fromAccess: (query, values) = (Self.fromAccess, ofColumns + [.id(account), known])
        }
    }

    func read(in transaction: any Transaction) throws -> [SelectedFeed] {
        try transaction.query(query, values).map(SelectedFeed.init)
    }

    // MARK: SQL

    /// The columns of all feeds, as ``SelectedFeed`` reads them.
    static let columnsOfAll = "\(FeedRow.selection), access.revision, NULL"
    /// The tables of all feeds, and their condition.
    static let tablesOfAll = "FROM access CROSS JOIN feed WHERE access.account = ? AND feed.id = access.feed"

    // Each is the same for all accounts, so that it is written and prepared once.
    private static let all = "SELECT \(columnsOfAll) \(tablesOfAll)"

    private static let columnsOfChanged = """
        \(FeedRow.selection), access.revision,
        CASE WHEN access.revision > ? OR feed.horizon_revision > ? THEN NULL
            ELSE (\(lastSequence(of: "feed.id", endingAt: "feed.sequence", until: "?"))) END
        """

    private static let fromChanges = """
        SELECT \(columnsOfChanged) FROM feed CROSS JOIN access
        WHERE feed.revision > ? AND access.account = ? AND access.feed = feed.id
        """

    private static let fromAccess = """
        SELECT \(columnsOfChanged) FROM access CROSS JOIN feed
        WHERE access.account = ? AND feed.id = access.feed AND feed.revision > ?
        """

    /// A column of a query of the table `account`: the ``Way`` to find the feeds that have changed, or were granted, after a
    /// revision; null if there are none. Those whose newest change is of the revision `own` do not count.
    ///
    /// It is ``Way/fromChanges`` if the difference of the revisions is small, and smaller than the number of the account's
    /// feeds. They are counted in an index, up to the difference.
    static let way: String = {
        let distance = "\(Revision.current) - ?"
        let isNews = "feed.revision > ? AND feed.revision <> ?"
        return """
            CASE WHEN \(distance) <= \(nearbyRevisions)
                AND EXISTS (SELECT 1 FROM access WHERE access.account = account.id LIMIT 1 OFFSET \(distance))
            THEN CASE WHEN EXISTS (
                SELECT 1 FROM feed CROSS JOIN access
                WHERE \(isNews) AND access.account = account.id AND access.feed = feed.id
            ) THEN \(Way.fromChanges.rawValue) END
            WHEN EXISTS (
                SELECT 1 FROM access CROSS JOIN feed
                WHERE access.account = account.id AND feed.id = access.feed AND \(isNews)
            ) THEN \(Way.fromAccess.rawValue) END
            """
    }()

    /// The parameters of ``way``.
    static func valuesOfWay(after revision: Revision, except own: Revision) -> [SQLValue] {
        let (known, own) = (SQLValue.revision(revision), SQLValue.revision(own))
        return [known, known, known, own, known, own]
    }

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
