package import KithModel

/// When to try again after failures. Kept in the replica's database, so that
/// neither a restart nor a lost wake-up forgets it.
package struct RetrySchedule: Hashable, Sendable {
    /// How many attempts have failed since one last succeeded.
    package var attempt: Int
    package var retryAt: Timestamp?

    package init(attempt: Int = 0, retryAt: Timestamp? = nil) {
        self.attempt = attempt
        self.retryAt = retryAt
    }

    /// Pauses grow from 1 s to 60 s over six attempts, then lie around ten
    /// minutes: the slow cycle. Each is random between nothing and its length
    /// (full jitter), so that devices do not come back together, and never shorter than
    /// the server asked for.
    package mutating func fail(
        at now: Timestamp, retryAfter: Duration?, using random: inout some RandomNumberGenerator
    ) {
        attempt += 1
        let longest: Duration =
            attempt <= Self.quickAttempts ? min(.seconds(1 << attempt), .seconds(60)) : .minutes(10)
        let jitter = Duration.milliseconds(Int64.random(in: 0...longest.milliseconds, using: &random))
        retryAt = now + min(max(jitter, retryAfter ?? .zero), Self.longestPause)
    }

    package mutating func succeed() {
        self = RetrySchedule()
    }

    package static let quickAttempts = 6

    /// Whether the quick attempts are used up.
    package var isSlow: Bool { attempt > Self.quickAttempts }

    /// However long the server asks to wait. A time to try again that lies further ahead shows that the
    /// clock was set back.
    package static let longestPause = Duration.minutes(60)
}
