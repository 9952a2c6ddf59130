/// Commands that wait for a session. It decides which may run and which end, and performs no input or output.
///
///     asked ──session is ready──▶ run
///       │
///       ▼        ready                            logged out, deleted, dropped,
///     waiting ───────────▶ run                    token refused, another store
///       │  │                                                  │
///       │  └──────────────────────────────────────────────────┴──▶ end (reset)
///       └──withdrawn──▶ end (withdrawn)
///
/// Each command ends exactly once: it runs or it ends. A command waits while a session is on its way: before the first
/// one, while a new one replaces a refused one, and while the server fails. It belongs to the store for which it was
/// asked. A store without a session has no command to lose, so a session that opens for it, or instead of it, runs them.
package struct WaitingCommands: Sendable {
    package typealias ID = Int

    /// The most commands that wait. One more ends at once, with ``Reason/tooMany``.
    package static let most = 1_000

    package enum Event: Hashable, Sendable {
        /// A command is given, while the current store's session is in this state.
        case asked(ID, SessionState)
        /// The session has changed.
        case changed(SessionChange)
        /// The caller does not wait any longer.
        case withdrawn(ID)
    }

    package enum Reason: Hashable, Sendable {
        /// The session that it waited for was reset.
        case reset
        /// No session opens by itself in this state.
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
    /// Whether the commands that wait for the session before have lost it.
    package var resets: Bool {
        if isDropped || !(after.state.isReadyToShare || after.state.opensByItself) { return true }
        return before.store != after.store && before.state != .initial
    }
}

extension SessionState {
    /// Whether a session opens, or works again, without the user.
    package var opensByItself: Bool { self == .initial || self == .serverError }
}
