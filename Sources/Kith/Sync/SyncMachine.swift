package import KithModel

/// Decides what the sync engine does next. It performs no input or output.
///
///     stopped ──start──▶ idle ──edited, moved, due──▶ round ──done──▶ idle
///        ▲                ▲                             │
///       stop              └──── due ──── waiting ◀──failed
///
/// Events are handled one at a time: an edit made while a round runs is an event
/// behind it, and starts another. Nothing is remembered here that a tick could
/// not find again: retry times are in the database (``RetrySchedule``), and any
/// event reads them again.
package struct SyncMachine: Sendable {
    /// What the replica's database knows at the moment of an event.
    package struct Situation: Hashable, Sendable {
        package var now: Timestamp
        package var session: SessionState
        package var waiting: Int
        package var oldestWaiting: Timestamp?
        package var lastRound: Timestamp?
        package var schedule: RetrySchedule

        package init(
            now: Timestamp, session: SessionState, waiting: Int = 0, oldestWaiting: Timestamp? = nil,
            lastRound: Timestamp? = nil, schedule: RetrySchedule = RetrySchedule()
        ) {
            self.now = now
            self.session = session
            self.waiting = waiting
            self.oldestWaiting = oldestWaiting
            self.lastRound = lastRound
            self.schedule = schedule
        }

        /// What is taken for true if the database cannot be read: it is looked at again after a pause.
        package static func unreadable(at now: Timestamp) -> Situation {
            Situation(now: now, session: .anonymous, schedule: RetrySchedule(retryAt: now + SyncMachine.blindPause))
        }

        /// When something is due so long after `time`. A time that lies ahead shows that the
        /// clock was set back: nothing waits for the clock to come there again.
        fileprivate func due(_ time: Timestamp, after pause: Duration) -> Timestamp {
            time > now ? now : time + pause
        }
    }

    package enum Event: Hashable, Sendable {
        case start
        /// Something was written on this device.
        case edited
        /// The live stream says that a feed has moved.
        case moved
        /// The live stream is open, or no longer is.
        case live(Bool)
        /// The time that was asked for has come, or a sync by hand has ended.
        case tick
        /// A round is over.
        case ended(Rounds.Next)
        /// A round has failed; the replica knows when it is tried again.
        case failed
        case signedIn
        case rate(SyncRate)
        case stop
    }

    package enum Action: Hashable, Sendable {
        case round
        case openSession
        case wait(until: Timestamp)
        /// Nothing until the next event.
        case rest
    }

    package private(set) var isRunning = false
    package private(set) var isLive = false
    package private(set) var rate: SyncRate
    /// A feed has moved, or more is to be read, since the last round began.
    package private(set) var isBehind = false

    package init(rate: SyncRate = .default) {
        self.rate = rate
    }

    package mutating func handle(_ event: Event, in situation: Situation) -> Action {
        switch event {
        case .start, .signedIn:
            isRunning = true
            isBehind = true
        case .stop: isRunning = false
        case .moved: isBehind = true
        case .live(let open):
            // Signals may have been lost while the stream was closed; one that
            // closes may say that the server is gone, which a round finds out.
            if open != isLive { isBehind = true }
            isLive = open
        case .rate(let rate):
            if rate > self.rate { isBehind = true }
            self.rate = rate
        case .ended(let next): isBehind = next != .done
        case .failed:
            switch next(in: situation) {
            // The database knows of no pause, so the failure could not be written down: a full disk, say.
            case .round, .openSession: return .wait(until: situation.now + Self.blindPause)
            case let action: return action
            }
        case .edited, .tick: break
        }
        return next(in: situation)
    }

    private func next(in situation: Situation) -> Action {
        guard isRunning, rate != .off else { return .rest }
        switch situation.session {
        case .loggedOut, .invalidToken, .inactive: return .rest
        case .initial, .anonymous, .identified, .serverError: break
        }
        var due = situation.lastRound.map { situation.due($0, after: pollInterval) } ?? situation.now
        if situation.session == .initial || isBehind { due = situation.now }
        if let oldest = situation.oldestWaiting { due = min(due, situation.due(oldest, after: rate.quietPeriod)) }
        if let retryAt = situation.schedule.retryAt, retryAt <= situation.now + RetrySchedule.longestPause {
            due = max(due, retryAt)
        }
        if due > situation.now { return .wait(until: due) }
        return situation.session == .initial ? .openSession : .round
    }

    private var pollInterval: Duration { isLive ? rate.livePollInterval : rate.pollInterval }

    /// After a failure that could not be written down, or where nothing can be read.
    private static let blindPause = Duration.seconds(60)
}

/// How eagerly the client is in step with the server.
public enum SyncRate: Int, Sendable, Comparable, CaseIterable {
    /// Only when the app asks: ``KithClient/syncNow()``.
    case off
    /// Edits leave after ten seconds; others' changes come every ten minutes.
    case slow
    /// Edits leave after half a second; others' changes come at once by the live
    /// stream, or every minute where there is none.
    case `default`

    /// Whether `left` is less eager.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// How long after an edit a round begins, so that typing becomes one mutation.
    var quietPeriod: Duration { self == .default ? .milliseconds(500) : .seconds(10) }
    var pollInterval: Duration { self == .default ? .seconds(60) : .minutes(10) }
    /// With the live stream open a poll only catches signals that were lost.
    var livePollInterval: Duration { .minutes(15) }
    var wantsLive: Bool { self == .default }
}
