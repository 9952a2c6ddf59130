package import KithModel

/// What is known about the numbers of one prefix. It decides whether another SMS goes to one of them.
///
///     open ──20 messages in an hour──▶ too fast ──the hour is over──▶ open
///       │
///       └──fewer than 10 of the last 50 codes entered──▶ paused ──the operator releases it──▶ open
package struct PrefixState: Hashable, Sendable {
    /// The times of the newest messages, at most ``PrefixLimits/messagesAnHour``, newest first.
    package var sent: [Timestamp]
    /// Whether each of the newest codes was entered, at most ``PrefixLimits/judgedCodes``. A code that can still be
    /// entered is not among them, nor one from before the last release.
    package var outcomes: [Bool]
    /// Whether the prefix is paused.
    package var isPaused: Bool

    package init(sent: [Timestamp] = [], outcomes: [Bool] = [], isPaused: Bool = false) {
        (self.sent, self.outcomes, self.isPaused) = (sent, outcomes, isPaused)
    }

    /// Whether a message may go out.
    package enum Verdict: Hashable, Sendable {
        case open
        /// Too many messages went out within an hour.
        case tooFast(until: Timestamp)
        /// The prefix is paused.
        case paused
        /// The prefix has to be paused, because only so many of the judged codes were entered.
        case mustPause(entered: Int)
    }

    /// Decides about a message at `now`. One that nobody has asked for has a smaller limit, so that invitations cannot keep
    /// codes from being sent.
    package func verdict(_ limits: PrefixLimits, isAsked: Bool = true, at now: Timestamp) -> Verdict {
        if isPaused { return .paused }
        let entered = outcomes.count { $0 }
        if outcomes.count >= limits.judgedCodes, entered < limits.enteredCodes { return .mustPause(entered: entered) }
        let hour = Duration.seconds(3600)
        let limit = isAsked ? limits.messagesAnHour : min(limits.unaskedAnHour, limits.messagesAnHour)
        // The newest messages that may be within an hour. The next one goes when the oldest of them is an hour old.
        let recent = sent.filter { $0 + hour > now }.sorted(by: >).prefix(limit)
        if recent.count >= limit, let oldest = recent.last { return .tooFast(until: oldest + hour) }
        return .open
    }
}
