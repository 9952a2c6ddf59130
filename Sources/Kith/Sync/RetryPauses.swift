/// The pauses of those who wait for their next attempt. They end early as soon as an attempt may succeed.
final class RetryPauses: Sendable {
    private let ends = Listeners<Void>()
    private let dependencies: Dependencies

    init(_ dependencies: Dependencies) { self.dependencies = dependencies }

    /// Ends all pauses that are under way.
    func end() { ends.send(()) }

    /// Pauses for as long as `length` says, or until ``end()`` is called. A call while `length` is computed counts. If the
    /// length is not positive, there is no pause.
    ///
    /// - Throws: What `length` throws; `CancellationError`.
    func pause(_ length: () async throws -> Duration) async throws {
        let ends = ends.stream()
        let duration = try await length()
        guard duration > .zero else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [dependencies] in try await dependencies.pause(duration) }
            group.addTask {
                for await _ in ends { return }
                try Task.checkCancellation()
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Pauses after a failed attempt. If the server has asked to wait, ``end()`` does not end the pause.
    ///
    /// - Throws: `CancellationError`.
    func pause(for length: Duration, after failure: (any Error)?) async throws {
        if let asked = (failure as? KithError)?.retryAfter, asked > .zero {
            try await dependencies.pause(length)
        } else {
            try await pause { length }
        }
    }
}
