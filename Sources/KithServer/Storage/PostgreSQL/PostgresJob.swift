import KithModel

/// A transaction that waits for a thread.
struct PostgresJob: Sendable {
    /// What it is for.
    let mode: PostgresMode
    /// When it is refused if no thread has begun it.
    let deadline: ContinuousClock.Instant
    /// What it does, and who waits for it.
    let work: any GatheredWrite

    /// Tells whoever waits that it was not run.
    func refuse(after waitingTime: Duration) {
        work.answer(
            ServerError(
                .busy, "All connections to the database were busy for \(waitingTime). Try again soon.",
                retryAfter: .seconds(1)))
    }
}
