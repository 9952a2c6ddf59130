/// Lets the large parts of a request run: so much of it at once, and in fair turn.
package protocol Turns: Sendable {
    /// Runs `body` when it is its turn.
    ///
    /// - Parameters:
    ///   - cost: What it is likely to cost, in units of work.
    ///   - goesOn: Whether it goes on with work that was begun, and so is never refused.
    ///   - body: The work. It must not wait for another turn.
    /// - Returns: What `body` returns.
    /// - Throws: ``ServerError`` with the code `busy` if too much waits, and what `body` throws.
    func run<Value: Sendable>(
        _ cost: Int, goesOn: Bool, _ body: () async throws -> Value
    ) async throws -> Value
}
