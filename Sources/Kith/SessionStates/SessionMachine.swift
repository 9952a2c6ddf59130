package import KithModel

/// The session of one store: its state, whether its account is identified, and when the next attempt is due. It is a pure
/// state machine: events lead to states and effects, without input or output.
///
///                          opened
///     initial ──────────────────────────▶ anonymous ◀──accepted──▶ identified
///        ▲                                 │   │ ▲                  ▲ │   │
///        │                                 │   │ └────succeeded───┐ │ │   │
///        │                                 │   └─failed 7 times─▶ serverError
///        │                                 │                        │     │
///        └────refused, if anonymous────────┴────────────────────────┘     │ refused
///                                                                         ▼
///     initial of an account ──left──▶ invalidToken ◀──refused for good── anonymous, serverError
///
///     any state ─────────────────opened─────────────────▶ anonymous
///     any state ────────────────activated───────────────▶ anonymous or identified
///     any state but inactive ───selected────────────────▶ anonymous or identified
///     any state but inactive ───loggedOut───────────────▶ loggedOut
///     any state but initial ────closed──────────────────▶ inactive
///     a new userless store ─────begun───────────────────▶ initial
///
/// A token that the server refuses ends differently for the two kinds of accounts. Nobody can sign in to an anonymous
/// account again, so a new anonymous session replaces it (`initial`), and the dead token is deleted. The user of an
/// identified account can sign in again, so the store keeps everything and waits (`invalidToken`). So does the store of
/// an anonymous account that no new session may replace: in a pinned client, or if another store becomes the current
/// one before the new session is open.
///
/// Any other failure keeps the token. Attempts continue with growing pauses: see ``RetrySchedule``. If the server fails
/// after ``RetrySchedule/quickAttempts`` attempts without success, the state is `serverError` until a round succeeds. It
/// then returns to `anonymous` or `identified`. For this reason ``isIdentified`` is stored in addition to the state.
///
/// The machine is stored in the account's row, and changes in the same transaction as the data that depends on its state.
/// ``SyncMachine`` decides when rounds are made, and ``WaitingCommands`` decides which commands may run.
package struct SessionMachine: Hashable, Sendable {
    package private(set) var state: SessionState
    /// Whether the account has a proved identity or a passkey, as far as this device knows. Each round tells it, so that the
    /// other devices of the account learn it too. It is also kept in the states without a session.
    package private(set) var isIdentified: Bool
    /// When the next attempt is due.
    package private(set) var schedule: RetrySchedule

    package init(state: SessionState, isIdentified: Bool = false, schedule: RetrySchedule = RetrySchedule()) {
        (self.state, self.schedule) = (state, schedule)
        self.isIdentified = isIdentified || state == .identified
    }

    package enum Event: Hashable, Sendable {
        /// The userless store is recreated after its data was dropped, and a first session may open for it.
        case begun
        /// A new anonymous session is open, and the store belongs to its account.
        case opened
        /// A token was saved for the account, by a sign-in or by the app.
        case activated(isIdentified: Bool)
        /// The store becomes the current one, and the device has its token.
        case selected
        /// The server accepts the token, and says whether the account is identified.
        case accepted(isIdentified: Bool)
        /// An answer of the server was applied.
        case succeeded
        /// The server could not be reached, or the attempt failed for another reason outside of the server.
        case unreachable(retryAfter: Duration?)
        /// The server has answered with an error of its own, or with an answer that cannot be read.
        case failed(retryAfter: Duration?)
        /// The server does not accept the token. `isReplaceable` says whether a new anonymous session may replace it.
        case refused(isReplaceable: Bool)
        /// The server has deleted the account.
        case closed
        /// The user has ended the session, or a store without a session becomes the current one.
        case loggedOut
        /// Another store becomes the current one. `hasAccount` says whether this store belongs to an account.
        case left(hasAccount: Bool)
        /// The network or the server's address may have changed, so the next attempt is made at once.
        case restarted
    }

    /// What ``SyncEngine`` does after the transaction.
    package enum Effect: Hashable, Sendable {
        /// A new anonymous session is opened as soon as the server can be reached.
        case openSession
        /// The account's token is deleted, because the server will never accept it again.
        case deleteToken
        /// The user is asked to sign in again. The account's data is kept.
        case askToSignIn
        /// The next attempt is made at this time.
        case retry(at: Timestamp)
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: The time of the event.
    ///   - random: Determines the length of pauses.
    /// - Returns: What to do after the new state is stored, in order.
    package mutating func handle(
        _ event: Event, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch event {
        case .begun: (state, isIdentified) = (.initial, false)
        case .opened:
            (state, isIdentified) = (.anonymous, false)
            // The number of attempts is kept, so that a server that opens sessions but then refuses their tokens is not
            // asked too often.
            schedule.retryAt = nil
        case .activated(let isIdentified):
            self.isIdentified = isIdentified
            state = signedIn
            schedule.retryAt = nil
        case .selected: if state != .inactive { state = signedIn }
        case .accepted(let isIdentified):
            guard state.isSignedIn else { return [] }
            self.isIdentified = isIdentified
            if state != .serverError { state = signedIn }
        case .succeeded:
            schedule.succeed()
            if state == .serverError { state = signedIn }
        case .restarted: schedule.succeed()
        case .unreachable(let retryAfter): return [fail(retryAfter, at: now, using: &random)]
        case .failed(let retryAfter):
            let retry = fail(retryAfter, at: now, using: &random)
            if state.isSignedIn && schedule.isSlow { state = .serverError }
            return [retry]
        case .refused(let isReplaceable):
            return refuse(isReplaceable: isReplaceable, at: now, using: &random)
        case .closed:
            // Without a session, there is no account that the server could have deleted.
            if state == .initial { return [fail(nil, at: now, using: &random)] }
            if state == .inactive { return [] }
            state = .inactive
            return [.deleteToken]
        case .loggedOut:
            // Nothing more is sent to the server of a deleted account.
            if state != .inactive { state = .loggedOut }
        case .left(let hasAccount):
            // In the state `initial`, an account waits for a session that replaces its own. None opens for a hidden store.
            if hasAccount && state == .initial { state = .invalidToken }
        }
        return []
    }

    private mutating func refuse(
        isReplaceable: Bool, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch state {
        case .initial: return [fail(nil, at: now, using: &random)]
        // This is a late answer to a request that was sent while the session was open.
        case .loggedOut, .invalidToken, .inactive: return []
        case .anonymous, .identified, .serverError: break
        }
        guard !isIdentified && isReplaceable else {
            state = .invalidToken
            return isIdentified ? [.askToSignIn] : []
        }
        state = .initial
        return [.deleteToken, .openSession, fail(nil, at: now, using: &random)]
    }

    private mutating func fail(
        _ retryAfter: Duration?, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> Effect {
        .retry(at: schedule.fail(at: now, retryAfter: retryAfter, using: &random))
    }

    /// The kind of an identified account, as the server names it.
    package static let identified = "identified"

    /// The kind of the account, as the server names it.
    package var kind: String { isIdentified ? Self.identified : "anonymous" }

    private var signedIn: SessionState { isIdentified ? .identified : .anonymous }
}

extension SessionDescription {
    /// Whether the account of the session is identified.
    var isIdentified: Bool { kind == SessionMachine.identified }
}
