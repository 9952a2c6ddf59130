import Foundation
import Synchronization

/// Runs tasks on threads of low priority: whatever else the process does gets a processor first.
///
/// The threads begin with the first task, and end with the executor.
package final class YieldingThreads: TaskExecutor {
    /// What the threads share. It has no reference to the executor, so that they do not keep it.
    private final class Shared: Sendable {
        struct State {
            /// In the order of their arrival. Each keeps the executor until it has begun.
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

        /// Lowers the priority of the calling thread alone: on Linux each thread has one of its own.
        private static func giveWay() {
            #if os(Linux)
                _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, YieldingThreads.niceness)
            #endif
        }
    }

    /// How far the threads step back, as `nice` counts: the most. They still get a sixtieth of a processor that is never
    /// idle.
    package static let niceness: Int32 = 19

    private let count: Int
    private let shared = Shared()

    /// An executor with `count` threads.
    init(_ count: Int) { self.count = count }

    deinit { for _ in 0..<count { shared.arrivals.signal() } }

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
