package import Foundation
import KithModel

/// The tokens that a caller has taken at one node, as they are added to the table `rate_use`.
///
/// The table has the moment at which the bucket of each caller is full, by the clock of the database. Nodes only get the
/// times until then, so their clocks need not agree.
package struct RateUse: Hashable, Sendable {
    /// The most callers of one limit in a report, and of all limits in an answer. Those come first whose buckets take
    /// longest to be full.
    package static let most: Int64 = 10_000

    /// The name of the limit.
    package var kind: String
    package var caller: Data
    /// The time in which the tokens are earned.
    package var cost: Duration
    /// The time since the first of them.
    package var age: Duration

    package init(_ kind: String, _ caller: Data, cost: Duration, age: Duration) {
        (self.kind, self.caller, self.cost, self.age) = (kind, caller, cost, age)
    }

    /// Adds what was taken, at most one use for each caller of a limit, and reads as ``read(in:)``.
    package static func add(
        _ uses: [RateUse], in transaction: any Transaction
    ) throws -> [String: [Data: Duration]] {
        // Two nodes that report the same callers in another order would wait for each other.
        try transaction.lockName(Data("rate_use".utf8))
        let now = try time(in: transaction)
        let rows: [[SQLValue]] = uses.map { use in
            [
                .text(use.kind), .bytes(use.caller), .integer(now - use.age.milliseconds),
                .integer(use.cost.milliseconds),
            ]
        }
        // A caller without a row has a full bucket. Tokens of a full bucket count from their own time on, not from that
        // of the report, so that a caller at one node loses nothing.
        let columns = ["kind", "caller", "started_at", "cost"]
        try transaction.execute(
            wanted: columns, rows,
            """
            INSERT INTO rate_use (kind, caller, full_at)
            SELECT wanted.kind, wanted.caller, wanted.started_at FROM wanted WHERE 1 = 1
            ON CONFLICT (kind, caller) DO NOTHING
            """)
        try transaction.execute(
            wanted: columns, rows,
            """
            UPDATE rate_use SET full_at = wanted.cost + CASE WHEN rate_use.full_at > wanted.started_at
                THEN rate_use.full_at ELSE wanted.started_at END
            FROM wanted WHERE rate_use.kind = wanted.kind AND rate_use.caller = wanted.caller
            """)
        return try read(at: now, in: transaction)
    }

    /// The times until the buckets are full, for the callers of each limit who have used it at any node.
    package static func read(in transaction: any Transaction) throws -> [String: [Data: Duration]] {
        try read(at: time(in: transaction), in: transaction)
    }

    private static func read(
        at now: Int64, in transaction: any Transaction
    ) throws -> [String: [Data: Duration]] {
        let rows = try transaction.query(
            "SELECT kind, caller, full_at FROM rate_use WHERE full_at > ? ORDER BY full_at DESC LIMIT ?",
            [.integer(now), .integer(most)])
        return try rows.reduce(into: [:]) { times, row in
            times[try row.text(0), default: [:]][try row.bytes(1)] = .milliseconds(try row.integer(2) - now)
        }
    }

    /// The time of the database, in milliseconds since 1970.
    private static func time(in transaction: any Transaction) throws -> Int64 {
        guard let row = try transaction.query("SELECT \(transaction.dialect.time)").first else {
            throw ServerError(.internalError, "The database has no time.")
        }
        return try row.integer(0)
    }
}
