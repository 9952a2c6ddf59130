import KithModel

/// The number of a commit that has changed feeds, or who can read them.
///
/// In a database with one writer, a later commit has a higher number. It raises the number by the feeds that it has
/// changed, so the difference of two revisions is at least the number of feeds that have changed between them.
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

    /// A subquery with the revision of the snapshot.
    static let current = "(SELECT number FROM revision WHERE name = 'feeds')"

    /// The revision of this transaction, which changes this number of feeds.
    ///
    /// With one writer, the order of revisions is the order of the commits, and a snapshot that has a revision has all
    /// earlier ones. With several, it is the number of the transaction: a common counter would make each writer wait
    /// for the commit of another. The order of these numbers is not that of the commits, so ``TokenForm/revisions`` is
    /// not for such a database.
    static func next(changing feeds: Int, in transaction: any Transaction) throws -> Revision {
        let rows =
            if let number = transaction.dialect.transactionNumber {
                try transaction.query(number)
            } else {
                try transaction.query(
                    "UPDATE revision SET number = number + ? WHERE name = 'feeds' RETURNING number",
                    [.integer(Int64(feeds))])
            }
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
