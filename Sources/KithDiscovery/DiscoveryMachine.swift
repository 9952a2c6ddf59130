package import Kith
package import KithModel

/// Decides when the address book is looked through. It performs no input or output.
///
///     resting ──the book changed, a day has passed──▶ looking ──ended──▶ resting
///                                                        │
///        waiting ◀──failed: the pause of the schedule────┘
///
/// Events are handled one at a time: a change of the book while a look runs is an event behind it, and starts another.
/// A failure is never for good: when it is tried again is in the database, and any event looks at that again.
package struct DiscoveryMachine: Sendable {
    /// What the replica's database knows at the moment of an event.
    package struct Situation: Hashable, Sendable {
        package var now: Timestamp
        /// Whether the user wants it.
        package var isEnabled: Bool
        /// When the whole book was last looked through.
        package var looked: Timestamp?
        package var schedule: RetrySchedule

        package init(
            now: Timestamp, isEnabled: Bool, looked: Timestamp? = nil, schedule: RetrySchedule = RetrySchedule()
        ) {
            (self.now, self.isEnabled, self.looked, self.schedule) = (now, isEnabled, looked, schedule)
        }
    }

    package enum Event: Hashable, Sendable {
        case start
        /// The address book is another.
        case bookChanged
        /// The time that was asked for has come, or the settings or the account are others.
        case tick
        /// A look is over, well or not.
        case ended, failed
    }

    package enum Action: Hashable, Sendable {
        case look
        case wait(until: Timestamp)
        /// Nothing until the next event.
        case rest
    }

    /// How old what is known may be.
    package static let age = Duration.days(1)
    /// After a failure that could not be written down.
    private static let blindPause = Duration.seconds(60)

    /// The book has changed since the last look began.
    private var isStale = false

    package init() {}

    package mutating func handle(_ event: Event, in situation: Situation) -> Action {
        switch event {
        case .bookChanged: isStale = true
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
        // A time that lies ahead shows that the clock was set back.
        if !isStale, let looked = situation.looked, looked <= now { due = looked + Self.age }
        if let retryAt = situation.schedule.retryAt, retryAt <= now + RetrySchedule.longestPause {
            due = max(due, retryAt)
        }
        return due > now ? .wait(until: due) : .look
    }
}
