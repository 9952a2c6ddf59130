import KithModel

/// The stored notices, for the nodes that were not listening.
enum NoticeLog {
    /// Stores notices, and gives them their numbers.
    ///
    /// The row of the last number stays locked until the transaction ends, so the numbers are in the order of the
    /// commits.
    static func append(_ notices: inout [NodeNotice], at now: Timestamp, in transaction: any Transaction) throws {
        if notices.isEmpty { return }
        let rows = try transaction.query(
            "UPDATE revision SET number = number + ? WHERE name = 'signals' RETURNING number",
            [.integer(Int64(notices.count))])
        guard let last = try rows.first?.integer(0) else {
            throw ServerError(.internalError, "The database has no number of signals.")
        }
        for index in notices.indices { notices[index].number = last - Int64(notices.count - 1 - index) }
        try transaction.insert(
            into: "signal", ["number", "notice", "written_at"],
            notices.map { [.integer($0.number ?? 0), .text($0.text), .time(now)] })
    }

    /// The number of the last stored notice.
    static func last(in transaction: any Transaction) throws -> Int64 {
        try transaction.query("SELECT number FROM revision WHERE name = 'signals'").first?.integer(0) ?? 0
    }

    /// The notices with numbers from `after` to `last`, oldest first: at most ``HighWaterMark/notices``.
    static func read(
        after: Int64, upTo last: Int64, in transaction: any Transaction
    ) throws -> (notices: [NodeNotice], stored: Int) {
        let rows = try transaction.query(
            "SELECT notice FROM signal WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
            [.integer(after), .integer(last), .integer(Int64(HighWaterMark.notices))])
        return (try rows.compactMap { NodeNotice(try $0.text(0)) }, rows.count)
    }
}
