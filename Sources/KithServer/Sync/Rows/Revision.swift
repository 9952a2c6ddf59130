import KithModel

/// The number of a commit that has changed feeds, or who can read them.
///
/// In a database with one writer, a later commit has a higher number. It raises the number by the feeds that it has
/// changed, so the difference of two revisions is at least the number of feeds that have changed between them. With
/// several writers, as in PostgreSQL, it is the sum of a base and the number of the transaction: a common counter would
/// make each writer wait for the commit of another. The order of these sums is not that of the commits.
///
/// The table `revision` has the counter, or the base. A copy from SQLite keeps its counter as the base, so all later
/// revisions are higher. See ``RevisionBase``.
package struct Revision: Hashable, Sendable, Comparable {
    package let number: Int64

    package init(_ number: Int64) {
        self.number = number
    }

    /// Before the first commit.
    package static let zero = Revision(0)
    /// The revision of everything that was stored before there were revisions, and of the feed of a new account. No
    /// token has an earlier one.
    package static let first = Revision(1)

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The revision before this one.
    var previous: Revision { Revision(max(0, number - 1)) }

    /// A subquery with the number in the table: the counter, which is the revision of the snapshot, or the base. A token
    /// of ``TokenForm/revisions`` is readable if its revision is not higher.
    static let current = "(SELECT number FROM revision WHERE name = 'feeds')"

    /// The revision of this transaction, which changes this number of feeds.
    ///
    /// With one writer, the row stays locked until the transaction ends, so a snapshot that has a revision has all
    /// earlier ones. With several, it is not locked, so ``TokenForm/revisions`` is not for such a database.
    static func next(changing feeds: Int, in transaction: any Transaction) throws -> Revision {
        if let next = try askNext(in: transaction) { return try next.value() }
        // SQLite collects the rows of RETURNING in a temporary table, which takes several times as long as a second
        // statement.
        try transaction.execute(
            "UPDATE revision SET number = number + ? WHERE name = 'feeds'", [.integer(Int64(feeds))])
        return try only(transaction.query("SELECT number FROM revision WHERE name = 'feeds'"))
    }

    /// Asks for the revision of this transaction before it is known how many feeds change; nil in a database with one
    /// writer, where that decides.
    static func askNext(in transaction: any Transaction) throws -> Pending<Revision>? {
        guard let number = transaction.dialect.transactionNumber else { return nil }
        return try transaction.ask("SELECT number + \(number) FROM revision WHERE name = 'feeds'", []).map(only)
    }

    /// The highest revision up to which every commit has ended, so that no later snapshot has another one up to it.
    static func settled(in transaction: any Transaction) throws -> Revision {
        let number = transaction.dialect.endedTransactions.map { "number + \($0)" } ?? "number"
        return try only(transaction.query("SELECT \(number) FROM revision WHERE name = 'feeds'"))
    }

    /// The highest revision of a feed.
    static func newest(in transaction: any Transaction) throws -> Revision {
        try only(transaction.query("SELECT COALESCE(MAX(revision), 0) FROM feed"))
    }

    private static func only(_ rows: [SQLRow]) throws -> Revision {
        guard let row = rows.first else { throw ServerError(.internalError, "The database has no revision.") }
        return try row.revision(0)
    }
}

extension SQLRow {
    /// The revision in a column.
    func revision(_ column: Int) throws -> Revision { Revision(try integer(column)) }
}

extension SQLValue {
    /// A revision.
    static func revision(_ revision: Revision) -> SQLValue { .integer(revision.number) }
}
