/// The number in the table `revision` to which a database with several writers adds the number of a transaction.
///
/// The sum is the revision of what the transaction commits. The base is higher than every revision that was stored before
/// the numbers of transactions began: those of a copy from SQLite, and those of a dump that was restored elsewhere.
enum RevisionBase {
    /// The tables with revisions.
    private static let tables = ["feed", "record", "tombstone", "access", "lost_access"]

    /// Raises the base if feeds have a higher revision than this transaction. A database that was not restored stays as
    /// it is, which costs one look at an index.
    static func raise(in transaction: any Transaction) throws {
        guard let number = transaction.dialect.transactionNumber else { return }
        let isTooLow = """
            SELECT 1 FROM revision
            WHERE name = 'feeds' AND number + \(number) <= (SELECT COALESCE(MAX(revision), 0) FROM feed)
            """
        guard try transaction.exists(isTooLow) else { return }
        let newest = try tables.map { table in
            try transaction.query("SELECT COALESCE(MAX(revision), 0) FROM \(table)").first?.integer(0) ?? 0
        }
        try transaction.execute(
            "UPDATE revision SET number = ? WHERE name = 'feeds'", [.integer(newest.max() ?? 0)])
    }
}
