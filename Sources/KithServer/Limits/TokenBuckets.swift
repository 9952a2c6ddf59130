/// A token bucket (a rate limit) for each of many callers. It reads no clock; the caller passes the time.
///
/// A bucket is stored as the moment at which it is full again (the generic cell rate algorithm of ATM Forum TM 4.0),
/// so no timer refills it. There are at most ``capacity`` buckets. When that number is reached, full buckets are
/// forgotten, which changes nothing for their callers. If that is not enough, the fuller half of the buckets is
/// forgotten too.
package struct TokenBuckets<Caller: Hashable & Sendable>: Sendable {
    package let rate: Rate
    package let capacity: Int
    /// The time in which one token is earned.
    private let price: Duration
    /// The time in which an empty bucket is full.
    private let whole: Duration
    private var fullAt: [Caller: Duration] = [:]

    package init(_ rate: Rate, capacity: Int = 100_000) {
        self.rate = rate
        self.capacity = capacity
        price = rate.price
        whole = rate.price * rate.burst
    }

    package var count: Int { fullAt.count }

    /// Takes one token from the bucket of `caller`, if it has one.
    ///
    /// - Parameters:
    ///   - caller: The owner of the bucket.
    ///   - now: The time since any fixed moment; it never runs backwards.
    /// - Returns: nil if there was a token, else the time until there is one.
    package mutating func take(from caller: Caller, at now: Duration) -> Duration? {
        let full = max(fullAt[caller] ?? now, now) + price
        let excess = full - now - whole
        // Durations are rounded: the sum of many thirds of a second is not exactly its multiple.
        if excess > .microseconds(1) { return excess }
        set(full, for: caller, at: now)
        return nil
    }

    /// The time until the bucket of `caller` is out of debt; nil if it has no debt.
    ///
    /// Use it for work that costs more than one token, or whose cost is known only afterwards: ``charge(_:to:at:)`` can
    /// leave a debt.
    package func debt(of caller: Caller, at now: Duration) -> Duration? {
        guard let full = fullAt[caller] else { return nil }
        let excess = full - now - whole
        return excess > .microseconds(1) ? excess : nil
    }

    /// Takes `amount` tokens from the bucket of `caller`, even if it has fewer.
    package mutating func charge(_ amount: Int, to caller: Caller, at now: Duration) {
        set(max(fullAt[caller] ?? now, now) + price * amount, for: caller, at: now)
    }

    /// The time until the bucket of `caller` is full, if no more is taken.
    package func timeToFull(of caller: Caller, at now: Duration) -> Duration {
        max(.zero, (fullAt[caller] ?? now) - now)
    }

    /// Empties the bucket of `caller` so far that it takes `time` until it is full. A bucket that is emptier stays so.
    package mutating func lower(_ caller: Caller, toTimeToFull time: Duration, at now: Duration) {
        guard time > timeToFull(of: caller, at: now) else { return }
        set(now + time, for: caller, at: now)
    }

    private mutating func set(_ full: Duration, for caller: Caller, at now: Duration) {
        if fullAt.count >= capacity && fullAt[caller] == nil { forget(at: now) }
        fullAt[caller] = full
    }

    private mutating func forget(at now: Duration) {
        fullAt = fullAt.filter { $0.value > now }
        guard fullAt.count >= capacity else { return }
        let kept = fullAt.sorted { $0.value > $1.value }.prefix(capacity / 2)
        fullAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
