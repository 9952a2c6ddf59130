import Foundation
import KithModel

/// Deletes the live records of lists that were deleted, soon after that.
///
/// Nobody can read a deleted list, and it is never opened again. Devices learn of the deletion because they have lost the
/// access, also years later. An edit of the list is refused without looking at its records. The row of the feed stays, so
/// that its id is not used again, and tombstones, which have no content, stay as long as those of other lists.
enum ClosedLists {
    /// The number of records that one transaction deletes.
    private static let step: Int64 = 1_000

    /// Finds lists that still have records. Every list fulfils the condition for the time, which makes SQLite search the
    /// index `feed_closed`. The time is not compared with the clock, which may be behind that of another node.
    private static let lists =
        "SELECT id FROM feed WHERE closed = 1 AND live > 0 AND written_at >= 0 AND kind = 'list'"

    /// Deletes the next records, of at most 100 lists.
    ///
    /// Accounts are left out: ``ProfileFanout`` deletes their records, and changes them until then. Only one node at a time
    /// deletes, so that two do not wait for each other.
    ///
    /// - Parameters:
    ///   - step: The maximum number of records.
    ///   - transaction: The transaction that deletes them.
    /// - Returns: The number of deleted records. If it is 0, none are left.
    /// - Throws: ``ServerError`` if the database fails.
    static func clear(_ step: Int64, in transaction: any Transaction) throws -> Int {
        try transaction.lockName(Data("closedLists".utf8))
        let closed = try transaction.query("\(lists) ORDER BY written_at, id LIMIT 100")
        let records = try transaction.query(
            wanted: ["feed"], closed.map(\.values),
            "SELECT record.feed, record.id FROM wanted CROSS JOIN record WHERE record.feed = wanted.feed LIMIT ?",
            [.integer(step)])
        try transaction.delete(from: "record", ["feed", "id"], records.map(\.values))
        if records.count < step {
            try FeedRow.change(Set(closed.map { try $0.id(0) }), in: transaction) { $0.empty() }
        }
        return records.count
    }

    /// Deletes the records of all deleted lists. Other writes can run between two transactions.
    static func clearAll(in database: any Database) async throws {
        // This check needs no commit.
        while !Task.isCancelled, try await database.read({ try isWaiting(in: $0) }) {
            _ = try await database.write { try clear(step, in: $0) }
        }
    }

    private static func isWaiting(in transaction: any Transaction) throws -> Bool {
        try transaction.exists("\(lists) LIMIT 1")
    }
}

extension Signals.Topic {
    /// Deleted lists: work for ``ClosedLists``.
    package static let closedLists = Self("closedLists")
}
