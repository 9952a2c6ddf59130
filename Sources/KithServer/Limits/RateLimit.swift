package import Foundation
import Synchronization

/// The rate of each of many callers: ``SharedBuckets`` behind a lock.
package final class RateLimit<Caller: SharedCaller>: SharedLimit {
    package let kind: String
    private let buckets: Mutex<SharedBuckets<Caller>>

    /// - Parameters:
    ///   - kind: The name of the limit in the table that nodes share.
    ///   - rate: The rate of each caller.
    ///   - isShared: Whether other nodes count the same callers.
    package init(_ kind: String, _ rate: Rate, isShared: Bool) {
        self.kind = kind
        buckets = Mutex(SharedBuckets(rate, isShared: isShared))
    }

    // MARK: Taking

    /// Takes one token from the bucket of `caller`.
    ///
    /// - Parameters:
    ///   - caller: The owner of the bucket.
    ///   - now: The server's uptime.
    /// - Returns: nil if there was a token, else the time until there is one.
    package func take(from caller: Caller, at now: Duration) -> Duration? {
        buckets.withLock { $0.take(from: caller, at: now) }
    }

    /// The time until the bucket of `caller` is out of debt; nil if it has no debt.
    package func debt(of caller: Caller, at now: Duration) -> Duration? {
        buckets.withLock { $0.debt(of: caller, at: now) }
    }

    /// Takes `amount` tokens from the bucket of `caller`, even if it has fewer.
    package func charge(_ amount: Int, to caller: Caller, at now: Duration) {
        buckets.withLock { $0.charge(amount, to: caller, at: now) }
    }

    /// Takes one token from the bucket of `caller`, even if it has none, unless it has a debt.
    ///
    /// - Parameters:
    ///   - caller: The owner of the bucket.
    ///   - now: The server's uptime.
    /// - Returns: nil if it had no debt, else the time until it has none.
    package func takeWithoutDebt(from caller: Caller, at now: Duration) -> Duration? {
        buckets.withLock { buckets in
            if let wait = buckets.debt(of: caller, at: now) { return wait }
            buckets.charge(1, to: caller, at: now)
            return nil
        }
    }

    // MARK: Sharing

    package func report(at now: Duration) -> [RateUse] {
        let (report, rate) = buckets.withLock { ($0.report(at: now), $0.rate) }
        return report.map { caller, taken in
            RateUse(kind, caller.sharedBytes, cost: rate.price * taken.amount, age: taken.age)
        }
    }

    package func merge(_ times: [Data: Duration], at now: Duration) {
        let known = times.compactMap { bytes, time in Caller(sharedBytes: bytes).map { ($0, time) } }
        let times = Dictionary(known, uniquingKeysWith: max)
        buckets.withLock { $0.merge(times, at: now) }
    }

    package func putBack() { buckets.withLock { $0.putBack() } }
}
