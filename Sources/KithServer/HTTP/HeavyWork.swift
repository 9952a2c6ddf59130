import KithModel
import Synchronization

/// Runs large requests: a limited number at once, from a queue that is fair between the addresses.
///
/// A wrapper of ``FairQueue``. Small rounds do not use it, so large requests never delay them. Large requests run on
/// threads of lower priority, so small rounds also come first on the processors.
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

    /// The number of requests that wait.
    package var waiting: Int { state.withLock { $0.queue.count } }

    /// Runs `body` when the queue lets it begin, on a thread of low priority. Do not call this within another
    /// `body`, because it could then wait for itself.
    ///
    /// - Parameters:
    ///   - address: The address that the work is done for.
    ///   - cost: The expected cost, in units of work.
    ///   - goesOn: Whether it continues work that has begun. Such work is never refused.
    ///   - body: The work.
    /// - Returns: What `body` returns.
    /// - Throws: ``ServerError`` with the code `busy` if too many requests wait, and what `body` throws.
    package func run<Value: Sendable>(
        for address: IPAddress, cost: Int, goesOn: Bool = false, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(address.limitedAddress, cost, goesOn)
        defer { leave() }
        return try await threads.run(body)
    }

    private func enter(_ address: IPAddress, _ cost: Int, _ goesOn: Bool) async throws {
        let isAdmitted = await withCheckedContinuation { continuation in
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
        if !isAdmitted { throw ServerError.crowded }
    }

    private func leave() {
        let next = state.withLock { state in state.queue.leave().flatMap { state.waiting.removeValue(forKey: $0) } }
        next?.resume(returning: true)
    }
}
