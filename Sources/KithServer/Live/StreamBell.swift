import Synchronization

/// Tells the writer of a stream that there is news. News that comes before the writer listens is told when it does.
final class StreamBell: Sendable {
    private struct State {
        var listener: (@Sendable () -> Void)?
        /// Whether the bell has rung before anybody listened.
        var hasRung = false
    }

    private let state = Mutex(State())

    func ring() {
        let listener = state.withLock { state in
            if state.listener == nil { state.hasRung = true }
            return state.listener
        }
        listener?()
    }

    /// Calls `listener` for each ring from now on, and once for all rings before. There is one listener.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        let hasRung = state.withLock { state in
            state.listener = listener
            return state.hasRung
        }
        if hasRung { listener() }
    }
}
