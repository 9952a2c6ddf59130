import Foundation
import Synchronization

/// A disk that stores the log of a database only when a test lets it.
final class HeldDisk: Sendable {
    private struct State {
        var isHeld = false
        var failure: CInt = 0
        var begun = 0
        var stored = 0
    }

    private let state = Mutex(State())
    /// Called while the disk stores, before it has done so.
    private let storing: @Sendable () -> Void

    init(storing: @escaping @Sendable () -> Void = {}) { self.storing = storing }

    /// Waits until the disk has stored the log, as `fdatasync` does.
    @Sendable func store(_: CInt) -> CInt {
        state.withLock { $0.begun += 1 }
        while state.withLock(\.isHeld) { usleep(100) }
        storing()
        return state.withLock { state in
            if state.failure == 0 { state.stored += 1 }
            return state.failure
        }
    }

    /// How often somebody has begun to wait for it.
    var begun: Int { state.withLock(\.begun) }
    /// How often it has stored the log.
    var stored: Int { state.withLock(\.stored) }

    func hold() { state.withLock { $0.isHeld = true } }
    func goOn() { state.withLock { $0.isHeld = false } }
    /// Lets it fail with this error from now on.
    func fail(_ code: CInt) { state.withLock { $0.failure = code } }
}
