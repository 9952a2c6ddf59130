package import KithModel

/// When the next attempt is made after failures. It is stored in the replica's database, so that it survives a restart
/// or a missed wake-up.
package struct RetrySchedule: Hashable, Sendable {
    /// The number of failed attempts since the last success.
    package var attempt: Int
    package var retryAt: Timestamp?

    package init(attempt: Int = 0, retryAt: Timestamp? = nil) {
        self.attempt = attempt
        self.retryAt = retryAt
    }

    /// The limit of a pause grows from 2 s to 60 s over six attempts, and then is ten minutes (the slow cycle). Each
    /// pause is random between zero and this limit (full jitter), so that devices do not return at the same time. It is
    /// not shorter than the server asks for, up to ``longestPause``.
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

    /// Whether the quick attempts are used up, so that the slow cycle applies.
    package var isSlow: Bool { attempt > Self.quickAttempts }

    /// The upper limit for a pause that the server asks for. If the next attempt is further ahead, the clock was set
    /// back.
    package static let longestPause = Duration.minutes(60)
}
