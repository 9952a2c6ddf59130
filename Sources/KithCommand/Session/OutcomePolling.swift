import Kith

/// Asks the server for the outcome of a page in a browser until there is one.
package struct OutcomePolling: Sendable {
    /// The shortest pause between two requests.
    static let pause = Duration.seconds(1)

    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: Makes a pause.
    package init(sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }) {
        self.sleep = sleep
    }

    /// The outcome. While the server cannot be reached, is busy, or something else answers, this goes on asking: the browser
    /// may reach it.
    ///
    /// - Parameter ask: Asks once; nil if there is no outcome yet.
    /// - Returns: The outcome.
    /// - Throws: What `ask` throws, except `offline`, `busy` and `malformed`; `CancellationError`.
    package func outcome<Outcome: Sendable>(of ask: () async throws -> Outcome?) async throws -> Outcome {
        while true {
            var pause = Self.pause
            do {
                if let outcome = try await ask() { return outcome }
            } catch let error as KithError where error.isTemporary {
                pause = max(pause, error.retryAfter ?? .zero)
            }
            try await sleep(pause)
        }
    }
}
