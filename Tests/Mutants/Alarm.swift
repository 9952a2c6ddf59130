import Foundation
import Synchronization

/// Ends a process, with all that it has started, when its time is over.
final class Alarm: Sendable {
    private enum Phase { case set, rung, cancelled }
    private let phase = Mutex(Phase.set)

    init(_ process: Int32, after limit: Duration) {
        let seconds = Double(limit.components.seconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            let rings = phase.withLock { phase in
                guard phase == .set else { return false }
                phase = .rung
                return true
            }
            if rings { Self.end(process) }
        }
    }

    var hasRung: Bool { phase.withLock { $0 == .rung } }

    /// From now on the process may have ended, and its number may be that of another.
    func cancel() { phase.withLock { if $0 == .set { $0 = .cancelled } } }

    /// Ends the process and its group: Foundation gives each process a group of its own.
    static func end(_ process: Int32) {
        kill(-process, SIGKILL)
        kill(process, SIGKILL)
    }
}
