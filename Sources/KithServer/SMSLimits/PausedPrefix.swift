package import KithModel

/// A prefix whose numbers get no SMS until the operator releases it: a row of the table `prefix_pause`.
package struct PausedPrefix: Hashable, Sendable {
    package let prefix: NumberPrefix
    package let since: Timestamp
    /// How many of the judged codes were entered.
    package let entered: Int
    /// The number of judged codes.
    package let judged: Int

    package init(prefix: NumberPrefix, since: Timestamp, entered: Int, judged: Int) {
        (self.prefix, self.since, self.entered, self.judged) = (prefix, since, entered, judged)
    }

    /// Stores the pause.
    package func insert(in transaction: any Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO prefix_pause (prefix, paused, entered, judged, is_told) VALUES (?, ?, ?, ?, 0)
            ON CONFLICT (prefix) DO UPDATE SET paused = excluded.paused, entered = excluded.entered,
                judged = excluded.judged, is_told = 0, released = NULL
            """,
            [.text(prefix.text), .time(since), .integer(Int64(entered)), .integer(Int64(judged))])
    }

    /// The paused prefixes, newest first; at most `limit`.
    package static func all(_ limit: Int, in transaction: any Transaction) throws -> [PausedPrefix] {
        try transaction.query(
            """
            SELECT prefix, paused, entered, judged FROM prefix_pause WHERE released IS NULL
            ORDER BY paused DESC, prefix LIMIT ?
            """, [.integer(Int64(limit))]
        ).compactMap { try PausedPrefix($0) }
    }

    /// Releases a prefix. After that, only later codes are judged.
    ///
    /// - Returns: Whether it was paused.
    package static func release(_ prefix: NumberPrefix, at now: Timestamp, in transaction: any Transaction) throws
        -> Bool
    {
        try transaction.changes(
            "UPDATE prefix_pause SET released = ? WHERE prefix = ? AND released IS NULL RETURNING prefix",
            [.time(now), .text(prefix.text)])
    }

    /// Returns the pauses that were not reported to the operator yet, and marks them as reported.
    static func takeUnreported(in transaction: any Transaction) throws -> [PausedPrefix] {
        try transaction.query(
            """
            UPDATE prefix_pause SET is_told = 1 WHERE is_told = 0 AND released IS NULL
            RETURNING prefix, paused, entered, judged
            """
        ).compactMap { try PausedPrefix($0) }
    }

    /// The number of paused prefixes.
    static func count(in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM prefix_pause WHERE released IS NULL")
    }

    private init?(_ row: SQLRow) throws {
        guard let prefix = NumberPrefix(try row.text(0)) else { return nil }
        self.init(
            prefix: prefix, since: try row.time(1), entered: Int(try row.integer(2)), judged: Int(try row.integer(3)))
    }
}
