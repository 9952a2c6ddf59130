import Foundation
import KithModel
import Synchronization

/// Fetches each picture only once if several callers request it at the same time.
final class PictureFetching: Sendable {
    /// The requested picture.
    struct Key: Hashable, Sendable {
        let asker: AccountID
        let owner: AccountID
        let size: PictureSize
        /// The expected hash. Requests with different hashes are fetched separately.
        let hash: String?
    }

    private typealias Answer = Result<Data?, any Error>

    /// A fetch that is running, and the callers that wait for it.
    private struct Fetch {
        /// The number of the caller that has started it.
        let number: Int
        let task: Task<Void, Never>
        var callers: [Int: AsyncStream<Answer>.Continuation] = [:]
    }

    private struct State {
        /// The number of the last caller.
        var last = 0
        var running: [Key: Fetch] = [:]
    }

    private let state = Mutex(State())

    /// The result of `fetch`, for all callers that ask while it runs. A caller that is cancelled stops waiting at once. When
    /// no caller waits any more, the fetch is cancelled.
    ///
    /// The fetch belongs to no caller, so it must not use the account of the call that a caller's task runs.
    func data(_ key: Key, _ fetch: @escaping @Sendable () async throws -> Data?) async throws -> Data? {
        let (answers, caller) = AsyncStream<Answer>.makeStream()
        let number = state.withLock { state in
            state.last += 1
            let number = state.last
            if state.running[key] == nil {
                let task = Task.detached { await self.run(fetch, key, number) }
                state.running[key] = Fetch(number: number, task: task)
            }
            state.running[key]?.callers[number] = caller
            return number
        }
        caller.onTermination = { [weak self] _ in self?.leave(key, number) }
        for await answer in answers { return try answer.get() }
        throw CancellationError()
    }

    private func run(_ fetch: @Sendable () async throws -> Data?, _ key: Key, _ number: Int) async {
        let answer: Answer
        do { answer = .success(try await fetch()) } catch { answer = .failure(error) }
        let callers = state.withLock { state -> [AsyncStream<Answer>.Continuation] in
            // A cancelled fetch has no callers, and another one may be running.
            guard let fetch = state.running[key], fetch.number == number else { return [] }
            state.running[key] = nil
            return Array(fetch.callers.values)
        }
        for caller in callers {
            caller.yield(answer)
            caller.finish()
        }
    }

    /// Removes a caller. Cancels the fetch if it was the last one.
    private func leave(_ key: Key, _ number: Int) {
        let abandoned = state.withLock { state -> Fetch? in
            guard state.running[key]?.callers.removeValue(forKey: number) != nil,
                let fetch = state.running[key], fetch.callers.isEmpty
            else { return nil }
            state.running[key] = nil
            return fetch
        }
        abandoned?.task.cancel()
    }
}
