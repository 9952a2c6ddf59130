import Synchronization

/// A lock for asynchronous code. Callers run one at a time, in the order of arrival. A caller that is cancelled while it
/// waits stops waiting at once.
///
/// An actor is not sufficient, because it admits other callers at every `await`.
package final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var numbers = 0
        /// The callers that wait, each with its number.
        var queue: [(number: Int, caller: CheckedContinuation<Void, any Error>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs `body` while no other caller runs.
    ///
    /// - Throws: What `body` throws; `CancellationError` if the task is cancelled before `body` begins.
    package func withLock<T>(_ body: () async throws -> T) async throws -> T {
        try await enter()
        defer { leave() }
        try Task.checkCancellation()
        return try await body()
    }

    private func enter() async throws {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
                let isFree = state.withLock { state in
                    if state.isTaken {
                        state.queue.append((number, caller))
                        return false
                    }
                    state.isTaken = true
                    return true
                }
                if isFree { caller.resume() }
                // If the task was cancelled before the caller was stored, `onCancel` did not find the caller.
                if Task.isCancelled { withdraw(number) }
            }
        } onCancel: {
            withdraw(number)
        }
    }

    /// Ends the wait of a caller. Does nothing if the caller does not wait any more.
    private func withdraw(_ number: Int) {
        let caller = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let place = state.queue.firstIndex(where: { $0.number == number }) else { return nil }
            return state.queue.remove(at: place).caller
        }
        caller?.resume(throwing: CancellationError())
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.queue.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst().caller
        }
        next?.resume()
    }
}
