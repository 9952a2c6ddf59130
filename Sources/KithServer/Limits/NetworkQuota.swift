import Foundation
import KithModel

/// The amount of something that the clients of one network, or all clients, may use in one day (UTC).
///
/// The use is counted in the caller's transaction: if the transaction fails, nothing is counted. The database keeps the
/// keyed hash of a network for two days.
struct NetworkQuota {
    let kind: String
    /// The name of the quota for people, in the plural.
    let noun: String
    let limit: Int

    private var daily: DailyQuota { DailyQuota(kind: kind, noun: noun, limit: limit) }

    /// Today's use of a network; nil for all networks.
    func allowance(
        of network: NetworkHash?, at now: Timestamp, in transaction: any Transaction
    ) throws -> DailyAllowance {
        try daily.allowance(of: key(network), at: now, in: transaction)
    }

    /// Counts one use of a network; nil for all networks.
    ///
    /// - Throws: ``ServerError`` with the code `quotaExceeded` and the time until the next day.
    func take(by network: NetworkHash?, at now: Timestamp, in transaction: any Transaction) throws {
        let allowance = try allowance(of: network, at: now, in: transaction)
        guard allowance.used < limit else {
            throw ServerError(
                .quotaExceeded,
                "The limit of \(limit) \(noun) a day for this \(network == nil ? "server" : "network") is reached. Try again tomorrow.",
                retryAfter: allowance.resets - now)
        }
        _ = try daily.take(1, by: key(network), at: now, in: transaction)
    }

    private func key(_ network: NetworkHash?) -> AccountID {
        network.flatMap { UUID(bytes: $0.bytes) }.map { AccountID($0) } ?? DailyQuota.everybody
    }
}
