/// Commands that wait for a session. A pure state machine that decides which commands run and which end.
///
///     asked ──session is ready──▶ run
///       │
///       ▼        ready                            logged out, deleted, dropped,
///     waiting ───────────▶ run                    token refused, another store
///       │  │                                                  │
///       │  └──────────────────────────────────────────────────┴──▶ end (reset)
///       └──withdrawn──▶ end (withdrawn)
///
/// Each command either runs or ends, exactly once. A command waits before the first session opens, while a new session
/// replaces a refused one, and while the server fails. It waits for the session of the store that was current when it was
/// given. If that store has no session yet, a command also runs with a session that opens in another store instead.
package struct WaitingCommands: Sendable {
    package typealias ID = Int

    /// The maximum number of waiting commands. A further one ends at once, with ``Reason/tooMany``.
    package static let most = 1_000

    package enum Event: Hashable, Sendable {
        /// A command is given while the session of the current store is in this state.
        case asked(ID, SessionState)
        /// The session has changed.
        case changed(SessionChange)
        /// The caller stops waiting.
        case withdrawn(ID)
    }

    package enum Reason: Hashable, Sendable {
        /// The session ended: see ``SessionChange/resets``.
        case reset
        /// Only the user can open a session in this state.
        case noSession
        case tooMany
        case withdrawn
    }

    package enum Effect: Hashable, Sendable {
        case run(ID)
        case end(ID, Reason)
    }

    /// The commands that wait, in the order in which they were given.
    package private(set) var waiting: [ID] = []

    package init() {}

    /// Handles an event.
    ///
    /// - Returns: The commands that run or end now, in the order in which they were given.
    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .asked(let id, let state):
            if state.isReadyToShare { return [.run(id)] }
            guard state.opensByItself else { return [.end(id, .noSession)] }
            guard waiting.count < Self.most else { return [.end(id, .tooMany)] }
            waiting.append(id)
            return []
        case .changed(let change):
            if change.resets { return finish { .end($0, .reset) } }
            return change.after.state.isReadyToShare ? finish { .run($0) } : []
        case .withdrawn(let id):
            guard let place = waiting.firstIndex(of: id) else { return [] }
            waiting.remove(at: place)
            return [.end(id, .withdrawn)]
        }
    }

    private mutating func finish(_ effect: (ID) -> Effect) -> [Effect] {
        defer { waiting = [] }
        return waiting.map(effect)
    }
}

extension SessionChange {
    /// Whether the commands that wait for the former session end.
    package var resets: Bool {
        if isDropped || !(after.state.isReadyToShare || after.state.opensByItself) { return true }
        return before.store != after.store && before.state != .initial
    }
}

extension SessionState {
    /// Whether a session opens, or works again, without the user.
    package var opensByItself: Bool { self == .initial || self == .serverError }
}
