import Logging
import Synchronization

/// The primary to which the connections of a database lead, and the log that says when there is another one.
///
/// A wrapper of ``PostgresTimelines``. All connections to one database share it.
final class PostgresPrimary: Sendable {
    private struct State {
        var timelines = PostgresTimelines()
        /// Whether commits may be waiting for a replica. It is true from a commit without an answer until PostgreSQL says that
        /// none waits.
        var mayWait = false
        var logger: Logger?
    }

    private let state = Mutex(State())

    /// Logs to `logger` from now on.
    func log(to logger: Logger) { state.withLock { $0.logger = logger } }

    /// Checks where a new connection leads; nil if that is unknown.
    ///
    /// - Throws: ``PostgresFailure`` if it is an old primary. What is written there is lost.
    func check(_ timeline: PostgresTimeline?) throws(PostgresFailure) {
        guard let timeline else { return }
        let (finding, logger) = state.withLock { ($0.timelines.see(timeline), $0.logger) }
        switch finding {
        case .newest: return
        case .failover(let old):
            logger?.notice(
                "PostgreSQL has failed over to another server.",
                metadata: ["timeline": "\(timeline.number)", "before": "\(old)"])
        case .old(let newest, let isReported):
            if !isReported {
                logger?.critical(
                    """
                    An old primary of PostgreSQL accepts writes. This server does not use it. Stop it, and make it a \
                    replica of the new one.
                    """, metadata: ["timeline": "\(timeline.number)", "newest": "\(newest)"])
            }
            throw Self.failure
        }
    }

    /// Checks whether a connection that led to this timeline may still be used.
    ///
    /// - Throws: ``PostgresFailure`` if a replica has taken over meanwhile.
    func checkAgain(_ timeline: PostgresTimeline?) throws(PostgresFailure) {
        guard let timeline, state.withLock({ timeline.isOld(after: $0.timelines.newest) }) else { return }
        throw Self.failure
    }

    private static let failure = PostgresFailure(
        lost: "The server is an old primary: a replica has taken over from it.")

    // MARK: Replicas

    /// Whether commits may be waiting for a replica: one had no answer.
    var mayWait: Bool { state.withLock(\.mayWait) }

    /// Records whether commits may be waiting for a replica.
    func note(mayWait: Bool) { state.withLock { $0.mayWait = mayWait } }

    // MARK: Connections

    /// Logs that there are fewer connections than wanted.
    func noteShortage(_ open: Int, of wanted: Int, because error: any Error) {
        state.withLock(\.logger)?.warning(
            "Only \(open) of \(wanted) connections to PostgreSQL are open. Another one could not be opened.",
            metadata: ["cause": "\(error)"])
    }
}
