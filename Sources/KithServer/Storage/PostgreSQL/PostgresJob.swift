import KithModel

/// A transaction that waits for a thread.
package struct PostgresJob: Sendable {
    /// What it is for.
    package let mode: PostgresMode
    /// The feed whose turn a write waits for; nil if it waits for none.
    package var turn: FeedTurn?
    /// When it is refused if no thread has begun it.
    package let deadline: ContinuousClock.Instant
    /// What it does, and who waits for it.
    let work: AwaitedWork
    /// Its place among all that have come; 0 before it has come.
    package var arrival = 0

    package init(mode: PostgresMode, turn: FeedTurn?, deadline: ContinuousClock.Instant, work: AwaitedWork) {
        (self.mode, self.turn, self.deadline, self.work) = (mode, turn, deadline, work)
    }

    /// Whether it may share a transaction with others that wait for the same turn.
    var isJoinable: Bool { turn?.device != nil }

    /// Tells whoever waits that it was not run.
    func refuse(after waitingTime: Duration) {
        work.answer(
            ServerError(
                .busy, "All connections to the database were busy for \(waitingTime). Try again soon.",
                retryAfter: .seconds(1)))
    }
}
