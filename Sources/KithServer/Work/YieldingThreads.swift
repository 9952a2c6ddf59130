import Foundation
import Synchronization

/// Runs tasks on threads of low priority: all other work of the process gets a processor first.
///
/// The threads start with the first task, and end with the executor.
package final class YieldingThreads: TaskExecutor {
    /// The shared state of the threads. It has no reference to the executor, so that the threads do not retain it.
    private final class Shared: Sendable {
        struct State {
            /// The jobs in the order of their arrival. Each job retains the executor until it has begun.
            var jobs: [(job: UnownedJob, executor: YieldingThreads)] = []
            var threads = 0
        }

        let state = Mutex(State())
        let arrivals = DispatchSemaphore(value: 0)

        func run() {
            Self.giveWay()
            while true {
                arrivals.wait()
                guard let (job, executor) = take() else { return }
                job.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }

        private func take() -> (UnownedJob, YieldingThreads)? {
            state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        }

        /// Lowers the priority of the calling thread only: on Linux each thread has its own priority.
        private static func giveWay() {
            #if os(Linux)
                _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, YieldingThreads.niceness)
            #endif
        }
    }

    /// The `nice` value of the threads: the maximum. They still get a sixtieth of a fully used processor.
    package static let niceness: Int32 = 19

    private let count: Int
    private let shared = Shared()

    /// An executor with `count` threads.
    init(_ count: Int) { self.count = count }

    deinit { for _ in 0..<count { shared.arrivals.signal() } }

    /// Whether the current task runs on such a thread. It may block the thread, as nothing else needs it.
    @TaskLocal package static var areCurrent = false

    /// Runs `body` on one of the threads.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(self) {
            // The preference takes effect only when the task continues after a suspension, so suspend it once.
            await Task.yield()
            return try await Self.$areCurrent.withValue(true) { try await body() }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let begins = shared.state.withLock { state in
            state.jobs.append((job, self))
            guard state.threads < count else { return false }
            state.threads += 1
            return true
        }
        if begins {
            let thread = Thread { [shared] in shared.run() }
            thread.qualityOfService = .utility
            thread.start()
        }
        shared.arrivals.signal()
    }
}
