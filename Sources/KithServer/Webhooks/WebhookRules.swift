package import KithModel

/// Decides what becomes of an event and of its webhook after an attempt. It has no input or output of its own.
///
///     waiting ──delivered──▶ delivered
///        │ ──failed──▶ waiting, due after a pause; failed after the last pause
///        └ ──gone──▶ failed, and the webhook is off
///
/// Another server may be sending an event to a webhook that goes off. That attempt counts, and is the last one.
///
/// A webhook rests after a failed attempt, so that a receiver in trouble does not get all waiting events at once. If nothing
/// was delivered for ``patience``, and attempts were made all the time, it is paused until the operator resumes it.
package struct WebhookRules: Sendable {
    /// The pauses after the first, second, … failed attempt, together about three days.
    package static let pauses: [Duration] =
        [.seconds(5), .minutes(1), .minutes(5), .minutes(30), .minutes(120), .minutes(300)]
        + Array(repeating: .minutes(600), count: 7)
    /// How long a webhook rests after the first, second, … failed attempt in a row. The last one repeats.
    package static let rests: [Duration] = [.seconds(5), .minutes(1), .minutes(5), .minutes(30)]
    /// How long a webhook may fail before it is paused.
    package static let patience = Duration.days(3)
    /// The largest part of a pause by which chance lengthens it, so that events that failed together come one by one.
    package static let jitter = 0.2

    /// The longest pause between two attempts.
    package static let longestPause = pauses.reduce(Duration.zero, max) * (1 + jitter)
    /// What waits for longer was stored while the clock was ahead. No pause, rest or lease is nearly as long, so the clock of
    /// another server may be behind.
    package static let longestWait = longestPause * 2

    /// What becomes of the event.
    package enum Delivery: Hashable, Sendable {
        case delivered
        /// Try again after this time.
        case retry(after: Duration)
        case failed
    }

    /// What becomes of the webhook.
    package enum Endpoint: Hashable, Sendable {
        case works
        /// Send nothing for this time.
        case rests(Duration)
        /// It has failed for too long.
        case pauses
        /// The receiver wants no more events.
        case ends
    }

    /// What becomes of both.
    package struct Step: Hashable, Sendable {
        package let delivery: Delivery
        package let endpoint: Endpoint

        package init(_ delivery: Delivery, _ endpoint: Endpoint) {
            (self.delivery, self.endpoint) = (delivery, endpoint)
        }
    }

    /// Since when a webhook has been failing. After a longer time without an attempt it begins anew: no server ran, there was
    /// no event, or the clock has jumped.
    ///
    /// - Parameters:
    ///   - start: The first of the failed attempts in a row; nil if the last attempt did not fail.
    ///   - rested: The end of the rest after the last one.
    ///   - now: The time of the attempt that has failed now.
    /// - Returns: The time since when it has been failing.
    package static func failing(since start: Timestamp?, rested: Timestamp?, at now: Timestamp) -> Timestamp {
        guard let start, let rested, start <= now, now - rested <= longestPause else { return now }
        return start
    }

    /// The next step after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: How the attempt ended.
    ///   - attempts: The attempts for the event so far, with this one.
    ///   - failures: The failed attempts of the webhook in a row, before this one.
    ///   - failing: How long the webhook has been failing.
    ///   - isGone: Whether the receiver has answered to another event meanwhile that it wants no more.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: What to do.
    package static func step(
        after outcome: WebhookOutcome, attempts: Int, failures: Int, failing: Duration, isGone: Bool = false,
        chance: Double
    ) -> Step {
        switch outcome {
        case .delivered: return Step(.delivered, .works)
        case .gone: return Step(.failed, .ends)
        case .failed where isGone: return Step(.failed, .ends)
        case .failed:
            let delivery: Delivery =
                attempts <= pauses.count
                ? .retry(after: pauses[max(attempts, 1) - 1] * (1 + jitter * chance)) : .failed
            if failing >= patience { return Step(delivery, .pauses) }
            return Step(delivery, .rests(rests[min(max(failures, 0), rests.count - 1)]))
        }
    }
}
