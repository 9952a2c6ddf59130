import KithModel

/// The statements over the table `sms`: one row for each SMS of the last 30 days, with the prefix of its number.
///
/// A row does not have the number, so it stays when the account of the number is deleted.
enum SMSTable {
    /// How long a row is kept.
    static let kept = Duration.days(30)

    static func insert(
        _ id: RecordID<Never>, _ prefix: NumberPrefix, isCode: Bool, at now: Timestamp, in transaction: any Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO sms (id, prefix, created, is_code, is_entered) VALUES (?, ?, ?, ?, 0)
            ON CONFLICT (id) DO NOTHING
            """,
            [.id(id), .text(prefix.text), .time(now), .flag(isCode)])
    }

    /// Stores that the code of a message was entered.
    static func enter(_ id: RecordID<Never>, in transaction: any Transaction) throws {
        try transaction.execute("UPDATE sms SET is_entered = 1 WHERE id = ?", [.id(id)])
    }

    /// What is known about a prefix.
    static func state(
        of prefix: NumberPrefix, _ limits: PrefixLimits, lifetime: Duration, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> PrefixState {
        let pause = try transaction.query("SELECT released FROM prefix_pause WHERE prefix = ?", [.text(prefix.text)])
            .first
        let released = try pause.flatMap { try $0.optionalTime(0) }
        // Later messages were sent while the clock was ahead. Several servers need not have the same time.
        let sent = try transaction.query(
            "SELECT created FROM sms WHERE prefix = ? AND created > ? AND created < ? ORDER BY created DESC LIMIT ?",
            [
                .text(prefix.text), .time(now - .seconds(3600)), .time(now + lifetime),
                .integer(Int64(limits.messagesAnHour)),
            ]
        ).map { try $0.time(0) }
        let outcomes = try transaction.query(
            """
            SELECT is_entered FROM sms WHERE prefix = ? AND created > ? AND is_code = 1
                AND (is_entered = 1 OR created <= ?) ORDER BY created DESC, id LIMIT ?
            """,
            [
                .text(prefix.text), .time(released ?? now - kept), .time(now - lifetime),
                .integer(Int64(limits.judgedCodes)),
            ]
        ).map { try $0.flag(0) }
        return PrefixState(sent: sent, outcomes: outcomes, isPaused: pause != nil && released == nil)
    }
}
