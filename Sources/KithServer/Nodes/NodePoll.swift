package import KithModel

/// What a poll reads in one snapshot.
package struct NodePoll: Sendable {
    /// The time of the database.
    package let time: Timestamp
    /// The nodes.
    package let rows: [NodeRow]
    /// What is new since the last poll.
    package let found: HighWaterMark.Found

    /// Reads the marks, the nodes, and what is new: three rows, a row for each node, and a feed for each entry of the
    /// index `feed_revision` after the last mark.
    package init(_ question: HighWaterMark.Question, in transaction: any Transaction) throws {
        // It is sent with the first question.
        let time = try transaction.ask("SELECT \(transaction.dialect.time)", [])
        let mark = HighWaterMark.Mark(
            try Self.revision(after: question.after?.revision, in: transaction),
            number: try NoticeLog.last(in: transaction))
        guard let row = try time.value().first else {
            throw ServerError(.internalError, "The database does not tell its time.")
        }
        self.time = try row.time(0)
        rows = try NodeRow.all(in: transaction)
        let feeds = try Self.feeds(after: question.after?.revision ?? mark.revision, in: transaction)
        guard let after = question.after else {
            found = HighWaterMark.Found(mark, feeds: feeds, notices: [], stored: 0)
            return
        }
        let log = try NoticeLog.read(after: after.number, upTo: mark.number, in: transaction)
        found = HighWaterMark.Found(mark, feeds: feeds, notices: log.notices, stored: log.stored)
    }

    /// The revision up to which the poll has seen everything; `last` is that of the last poll. It is lower only if the
    /// database is behind.
    ///
    /// PostgreSQL can crash and give the number of a transaction again that has left nothing on the disk. The newest
    /// feed is on the disk, and no number up to its revision is given again.
    private static func revision(after last: Revision?, in transaction: any Transaction) throws -> Revision {
        let settled = try Revision.settled(in: transaction)
        let safe = min(settled, try Revision.newest(in: transaction))
        guard let last, last <= settled else { return safe }
        // The newest feed may have been deleted, or moved again by an older transaction.
        return max(last, safe)
    }

    /// The feeds with later revisions, and these; nil if they are more than ``HighWaterMark/feeds``.
    package static func feeds(
        after revision: Revision, in transaction: any Transaction
    ) throws -> [FeedID: Revision]? {
        let most = Int64(HighWaterMark.feeds)
        let rows = try transaction.query(
            "SELECT id, revision FROM feed WHERE revision > ? ORDER BY revision LIMIT ?",
            [.revision(revision), .integer(most + 1)])
        guard rows.count <= most else { return nil }
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.id(0), try $0.revision(1)) })
    }
}
