/// A rate limit: a number of requests per second, and the size of a burst after a pause.
public struct Rate: Hashable, Sendable {
    /// The number of requests that are earned in a second.
    public var perSecond: Double
    /// The largest number of requests that can be saved up.
    public var burst: Int

    /// A rate of `perSecond` requests per second, with bursts of up to `burst` requests.
    public init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }

    /// The time in which one request is earned.
    var price: Duration { .seconds(1 / perSecond) }
}
