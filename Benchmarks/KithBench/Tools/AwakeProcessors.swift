import Foundation
import Synchronization

/// Keeps all processors from sleeping, with threads that run only when nothing else wants to run.
///
/// In a virtual machine, a processor that has nothing to do is given back to the host. It can take half a millisecond
/// until it comes back, for example after the disk has answered.
final class AwakeProcessors: Sendable {
    /// Linux's `SCHED_IDLE`, which is not imported.
    private static let lowest: Int32 = 5

    private let isEnding = Atomic(false)

    init() {
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            Thread.detachNewThread { [self] in
                var parameters = sched_param()
                // With another priority, the threads would compete with what is measured.
                let isLowest = sched_setscheduler(0, Self.lowest, &parameters) == 0
                precondition(isLowest, "The system refuses the lowest priority.")
                while !isEnding.load(ordering: .relaxed) {}
            }
        }
    }

    /// Ends the threads.
    func end() { isEnding.store(true, ordering: .relaxed) }
}
