import Synchronization

/// How far a copy is, for people who wait for it.
package final class CopyProgress: Sendable {
    private struct State {
        var step = "Preparing the copy"
        var rows = 0
        var total: Int?
    }

    private let state = Mutex(State())

    package init() {}

    /// What is done now, in a few words.
    package var words: String {
        state.withLock { state in
            guard let total = state.total else { return state.step }
            return "\(state.step), \(min(state.rows, total)) of \(total) rows"
        }
    }

    /// Begins to read this number of rows.
    func begin(_ total: Int) {
        state.withLock { ($0.rows, $0.total) = (0, total) }
    }

    /// Says what is done to the next rows.
    func turn(to step: String) {
        state.withLock { $0.step = step }
    }

    /// Counts rows.
    func count(_ rows: Int) {
        state.withLock { $0.rows += rows }
    }
}
