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

    /// The limit of the first pause. It doubles with each further attempt, up to ``longestQuickPause``.
    package static let firstPause = Duration.seconds(2)
    /// The longest limit of a pause among the quick attempts.
    package static let longestQuickPause = Duration.seconds(60)
    /// The number of attempts after which the slow cycle begins.
    package static let quickAttempts = 6
    /// The limit of each pause in the slow cycle.
    package static let slowPause = Duration.minutes(10)
    /// The upper limit for a pause that the server asks for. If the next attempt is further ahead, the clock was set
    /// back.
    package static let longestPause = Duration.minutes(60)

    /// Counts a failed attempt. Each pause is random between zero and its limit (full jitter), so that devices do not
    /// return at the same time. It is not shorter than the server asks for, up to ``longestPause``.
    ///
    /// - Returns: The time of the next attempt.
    @discardableResult package mutating func fail(
        at now: Timestamp, retryAfter: Duration?, using random: inout some RandomNumberGenerator
    ) -> Timestamp {
        attempt += 1
        let limit = isSlow ? Self.slowPause : min(Self.firstPause * (1 << (attempt - 1)), Self.longestQuickPause)
        let jitter = Duration.milliseconds(Int64.random(in: 0...limit.milliseconds, using: &random))
        let next = now + min(max(jitter, retryAfter ?? .zero), Self.longestPause)
        retryAt = next
        return next
    }

    package mutating func succeed() {
        self = RetrySchedule()
    }

    /// Whether the quick attempts are used up, so that the slow cycle applies.
    package var isSlow: Bool { attempt > Self.quickAttempts }

    /// Whether the next attempt may be made. If it is further ahead than ``longestPause``, the clock was set back, and the
    /// attempt does not wait for it.
    package func isDue(at now: Timestamp) -> Bool {
        guard let retryAt else { return true }
        return retryAt <= now || retryAt > now + Self.longestPause
    }
}
