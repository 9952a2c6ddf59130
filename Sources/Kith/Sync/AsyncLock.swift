import Synchronization

/// A lock for asynchronous code. Callers run one at a time, in the order of arrival.
///
/// An actor is not sufficient, because it admits other callers at every `await`.
package final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var queue: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func withLock<T>(_ body: () async throws -> T) async throws -> T {
        await enter()
        defer { leave() }
        try Task.checkCancellation()
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.queue.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.queue.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst()
        }
        next?.resume()
    }
}
