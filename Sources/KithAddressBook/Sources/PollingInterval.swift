import Synchronization

/// How often accounts are polled: at the app's interval, and more often while there are observers.
package final class PollingInterval: Sendable {
    /// The longest interval while there are observers.
    package static let whileWatched = Duration.seconds(60)
    /// The shortest interval, regardless of the app's setting.
    package static let shortest = Duration.seconds(10)

    private let whileUnwatched: Duration
    private let watchers = Mutex(0)

    /// A pace without observers.
    package init(every interval: Duration) { whileUnwatched = max(interval, Self.shortest) }

    /// The current interval between two polls.
    package var interval: Duration {
        watchers.withLock { $0 } > 0 ? min(whileUnwatched, Self.whileWatched) : whileUnwatched
    }

    /// Adds an observer until ``endWatching()`` is called.
    package func beginWatching() { watchers.withLock { $0 += 1 } }

    package func endWatching() { watchers.withLock { $0 -= 1 } }
}
