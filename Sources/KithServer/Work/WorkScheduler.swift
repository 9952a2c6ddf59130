/// Schedules the large parts of requests: it limits how many run at once, and the queue is fair.
package protocol WorkScheduler: Sendable {
    /// Runs `body` when the queue lets it begin.
    ///
    /// - Parameters:
    ///   - cost: The estimated cost, in units of work.
    ///   - goesOn: Whether the work continues earlier work, and so is never refused.
    ///   - body: The work. It must not call this function, because it could then wait for itself.
    /// - Returns: What `body` returns.
    /// - Throws: ``ServerError`` with the code `busy` if too much waits, and what `body` throws.
    func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool, _ body: () async throws -> Value
    ) async throws -> Value
}
