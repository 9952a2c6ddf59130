/// What the threads of a pool know about their connections: whether a thread that has none opens one for its transaction.
///
///     has none ──▶ connects ──fails──▶ none of the others is open: the transaction fails
///         │                            others are open: gives it back to the line, where they find it
///         └── the last attempt has failed, others are open ──▶ gives it back, waits, and tries without a transaction
package struct PostgresConnections: Sendable {
    /// What a thread without a connection does with its transaction.
    package enum Step: Hashable, Sendable {
        /// It opens a connection.
        case connect
        /// It gives the transaction back. It may try to connect after this time.
        case giveBack(Duration)
        /// It fails for this reason.
        case fail(PostgresFailure)
    }

    /// How often a shortage is reported at most.
    package static let reporting = Duration.seconds(60)

    /// The number of open connections.
    package private(set) var open = 0
    private var backoff = PostgresBackoff()
    /// Why the last attempt has failed; nil if it has not.
    private var failure: PostgresFailure?
    /// When a shortage was last reported.
    private var reported: ContinuousClock.Instant?

    /// None is open, and each may be tried.
    package init() {}

    /// What a thread without a connection does. If it is ``Step/connect``, it must tell what became of it.
    package mutating func step(at now: ContinuousClock.Instant) -> Step {
        if failure != nil, open > 0 { return .giveBack(backoff.rest(at: now)) }
        guard let wait = backoff.wait(at: now) else { return .connect }
        let last = failure ?? PostgresFailure(lost: "Connections have failed, and the next attempt is later.")
        return .fail(last.beforeAttempt(after: wait))
    }

    /// Whether a thread that has given its transaction back may connect. If so, it must tell what became of it.
    package mutating func mayConnect(at now: ContinuousClock.Instant) -> Bool { backoff.wait(at: now) == nil }

    /// Records that a connection was opened.
    package mutating func opened() {
        open += 1
        failure = nil
        backoff.succeeded()
    }

    /// Records that an open connection has ended.
    package mutating func closed() { open -= 1 }

    /// Records that an attempt has failed.
    ///
    /// - Parameters:
    ///   - failure: Why; nil if the database is not fit.
    ///   - now: The time.
    /// - Returns: How long to wait if the transaction is to be given back, nil if it fails; and whether to report that there
    ///   are fewer connections than wanted.
    package mutating func failed(
        _ failure: PostgresFailure?, at now: ContinuousClock.Instant
    ) -> (giveBack: Duration?, isReported: Bool) {
        backoff.failed(at: now)
        let isFirst = self.failure == nil
        self.failure = failure ?? PostgresFailure(lost: "The database is not fit for the server.")
        guard open > 0 else { return (nil, false) }
        let isReported = isFirst && reported.map { now - $0 >= Self.reporting } ?? true
        if isReported { reported = now }
        return (backoff.rest(at: now), isReported)
    }
}
