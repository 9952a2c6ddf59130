/// A feed as ``FeedSelection`` has found it.
struct SelectedFeed {
    let row: FeedRow
    /// When the account was last granted access.
    let granted: Revision
    /// The newest sequence that a replica has read, if the selection is of what has changed since its revision. Nil if it
    /// is not one of the last ``FeedSelection/lookBack``, if the replica does not know the feed, or if all feeds are
    /// selected.
    let last: Int64?

    /// Reads a row of the columns of ``FeedSelection``.
    init(_ row: SQLRow) throws {
        self.row = try FeedRow(row)
        granted = try row.revision(FeedRow.columns.count)
        last = row.isNull(FeedRow.columns.count + 1) ? nil : try row.integer(FeedRow.columns.count + 1)
    }
}
