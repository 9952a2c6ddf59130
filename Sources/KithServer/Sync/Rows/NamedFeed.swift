import Foundation
import KithModel

/// A feed that a request names, with the caller's role and the owner's storage.
struct NamedFeed {
    let row: FeedRow
    /// The role of the caller; nil without access.
    let role: Role?
    /// The owner of the feed; nil if nobody has access to it.
    let owner: AccountID?
    /// The owner's storage, in blocks of ``StorageUse``.
    let blocks: Int64

    /// Locks the feeds of `ids` that exist, and asks for them and for the `others`. `account` is the caller; nil for the
    /// server itself.
    ///
    /// Of the others, only their existence counts, which does not end. A client chooses their ids, so a lock would hold
    /// up the feeds of strangers.
    static func lock(
        _ ids: some Collection<FeedID>, and others: Set<FeedID>, for account: AccountID?,
        in transaction: any Transaction
    ) throws -> Pending<[NamedFeed]> {
        let rows: [[SQLValue]] = others.union(ids).sorted().map { [.id($0)] }
        // What is joined to a locked row can be older than the row, so the feeds are locked before they are read.
        try FeedRow.lockRows(ids, in: transaction)
        // The server itself has no role, and no account has an empty id. If PostgreSQL sees a comparison with null, it
        // also drops the comparison of the feeds, by which a sharded database joins.
        let caller: SQLValue = account.map { .id($0) } ?? .bytes(Data())
        return try transaction.ask(reading, rows, [caller]).map { try $0.map(NamedFeed.init) }
    }

    private static let reading = RowStatement(
        wanted: ["id"],
        """
        SELECT \(FeedRow.selection), mine.role, owner.account, storage.blocks
        FROM wanted CROSS JOIN feed
            LEFT JOIN access AS mine ON mine.account = ? AND mine.feed = feed.id
            LEFT JOIN access AS owner ON owner.feed = feed.id AND owner.role = 'owner'
            LEFT JOIN storage ON storage.account = owner.account
        WHERE feed.id = wanted.id
        """)

    private init(_ row: SQLRow) throws {
        let width = FeedRow.columns.count
        self.row = try FeedRow(row)
        role = try row.optionalText(width).flatMap { Role(rawValue: $0) }
        owner = try row.optionalID(width + 1)
        blocks = row.isNull(width + 2) ? 0 : try row.integer(width + 2)
    }
}
