import Foundation
package import KithModel

/// How much of something an account may ask for in one day (UTC).
///
/// What is taken is counted in the caller's transaction: if that fails, nothing was taken.
package struct DailyQuota: Sendable {
    /// What is counted, in the database.
    package let kind: String
    /// What it is, for people, in the plural: `look-ups`.
    package let noun: String
    /// How much there is in a day.
    package let limit: Int

    /// A quota of so much a day.
    package init(kind: String, noun: String, limit: Int) { (self.kind, self.noun, self.limit) = (kind, noun, limit) }

    /// How much of today's is used.
    package func allowance(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws
        -> DailyAllowance
    {
        let used = try transaction.query(
            "SELECT amount FROM usage WHERE account = ? AND kind = ? AND day = ?", key(account, now)
        ).first?.integer(0)
        return DailyAllowance(limit: limit, used: Int(used ?? 0), resets: Self.resets(after: now))
    }

    /// Takes so much of today's.
    ///
    /// - Throws: ``ServerError`` with the code `quotaExceeded` and the time until the next day if there is not so much left.
    package func take(_ amount: Int, by account: AccountID, at now: Timestamp, in transaction: any Transaction) throws
        -> DailyAllowance
    {
        let used = try transaction.query(
            """
            INSERT INTO usage (account, kind, day, amount) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, kind, day) DO UPDATE SET amount = usage.amount + excluded.amount RETURNING amount
            """, key(account, now) + [.integer(Int64(amount))]
        ).first?.integer(0)
        let allowance = DailyAllowance(
            limit: limit, used: Int(used ?? 0), resets: Self.resets(after: now))
        guard allowance.used <= limit else {
            let left = max(0, limit - allowance.used + amount)
            let moment = allowance.resets.date.formatted(.iso8601)
            throw ServerError(
                .quotaExceeded,
                "Of the \(limit) \(noun) that an account has in a day \(left) are left, and \(amount) were asked for. "
                    + "There are new ones at \(moment).",
                retryAfter: allowance.resets - now)
        }
        return allowance
    }

    /// Forgets what an account has used, which is deleted.
    static func remove(of account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM usage WHERE account = ?", [.id(account)])
    }

    /// Forgets up to `step` rows of days that are over.
    ///
    /// - Returns: How many went.
    static func purge(_ now: Timestamp, _ step: Int64, in transaction: any Transaction) throws -> Int {
        let old = try transaction.query(
            "SELECT account, kind, day FROM usage WHERE day < ? LIMIT ?",
            [.integer(day(of: now - .days(1))), .integer(step)])
        try transaction.execute(
            wanted: ["account", "kind", "day"], old.map(\.values),
            "DELETE FROM usage WHERE (account, kind, day) IN (SELECT account, kind, day FROM wanted)")
        return old.count
    }

    private func key(_ account: AccountID, _ now: Timestamp) -> [SQLValue] {
        [.id(account), .text(kind), .integer(Self.day(of: now))]
    }

    /// The day of a moment, counted from 1970.
    static func day(of now: Timestamp) -> Int64 {
        let milliseconds = Duration.days(1).milliseconds
        return (now.milliseconds - (now.milliseconds % milliseconds + milliseconds) % milliseconds) / milliseconds
    }

    private static func resets(after now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: (day(of: now) + 1) * Duration.days(1).milliseconds)
    }
}
