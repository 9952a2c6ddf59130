import KithModel
import Synchronization

/// Runs what takes the processor or the disk for long, at most so much of it at once, and in fair turn.
///
/// A shell around ``FairQueue``: rounds that are small pass by it, so that nobody's large ones hold them up. What it runs
/// gives way to them on the processors, too.
package final class HeavyWork: Sendable {
    private struct State {
        var queue: FairQueue<IPAddress>
        var waiting: [FairQueue<IPAddress>.Ticket: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: Mutex<State>
    private let threads: YieldingThreads

    package init(_ limits: ServerLimits) {
        threads = YieldingThreads(limits.heavyAtOnce)
        state = Mutex(
            State(
                queue: FairQueue(
                    places: limits.heavyAtOnce, waiting: limits.heavyWaiting, each: limits.heavyWaitingOfAddress)))
    }

    /// How much waits for its turn.
    package var waiting: Int { state.withLock { $0.queue.count } }

    /// Runs `body` when it is the turn of `address`, on a thread of low priority. Never within another of its bodies: that
    /// could wait for itself.
    ///
    /// - Parameters:
    ///   - address: Whose work it is.
    ///   - cost: What it is likely to cost, in units of work.
    ///   - goesOn: Whether it goes on with work that was begun, and so is never refused.
    ///   - body: The work.
    /// - Returns: What `body` returns.
    /// - Throws: ``ServerError`` with the code `busy` if too much waits, and what `body` throws.
    package func run<Value: Sendable>(
        for address: IPAddress, cost: Int, goesOn: Bool = false, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(address.household, cost, goesOn)
        defer { leave() }
        return try await withTaskExecutorPreference(threads) {
            // A preference says where a task goes on after it was suspended; it does not move the task by itself.
            await Task.yield()
            return try await body()
        }
    }

    private func enter(_ address: IPAddress, _ cost: Int, _ goesOn: Bool) async throws {
        let isItsTurn = await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                switch state.queue.enter(address, cost: cost, goesOn: goesOn) {
                case .begin: return true
                case .refuse: return false
                case .wait(let ticket):
                    state.waiting[ticket] = continuation
                    return nil
                }
            }
            if let known { continuation.resume(returning: known) }
        }
        if !isItsTurn { throw ServerError.crowded }
    }

    private func leave() {
        let next = state.withLock { state in state.queue.leave().flatMap { state.waiting.removeValue(forKey: $0) } }
        next?.resume(returning: true)
    }
}
