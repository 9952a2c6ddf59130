import Foundation
import KithModel
import Synchronization

/// Threads that run transactions, each on its own connection.
///
/// Transactions are synchronous and wait for PostgreSQL, which Swift's own threads must not do. The threads end after
/// ``close()``, or with the last reference.
final class PostgresThreads: Sendable {
    private let settings: PostgresSettings
    private let shared: Shared
    /// Counts how often the threads wait for PostgreSQL.
    let flights = PostgresFlightCounter()
    /// Who is told of their commits.
    let commits = PostgresCommits()
    /// The primary to which their connections lead.
    let primary: PostgresPrimary

    /// Starts the threads. They open their connections when they are needed.
    init(
        _ address: PostgresAddress, _ settings: PostgresSettings, _ primary: PostgresPrimary = PostgresPrimary()
    ) {
        (self.settings, self.primary) = (settings, primary)
        shared = Shared(settings)
        let pool = PostgresWorker.Pool(primary)
        for number in 1...max(1, settings.connections) {
            let thread = Thread { [shared, flights, commits] in
                shared.run { PostgresWorker(address, settings, pool, flights, commits) }
            }
            thread.name = "postgres-\(number)"
            thread.start()
        }
    }

    deinit { shared.end() }

    /// Runs `work` in a transaction, and waits for it. Several writes with the same turn may share a transaction. If they do
    /// not, the read that follows a write runs in the next transaction on the same connection.
    ///
    /// - Throws: What `work` throws, or ``ServerError``.
    func perform(_ work: any TransactionWork, _ mode: PostgresMode, inTurn turn: FeedTurn? = nil) async throws {
        try await AwaitedWork.perform(work) { add($0, mode, turn) }
    }

    /// ``perform(_:_:inTurn:)`` while the caller's thread waits.
    func performNow(_ work: any TransactionWork, _ mode: PostgresMode) throws {
        try AwaitedWork.performNow(work) { add($0, mode) }
    }

    /// Runs `body` in a transaction, and waits for its result.
    ///
    /// - Throws: What `body` throws, or ``ServerError``.
    func run<T: Sendable>(
        _ mode: PostgresMode, _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        try await TransactionClosure.result(of: body) { try await perform($0, mode) }
    }

    /// Adds a transaction to those that wait, or refuses it.
    private func add(_ work: AwaitedWork, _ mode: PostgresMode, _ turn: FeedTurn? = nil) {
        let now = ContinuousClock.now
        let job = PostgresJob(mode: mode, turn: turn, deadline: now + settings.waitingTime, work: work)
        let (overdue, refusal) = shared.add(job, now)
        for job in overdue { job.refuse(after: settings.waitingTime) }
        if let refusal { work.answer(refusal) }
    }

    /// Waits until the threads have run all waiting transactions, closed their connections and ended. New transactions are
    /// refused.
    func close() async {
        shared.end()
        await withCheckedContinuation { shared.whenEnded($0) }
    }

    /// The number of transactions that wait.
    var waiting: Int { shared.waiting }

    /// What the threads share. It has no reference to the threads' owner, so that they do not retain it.
    private final class Shared: Sendable {
        struct State {
            var queue: PostgresQueue
            /// The threads that have not ended.
            var threads: Int
            var isEnding = false
            var observers: [CheckedContinuation<Void, Never>] = []
        }

        private let settings: PostgresSettings
        private let state: Mutex<State>
        /// Counts the reasons for a thread to look into the queue.
        private let reasons = DispatchSemaphore(value: 0)

        init(_ settings: PostgresSettings) {
            self.settings = settings
            let queue = PostgresQueue(
                limit: settings.waiting, writers: max(1, settings.writers), joined: settings.joinedWrites)
            state = Mutex(State(queue: queue, threads: max(1, settings.connections)))
        }

        /// Adds a job.
        ///
        /// - Returns: The jobs that have waited too long, and the error if this one is refused.
        func add(_ job: PostgresJob, _ now: ContinuousClock.Instant) -> ([PostgresJob], ServerError?) {
            let (overdue, admission): ([PostgresJob], PostgresQueue.Admission?) = state.withLock { state in
                if state.isEnding { return ([], nil) }
                return (state.queue.removeOverdue(at: now), state.queue.append(job))
            }
            switch admission {
            case nil: return (overdue, ServerError(.busy, "The server is shutting down.", retryAfter: .seconds(1)))
            case .refused(let waiting):
                let sentence = "\(waiting) transactions already wait for the database. Try again soon."
                return (overdue, ServerError(.busy, sentence, retryAfter: .seconds(1)))
            case .ready: reasons.signal()
            case .behind: break
            }
            return (overdue, nil)
        }

        var waiting: Int { state.withLock(\.queue.count) }

        /// The work of one thread.
        func run(_ makeWorker: () -> PostgresWorker) {
            work(makeWorker())
            // The worker's connection is closed by now.
            let observers: [CheckedContinuation<Void, Never>] = state.withLock { state in
                state.threads -= 1
                defer { if state.threads == 0 { state.observers = [] } }
                return state.threads == 0 ? state.observers : []
            }
            // Wakes the next thread, so that it ends too.
            reasons.signal()
            for observer in observers { observer.resume() }
        }

        private func work(_ worker: PostgresWorker) {
            while true {
                reasons.wait()
                let (jobs, isEnding) = state.withLock { ($0.queue.next(), $0.isEnding && $0.queue.count == 0) }
                if let first = jobs.first {
                    let now = ContinuousClock.now
                    let overdue = jobs.filter { $0.deadline <= now }
                    for job in overdue { job.refuse(after: settings.waitingTime) }
                    let left = worker.perform(overdue.isEmpty ? jobs : jobs.filter { $0.deadline > now })
                    let count = state.withLock { state in
                        let ready = state.queue.finished(first, leaving: left)
                        return state.isEnding && state.queue.count == 0 ? max(1, ready) : ready
                    }
                    for _ in 0..<count { reasons.signal() }
                    worker.reconnect()
                } else if isEnding {
                    return
                }
            }
        }

        func end() {
            state.withLock { $0.isEnding = true }
            reasons.signal()
        }

        func whenEnded(_ observer: CheckedContinuation<Void, Never>) {
            let hasEnded = state.withLock { state in
                if state.threads > 0 { state.observers.append(observer) }
                return state.threads == 0
            }
            if hasEnded { observer.resume() }
        }
    }
}
