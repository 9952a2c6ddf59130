import Foundation
package import KithModel

/// The amount of something that an account, the accounts in a network together, or everybody together may use in one day (UTC).
///
/// The use is counted in the caller's transaction: if the transaction fails, nothing is counted. The table `usage` keeps the
/// counts of two days.
package struct DailyQuota: Sendable {
    /// Whose use is counted.
    package enum Subject: Hashable, Sendable {
        case account(AccountID)
        /// All clients in a network together.
        case network(NetworkHash)
        /// All accounts and clients together.
        case everybody

        /// The subject in the table, 16 bytes in the column `account`.
        fileprivate var key: SQLValue {
            switch self {
            case .account(let account): .id(account)
            case .network(let network): .bytes(network.bytes)
            case .everybody: .bytes(Data(count: 16))
            }
        }
    }

    /// The key of the quota in the database.
    package let kind: String
    /// The name of the quota for people, in the plural: `invitations`.
    package let noun: String
    /// The limit per day.
    package let limit: Int
    /// The part of the limit that only what somebody has asked for may use, such as a code. Otherwise somebody with many
    /// accounts could use up the quota, and keep everybody from signing in.
    package let reserve: Int

    /// A quota with this limit per day. With a reserve, a fifth is kept for what somebody has asked for.
    package init(kind: String, noun: String, limit: Int, hasReserve: Bool = false) {
        (self.kind, self.noun, self.limit, reserve) = (kind, noun, limit, hasReserve ? limit / 5 : 0)
    }

    /// Today's use of the quota. What nobody has asked for gets a limit without the reserve.
    package func allowance(
        of subject: Subject, isAsked: Bool = true, at now: Timestamp, in transaction: any Transaction
    ) throws -> DailyAllowance {
        let used = try transaction.query(
            "SELECT amount FROM usage WHERE account = ? AND kind = ? AND day = ?", key(subject, now)
        ).first?.integer(0)
        return DailyAllowance(
            limit: isAsked ? limit : limit - reserve, used: Int(used ?? 0), resets: Self.resets(after: now))
    }

    /// Uses `amount` of today's quota.
    ///
    /// - Throws: ``ServerError`` with the code `quotaExceeded` and the time until the next day if the rest is too small. Then
    ///   nothing is counted.
    @discardableResult
    package func take(
        _ amount: Int = 1, by subject: Subject, at now: Timestamp, in transaction: any Transaction
    ) throws -> DailyAllowance {
        guard amount <= limit, let used = try count(amount, by: subject, at: now, in: transaction) else {
            let allowance = try allowance(of: subject, at: now, in: transaction)
            throw refusal(of: amount, to: subject, allowance, at: now)
        }
        return DailyAllowance(limit: limit, used: used, resets: Self.resets(after: now))
    }

    /// Adds `amount`, which is at most the limit, to today's use, and returns the sum. Returns nil if that would exceed the
    /// limit: then nothing is counted.
    private func count(
        _ amount: Int, by subject: Subject, at now: Timestamp, in transaction: any Transaction
    ) throws -> Int? {
        try transaction.query(
            """
            INSERT INTO usage (account, kind, day, amount) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, kind, day) DO UPDATE SET amount = usage.amount + excluded.amount
            WHERE usage.amount + excluded.amount <= ? RETURNING amount
            """, key(subject, now) + [.integer(Int64(amount)), .integer(Int64(limit))]
        ).first.map { Int(try $0.integer(0)) }
    }

    private func refusal(
        of amount: Int, to subject: Subject, _ allowance: DailyAllowance, at now: Timestamp
    ) -> ServerError {
        let sentence: String =
            switch subject {
            case .account:
                "The limit is \(limit) \(noun) a day. \(allowance.left) are left, but the request needs \(amount). "
                    + "The next day begins at \(allowance.resets.date.formatted(.iso8601))."
            case .network:
                "The limit of \(limit) \(noun) a day for this network is reached. Try again tomorrow."
            case .everybody:
                "The limit of \(limit) \(noun) a day for this server is reached. Try again tomorrow."
            }
        return ServerError(.quotaExceeded, sentence, retryAfter: allowance.resets - now)
    }

    private func key(_ subject: Subject, _ now: Timestamp) -> [SQLValue] {
        [subject.key, .text(kind), .integer(now.day)]
    }

    private static func resets(after now: Timestamp) -> Timestamp { Timestamp(day: now.day + 1) }
}
