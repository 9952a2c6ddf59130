package import Kith
package import KithModel

/// Decides when to look for the contacts of the address book. Performs no input or output.
///
///     resting ──the book has changed, a day has passed──▶ looking ──ended──▶ resting
///                                                            │
///        waiting ◀──failed: the pause of the schedule────────┘
///
/// Events are handled one at a time. If the address book changes during a look, that event is handled after the look,
/// and starts another one. A failure is never final: the time of the next attempt is stored in the database, and the
/// machine reads it at each event.
package struct DiscoveryMachine: Sendable {
    /// The state in the replica's database at the time of an event.
    package struct Situation: Hashable, Sendable {
        package var now: Timestamp
        /// Whether the user has enabled discovery.
        package var isEnabled: Bool
        /// The time of the last look through the whole address book.
        package var looked: Timestamp?
        package var schedule: RetrySchedule
        /// Whether the address book has numbers or emails for which the account has never looked. Only read for
        /// `compared`.
        package var hasNew: Bool

        package init(
            now: Timestamp, isEnabled: Bool, looked: Timestamp? = nil, schedule: RetrySchedule = RetrySchedule(),
            hasNew: Bool = false
        ) {
            (self.now, self.isEnabled, self.looked, self.schedule) = (now, isEnabled, looked, schedule)
            self.hasNew = hasNew
        }
    }

    package enum Event: Hashable, Sendable {
        case start
        /// The address book has changed.
        case bookChanged
        /// The address book is compared with what the account has looked for, because it was read for the first time,
        /// another account has become the current one, or discovery was enabled.
        case compared
        /// The time of the timer has come, or the matches have changed.
        case tick
        /// A look has ended, successfully (`ended`) or not (`failed`).
        case ended, failed
    }

    package enum Action: Hashable, Sendable {
        case look
        case wait(until: Timestamp)
        /// Wait for the next event.
        case rest
    }

    /// The maximum age of the results.
    package static let age = Duration.days(1)
    /// The pause if the failure could not be stored.
    private static let blindPause = Duration.seconds(60)

    /// Whether the book has changed since the last look began.
    private var isStale = false

    package init() {}

    package mutating func handle(_ event: Event, in situation: Situation) -> Action {
        switch event {
        case .bookChanged: isStale = true
        case .compared: if situation.hasNew { isStale = true }
        case .start, .tick, .ended: break
        case .failed:
            isStale = true
            if case .look = next(in: situation) { return .wait(until: situation.now + Self.blindPause) }
        }
        let action = next(in: situation)
        if action == .look { isStale = false }
        return action
    }

    private func next(in situation: Situation) -> Action {
        let now = situation.now
        guard situation.isEnabled else { return .rest }
        var due = now
        // A time in the future means that the clock was set back.
        if !isStale, let looked = situation.looked, looked <= now { due = looked + Self.age }
        if let retryAt = situation.schedule.retryAt, retryAt <= now + RetrySchedule.longestPause {
            due = max(due, retryAt)
        }
        return due > now ? .wait(until: due) : .look
    }
}
