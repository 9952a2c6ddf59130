/// How fast someone may ask: so many a second, and so many at once after a pause.
public struct Rate: Hashable, Sendable {
    /// How many are earned in a second.
    public var perSecond: Double
    /// How many can be saved up.
    public var burst: Int

    /// So many a second, and so many at once.
    public init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }

    /// How long one request takes to be earned again.
    var price: Duration { .seconds(1 / perSecond) }
}

/// A token bucket for each of many callers. It reads no clock: the time is handed in.
///
/// A bucket is one moment, that at which it will be full again (the generic
/// cell rate algorithm of ATM Forum TM 4.0): nothing is refilled by a timer.
/// There are at most ``capacity`` of them. At that, those that are full are
/// forgotten, which loses nothing; if they are too few, so is the fuller half.
package struct TokenBuckets<Caller: Hashable & Sendable>: Sendable {
    package let rate: Rate
    package let capacity: Int
    private var fullAt: [Caller: Duration] = [:]

    package init(_ rate: Rate, capacity: Int = 100_000) {
        self.rate = rate
        self.capacity = capacity
    }

    package var count: Int { fullAt.count }

    /// Takes one token from the bucket of `caller`, if there is one.
    ///
    /// - Parameters:
    ///   - caller: Who pays.
    ///   - now: Time since any fixed moment; it never runs backwards.
    /// - Returns: nil if there was one, else how long it takes until there is.
    package mutating func take(from caller: Caller, at now: Duration) -> Duration? {
        let full = max(fullAt[caller] ?? now, now) + rate.price
        let excess = full - now - rate.price * rate.burst
        // The sum of many thirds of a second is not exactly its multiple.
        if excess > .microseconds(1) { return excess }
        set(full, for: caller, at: now)
        return nil
    }

    /// How long it takes until the bucket of `caller` has something again; nil if it has.
    ///
    /// For what costs more than one token, or is known to only when it is done: ``charge(_:to:at:)`` can leave a debt.
    package func debt(of caller: Caller, at now: Duration) -> Duration? {
        guard let full = fullAt[caller] else { return nil }
        let excess = full - now - rate.price * rate.burst
        return excess > .microseconds(1) ? excess : nil
    }

    /// Takes so many tokens from the bucket of `caller`, whether there are so many or not.
    package mutating func charge(_ amount: Int, to caller: Caller, at now: Duration) {
        set(max(fullAt[caller] ?? now, now) + rate.price * amount, for: caller, at: now)
    }

    private mutating func set(_ full: Duration, for caller: Caller, at now: Duration) {
        if fullAt[caller] == nil && fullAt.count >= capacity { forget(at: now) }
        fullAt[caller] = full
    }

    private mutating func forget(at now: Duration) {
        fullAt = fullAt.filter { $0.value > now }
        guard fullAt.count >= capacity else { return }
        let kept = fullAt.sorted { $0.value > $1.value }.prefix(capacity / 2)
        fullAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
