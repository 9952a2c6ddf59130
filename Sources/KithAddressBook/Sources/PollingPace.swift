import Synchronization

/// How often accounts are asked whether anything has changed: as the app has set it, and more often while somebody watches.
package final class PollingPace: Sendable {
    /// How often an account is asked at least while somebody watches.
    package static let whileWatched = Duration.seconds(60)
    /// How often an account is asked at most, whatever the app has set.
    package static let shortest = Duration.seconds(10)

    private let whileUnwatched: Duration
    private let watchers = Mutex(0)

    /// A pace that nobody watches yet.
    package init(every interval: Duration) { whileUnwatched = max(interval, Self.shortest) }

    /// The time between two questions, as it is now.
    package var interval: Duration {
        watchers.withLock { $0 } > 0 ? min(whileUnwatched, Self.whileWatched) : whileUnwatched
    }

    /// Notes that somebody watches from now on, until ``endWatching()`` is called.
    package func beginWatching() { watchers.withLock { $0 += 1 } }

    package func endWatching() { watchers.withLock { $0 -= 1 } }
}
