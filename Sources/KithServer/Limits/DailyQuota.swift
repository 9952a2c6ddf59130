import Foundation
package import KithModel

/// The amount of something that an account may use in one day (UTC).
///
/// The use is counted in the caller's transaction: if the transaction fails, nothing is counted.
package struct DailyQuota: Sendable {
    /// The key of the quota in the database.
    package let kind: String
    /// The name of the quota for people, in the plural: `look-ups`.
    package let noun: String
    /// The limit per day.
    package let limit: Int

    /// Stands for all accounts together in the table of quotas.
    package static let everybody = AccountID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    /// The part of a day's messages that those may use which nobody has asked for.
    package static func unasked(of all: Int) -> Int { all - all / 5 }

    /// A quota with this limit per day.
    package init(kind: String, noun: String, limit: Int) { (self.kind, self.noun, self.limit) = (kind, noun, limit) }

    /// Today's use of the quota.
    package func allowance(of account: AccountID, at now: Timestamp, in transaction: any Transaction) throws
        -> DailyAllowance
    {
        let used = try transaction.query(
            "SELECT amount FROM usage WHERE account = ? AND kind = ? AND day = ?", key(account, now)
        ).first?.integer(0)
        return DailyAllowance(limit: limit, used: Int(used ?? 0), resets: Self.resets(after: now))
    }

    /// Uses `amount` of today's quota.
    ///
    /// - Throws: ``ServerError`` with the code `quotaExceeded` and the time until the next day if the rest is too
    ///   small.
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
                "The limit is \(limit) \(noun) a day. \(left) are left, but the request needs \(amount). "
                    + "The next day begins at \(moment).",
                retryAfter: allowance.resets - now)
        }
        return allowance
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
