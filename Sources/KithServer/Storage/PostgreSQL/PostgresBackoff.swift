/// When the next connection may be tried, for all threads together.
///
/// While connections fail, one thread at a time tries one, after longer and longer pauses.
package struct PostgresBackoff: Sendable {
    /// The first pause.
    package static let shortest = Duration.milliseconds(100)
    /// The longest pause. A service is back so much later than its database at most.
    package static let longest = Duration.milliseconds(500)

    private var failures = 0
    private var next: ContinuousClock.Instant?

    /// Every connection may be tried.
    package init() {}

    /// Asks for an attempt.
    ///
    /// - Returns: nil if it may begin now, otherwise the time until the next may.
    package mutating func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let next else { return nil }
        if now < next { return next - now }
        failures += 1
        self.next = now + pause
        return nil
    }

    /// The time until the next attempt may begin.
    package func rest(at now: ContinuousClock.Instant) -> Duration { next.map { max(.zero, $0 - now) } ?? .zero }

    /// Records that an attempt has failed.
    package mutating func failed(at now: ContinuousClock.Instant) {
        if next == nil { next = now + pause }
    }

    /// Records that an attempt has succeeded.
    package mutating func succeeded() { self = PostgresBackoff() }

    private var pause: Duration { min(Self.longest, Self.shortest * (1 << min(failures, 10))) }
}
