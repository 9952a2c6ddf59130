package import KithModel

/// Decides what the sync engine does next. It performs no input or output.
///
///     rest ──start, signed in──▶ round ──done, failed──▶ wait ──edited, moved, due──▶ round
///
/// The names are those of the actions. It waits until the next poll is due, or after a failure until the next attempt. It
/// rests while the rate is off, or while only the user can open a session. Without a session, it opens one instead of a
/// round.
///
/// Events are handled one at a time. An edit during a round is handled after the round, and starts another one. The
/// machine has no state that a tick could not recover: retry times are in the database (``RetrySchedule``), and are
/// read again for every event. After a failure without a network, an edit does not wait for the retry time, nor does a live
/// stream that opens.
package struct SyncMachine: Sendable {
    /// The state of the replica's database at the time of an event.
    package struct Situation: Hashable, Sendable {
        package var now: Timestamp
        package var session: SessionState
        package var oldestWaiting: Timestamp?
        package var lastRound: Timestamp?
        package var schedule: RetrySchedule
        /// Whether the last attempt has failed because the server could not be reached.
        package var isOffline: Bool

        package init(
            now: Timestamp, session: SessionState, oldestWaiting: Timestamp? = nil,
            lastRound: Timestamp? = nil, schedule: RetrySchedule = RetrySchedule(), isOffline: Bool = false
        ) {
            self.now = now
            self.session = session
            self.oldestWaiting = oldestWaiting
            self.lastRound = lastRound
            self.schedule = schedule
            self.isOffline = isOffline
        }

        /// The assumed state if the database cannot be read. It is read again after a pause.
        package static func unreadable(at now: Timestamp) -> Situation {
            Situation(now: now, session: .anonymous, schedule: RetrySchedule(retryAt: now + SyncMachine.blindPause))
        }

        /// The time `pause` after `time`. If `time` is in the future, the clock was set back; the result is then the
        /// current time, because waiting until the clock reaches `time` could take very long.
        fileprivate func due(_ time: Timestamp, after pause: Duration) -> Timestamp {
            time > now ? now : time + pause
        }
    }

    package enum Event: Hashable, Sendable {
        case start
        /// This device has written something.
        case edited
        /// The live stream reports that a feed has changed.
        case moved
        /// The live stream has opened or closed.
        case live(Bool)
        /// The requested time has come, or ``SyncEngine/syncNow()`` has ended.
        case tick
        /// A round is over.
        case ended(Rounds.Next)
        /// A round has failed; the replica has the time of the next attempt.
        case failed
        case signedIn
        case rate(SyncRate)
        /// The device may have another network, or the app has come to the front.
        case networkChanged
    }

    package enum Action: Hashable, Sendable {
        case round
        case openSession
        case wait(until: Timestamp)
        /// Waits for the next event.
        case rest
    }

    package private(set) var isRunning = false
    package private(set) var isLive = false
    package private(set) var rate: SyncRate
    /// Whether a feed has changed since the last round began, or more is left to read.
    package private(set) var isBehind = false
    /// The time of an attempt that an edit or the live stream asks for, if the database has a later one.
    private var early: Timestamp?
    /// The time of the last attempt.
    private var tried: Timestamp?

    package init(rate: SyncRate = .default) {
        self.rate = rate
    }

    package mutating func handle(_ event: Event, in situation: Situation) -> Action {
        switch event {
        case .start, .signedIn:
            isRunning = true
            isBehind = true
        case .moved: isBehind = true
        // The live stream may have ended without notice. The system reports the first network when it is asked for networks,
        // and a weak one again and again.
        case .networkChanged: if isLastAttempt(before: Self.networkPause, in: situation) { isBehind = true }
        case .live(let open):
            // Signals may have been lost while the stream was closed. If it closes, the server may be unreachable; a
            // round finds out.
            if open != isLive { isBehind = true }
            // If it opens, the server can be reached again. Streams have random pauses too, so the devices do not all come
            // at the same time.
            if open, !isLive, situation.isOffline {
                early = tried.map { situation.due($0, after: Self.earlyPause) } ?? situation.now
            }
            isLive = open
        case .rate(let rate):
            if rate > self.rate { isBehind = true }
            self.rate = rate
        case .ended(let next): isBehind = next != .done
        case .failed:
            switch next(in: situation) {
            // The database has no retry time, so the failure could not be stored, for example because the disk is full.
            case .round, .openSession: return .wait(until: situation.now + Self.blindPause)
            case let action: return action
            }
        case .edited: if early == nil, isToBeTried(in: situation) { early = situation.now }
        case .tick: break
        }
        return next(in: situation)
    }

    /// Whether an edit leads to an attempt. The user may have a network again, although the next attempt is due later. A
    /// server that has asked to wait is not asked earlier.
    private func isToBeTried(in situation: Situation) -> Bool {
        situation.isOffline && isLastAttempt(before: Self.earlyPause, in: situation)
    }

    /// Whether the last attempt, if there was one, began at least this long ago.
    private func isLastAttempt(before pause: Duration, in situation: Situation) -> Bool {
        tried.map { situation.due($0, after: pause) <= situation.now } ?? true
    }

    private mutating func next(in situation: Situation) -> Action {
        guard isRunning, rate != .off else { return .rest }
        guard situation.session.isSignedIn || situation.session.opensByItself else { return .rest }
        var due = situation.lastRound.map { situation.due($0, after: pollInterval) } ?? situation.now
        if situation.session == .initial || isBehind { due = situation.now }
        if let oldest = situation.oldestWaiting { due = min(due, situation.due(oldest, after: rate.quietPeriod)) }
        if let retryAt = situation.schedule.retryAt, retryAt <= situation.now + RetrySchedule.longestPause {
            // A server that has answered since may have asked to wait.
            due = max(due, situation.isOffline ? min(early ?? retryAt, retryAt) : retryAt)
        }
        if due > situation.now { return .wait(until: due) }
        (early, tried) = (nil, situation.now)
        return situation.session == .initial ? .openSession : .round
    }

    private var pollInterval: Duration { isLive ? rate.livePollInterval : rate.pollInterval }

    /// The shortest pause between an attempt without a network and an early one.
    private static let earlyPause = Duration.seconds(10)

    /// The shortest pause between an attempt and one that only another network asks for.
    private static let networkPause = Duration.seconds(2)

    /// The pause after a failure that could not be stored, or after the database could not be read.
    private static let blindPause = Duration.seconds(60)
}
