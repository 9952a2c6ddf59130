import Foundation
package import KithModel

/// The amount of something that an account may use in one day (UTC).
///
/// The use is counted in the caller's transaction: if the transaction fails, nothing is counted.
package struct DailyQuota: Sendable {
    /// The key of the quota in the database.
    package let kind: String
    /// The name of the quota for people, in the plural: `invitations`.
    package let noun: String
    /// The limit per day.
    package let limit: Int
    /// The part of the limit that only what somebody has asked for may use, such as a code. Otherwise somebody with many
    /// accounts could use up the quota, and keep everybody from signing in.
    package let reserve: Int

    /// Stands for all accounts together in the table of quotas.
    package static let everybody = AccountID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    /// A quota with this limit per day. With a reserve, a fifth is kept for what somebody has asked for.
    package init(kind: String, noun: String, limit: Int, hasReserve: Bool = false) {
        (self.kind, self.noun, self.limit, reserve) = (kind, noun, limit, hasReserve ? limit / 5 : 0)
    }

    /// Today's use of the quota. What nobody has asked for gets a limit without the reserve.
    package func allowance(
        of account: AccountID, isAsked: Bool = true, at now: Timestamp, in transaction: any Transaction
    ) throws -> DailyAllowance {
        let used = try transaction.query(
            "SELECT amount FROM usage WHERE account = ? AND kind = ? AND day = ?", key(account, now)
        ).first?.integer(0)
        return DailyAllowance(
            limit: isAsked ? limit : limit - reserve, used: Int(used ?? 0), resets: Self.resets(after: now))
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
