package import KithModel

/// Decides what becomes of a message after an attempt to deliver it. It has no input or output of its own.
///
///     queued ──accepted──▶ sent
///        │ ──refusedForNow, broken──▶ queued, due after a pause; failed(expired) if that is after the message's end
///        └ ──refused──▶ failed(refused)
///
/// A message whose connection broke after its last byte may have been accepted. It is sent again with the same key, so
/// that the gateway, or the recipient's mailbox, recognises it.
package struct DeliveryRules: Sendable {
    /// The pauses after the first, second, … failed attempt. The last one repeats.
    ///
    /// The first pauses are short, because a code is useful for minutes only. RFC 5321 (section 4.5.4.1) asks for at
    /// least 30 minutes between attempts of a relay, and for shorter pauses at the beginning.
    package static let pauses: [Duration] = [
        .seconds(10), .seconds(30), .seconds(2 * 60), .seconds(10 * 60), .seconds(30 * 60), .seconds(3_600),
        .seconds(2 * 3_600), .seconds(4 * 3_600),
    ]

    /// A message that waits for longer was stored while the clock was ahead. No pause or lease is nearly as long, so the
    /// clock of another server may be behind.
    package static let longestWait = pauses.reduce(Duration.zero, max) * 2

    /// What to do next.
    package enum Step: Hashable, Sendable {
        case sent
        /// Try again after this time, because of what the gateway has said.
        case retry(after: Duration, String)
        case failed(MessageFailure)
    }

    /// The next step after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: How the attempt ended.
    ///   - attempts: The number of attempts so far, with this one.
    ///   - left: The time until the message expires.
    /// - Returns: What to do.
    package static func step(after outcome: GatewayOutcome, attempts: Int, left: Duration) -> Step {
        switch outcome {
        case .accepted: return .sent
        case .refused(let detail): return .failed(MessageFailure(.refused, detail))
        case .refusedForNow(let detail), .broken(let detail):
            let pause = pauses[min(max(attempts, 1), pauses.count) - 1]
            return pause < left ? .retry(after: pause, detail) : .failed(MessageFailure(.expired, detail))
        }
    }
}
