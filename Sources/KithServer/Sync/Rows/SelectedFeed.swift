/// A feed that an account can read, as ``FeedSelection`` has found it, or as a push of the account has left it.
package struct SelectedFeed: Hashable, Sendable {
    let row: FeedRow
    /// When the account was last granted access, or a later revision up to which the feed has changed.
    let granted: Revision
    /// The newest sequence that a replica has read, if these are the feeds that have changed since its revision. Nil if it
    /// is not one of the last ``FeedSelection/lookBack``, if the replica does not know the feed, or if all feeds are
    /// selected.
    let last: Int64?

    /// The feed as `row`, for a replica that has read it up to the state `old`.
    init(_ row: FeedRow, after old: FeedRow) {
        self.row = row
        // A grant changes the revision of the feed.
        granted = old.revision
        last = old.sequence
    }

    /// Reads a row of the columns of ``FeedSelection``.
    init(_ row: SQLRow) throws {
        self.row = try FeedRow(row)
        granted = try row.revision(FeedRow.columns.count)
        last = row.isNull(FeedRow.columns.count + 1) ? nil : try row.integer(FeedRow.columns.count + 1)
    }
}
