package import KithModel

/// What a poll reads in one snapshot.
package struct NodePoll: Sendable {
    /// The nodes.
    package let rows: [NodeRow]
    /// What is new since the last poll.
    package let found: HighWaterMark.Found

    /// Reads the marks, the nodes, and what is new: one row, a row for each node, and an entry of the index
    /// `feed_revision` for each feed that has changed.
    package init(_ question: HighWaterMark.Question, in transaction: any Transaction) throws {
        var marks: [String: Int64] = [:]
        for row in try transaction.query("SELECT name, number FROM revision") {
            marks[try row.text(0)] = try row.integer(1)
        }
        let mark = HighWaterMark.Mark(Revision(marks["feeds"] ?? 0), number: marks["signals"] ?? 0)
        rows = try NodeRow.all(in: transaction)
        guard let after = question.after else {
            found = HighWaterMark.Found(mark, feeds: [], notices: [], stored: 0)
            return
        }
        let log = try NoticeLog.read(after: after.number, upTo: mark.number, in: transaction)
        found = HighWaterMark.Found(
            mark, feeds: try Self.feeds(after: after.revision, in: transaction), notices: log.notices,
            stored: log.stored)
    }

    /// The feeds with later revisions; nil if they are more than ``HighWaterMark/feeds``.
    package static func feeds(after revision: Revision, in transaction: any Transaction) throws -> Set<FeedID>? {
        let most = Int64(HighWaterMark.feeds)
        let rows = try transaction.query(
            "SELECT id FROM feed WHERE revision > ? ORDER BY revision LIMIT ?",
            [.revision(revision), .integer(most + 1)])
        return rows.count > most ? nil : Set(try rows.map { try $0.id(0) })
    }
}
