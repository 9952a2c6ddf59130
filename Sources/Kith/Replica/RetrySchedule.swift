package import KithModel

/// The time of the next attempt after failures. It is stored in the replica's database, so that it survives a restart
/// or a lost wake-up.
package struct RetrySchedule: Hashable, Sendable {
    /// The number of failed attempts since the last success.
    package var attempt: Int
    package var retryAt: Timestamp?

    package init(attempt: Int = 0, retryAt: Timestamp? = nil) {
        self.attempt = attempt
        self.retryAt = retryAt
    }

    /// Pauses grow from 1 s to 60 s over six attempts, then stay near ten minutes: the slow cycle. Each pause is random
    /// between zero and its length (full jitter), so that devices do not return at the same time. It is never shorter
    /// than the server asked for.
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

    /// The upper limit for the pause that the server asks for. If the next attempt is further ahead, the clock was set
    /// back.
    package static let longestPause = Duration.minutes(60)
}
