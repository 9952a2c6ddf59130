package import KithModel

/// Decides whether the server's clock is trusted, so that what has expired can be deleted.
///
/// A clock can be far ahead for some seconds, for example until it is synchronized after a start. What has expired by
/// such a clock would be deleted for good. A clock that is ahead of what is expected is therefore trusted only after
/// it has run on for an hour. A server that was stopped for days waits for that hour, too.
package struct ClockWatch: Sendable {
    /// How far the clock may be ahead of what is expected.
    package static let tolerance = Duration.days(2)
    /// How long a clock that is ahead must run on.
    package static let patience = Duration.minutes(60)

    /// The clock at a moment.
    private struct Reading {
        let time: Timestamp
        let uptime: Duration

        /// What the clock shows later if it runs on.
        func expected(at uptime: Duration) -> Timestamp { time + (uptime - self.uptime) }
    }

    /// Whether the clock is trusted.
    package enum Verdict: Hashable, Sendable {
        case trusted
        /// The clock is ahead by so much. `isNew` is true once for each jump.
        case ahead(Duration, isNew: Bool)
    }

    private var trusted: Reading?
    private var suspect: Reading?

    package init() {}

    /// Decides whether the clock is trusted.
    ///
    /// - Parameters:
    ///   - now: What it shows.
    ///   - uptime: The time since any fixed moment.
    ///   - last: When a server of this database has last trusted its clock; nil if none has.
    /// - Returns: The verdict.
    package mutating func judge(_ now: Timestamp, at uptime: Duration, last: Timestamp?) -> Verdict {
        let reading = Reading(time: now, uptime: uptime)
        if let expected = trusted?.expected(at: uptime) ?? last, now - expected > Self.tolerance {
            if let began = began(reading) {
                if uptime - began < Self.patience { return .ahead(now - expected, isNew: false) }
            } else {
                suspect = reading
                return .ahead(now - expected, isNew: true)
            }
        }
        (trusted, suspect) = (reading, nil)
        return .trusted
    }

    /// The uptime at the jump since which the clock runs on; nil if there was none before.
    private func began(_ reading: Reading) -> Duration? {
        guard let suspect else { return nil }
        let drift = reading.time - suspect.expected(at: reading.uptime)
        return drift > Self.tolerance || drift < .zero - Self.tolerance ? nil : suspect.uptime
    }
}
