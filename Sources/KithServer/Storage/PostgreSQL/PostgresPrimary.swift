import Logging
import Synchronization

/// The log about the connections to one database. All of them share it.
final class PostgresPrimary: Sendable {
    private struct State {
        var logger: Logger?
    }

    private let state = Mutex(State())

    /// Logs to `logger` from now on.
    func log(to logger: Logger) { state.withLock { $0.logger = logger } }

    /// Logs that there are fewer connections than wanted.
    func noteShortage(_ open: Int, of wanted: Int, because error: any Error) {
        state.withLock(\.logger)?.warning(
            "Only \(open) of \(wanted) connections to PostgreSQL are open. Another one could not be opened.",
            metadata: ["cause": "\(error)"])
    }
}
