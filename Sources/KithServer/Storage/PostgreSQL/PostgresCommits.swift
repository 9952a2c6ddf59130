import Synchronization

/// Tells an observer of the commits of threads.
final class PostgresCommits: Sendable {
    private let state = Mutex<(@Sendable () -> Void)?>(nil)

    /// Called after each commit that PostgreSQL has confirmed; several writes can share one.
    var observer: (@Sendable () -> Void)? {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }

    /// Tells the observer of one more.
    func add() { observer?() }
}
