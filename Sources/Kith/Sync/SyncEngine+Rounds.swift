import GRDB
import KithModel
import Synchronization

/// Rounds and other requests to the server.
extension SyncEngine {
    /// One round: push, then pull, in one exchange.
    func makeRound() async throws -> Rounds.Next {
        try await inTurn { try await exchange() }
    }

    private func exchange() async throws -> Rounds.Next {
        _ = try server.reached()
        let account = try await replica.read { $1 }
        // Not a server failure: a signed-out device keeps its state.
        guard account.id != nil, account.state.isSignedIn else { throw KithError.noSession }
        var request: SyncRequest?
        do {
            // Must happen before mutations are numbered: nothing may count as in flight to another server.
            try await server.findHome(of: account)
            guard let begun = try rounds.begin(), begun.device == account.device else { return .again }
            request = begun
            guard let token = try credentials.token(for: begun.account) else {
                throw KithError(.unauthorized, "The session's token is gone. Activate the account again.")
            }
            let next = try await server.speak(for: account) { connection in
                try await sendPictures(of: begun.account, connection, token: token)
                return try rounds.finish(begun, try await connection.sync(begun, token: token))
            }
            try? await endings.send()
            return next
        } catch let error as KithError {
            if try rounds.fail(error, by: account.device, mutations: request?.mutations ?? []) { return .again }
            throw error
        }
    }

    /// Runs `work` while no other task exchanges this replica's state with the server.
    private func inTurn<T: Sendable>(_ work: () async throws -> T) async throws -> T {
        try await turn.withLock {
            setSyncing(true)
            defer { setSyncing(false) }
            return try await work()
        }
    }

    private func setSyncing(_ value: Bool) {
        state.withLock { $0.isSyncing = value }
        poke()
    }

    package func syncNow() async throws {
        // Not part of the round: after a log-out there are no rounds.
        try? await endings.send()
        try await openFirstSession()
        var rounds = 0
        var isReplaced = false
        while true {
            do {
                if try await makeRound() == .done { break }
            } catch let error as KithError where error.code == .unauthorized && !isReplaced {
                // The server no longer knows the anonymous session: another one replaces it.
                guard try await isToBeOpened() else { throw error }
                isReplaced = true
                try await openSession()
            }
            rounds += 1
            if rounds == mostRounds {
                throw KithError(.busy, "The server had more to say for \(mostRounds) rounds. Try again.")
            }
        }
        note(.tick)
    }

    func caughtUp() async throws {
        while true {
            do {
                return try await syncNow()
            } catch let error as KithError where error.code == .offline || error.code == .busy {
                let dependencies = replica.dependencies
                let (now, retryAt) = try await replica.read { (dependencies.now(), $1.schedule.retryAt) }
                try await dependencies.pause(max((retryAt ?? now) - now, .milliseconds(100)))
            }
        }
    }

    // MARK: Sessions

    private func openFirstSession() async throws {
        if try await isToBeOpened() { try await openSession() }
    }

    /// Whether a session opens by itself. This never happens in a client for one store.
    private func isToBeOpened() async throws -> Bool {
        guard replica.scope == nil else { return false }
        return try await replica.read { $1.state } == .initial
    }

    /// Opens an anonymous session. If no account is signed in, it takes over the content of the userless store.
    ///
    /// Without `new`, a session that is already open is used.
    ///
    /// - Returns: The account, and the stores that are hidden now.
    @discardableResult
    func openSession(new isNew: Bool = false) async throws -> (account: AccountID, hidden: HiddenStores) {
        guard replica.scope == nil else { throw KithError.pinned }
        return try await inTurn {
            // Another task may have opened it while this one waited.
            let before = try await replica.read { $1 }
            if !isNew, let id = before.id, before.state.isSignedIn {
                return (id, HiddenStores(stores: [], current: .account(id)))
            }
            let connection = try server.reached()
            do {
                var home = try await server.answering()
                let session = try await server.ask { try await $0.openSession() }
                if let id = session.server {
                    home.id = id
                    server.learn(id)
                }
                // Save the token first: an account without its token would be lost.
                try credentials.save(session.token, for: session.account)
                let hidden: HiddenStores? = try await replica.write { [home] transaction in
                    // If another account was activated during the request, its row is not changed.
                    guard transaction.account.device == before.device else { return nil }
                    if transaction.account.state.isSignedIn {
                        try transaction.enter(session.account, as: .anonymous, at: home)
                    } else {
                        try transaction.adopt(session.account, at: home)
                    }
                    return try transaction.hidden()
                }
                guard let hidden else {
                    try credentials.deleteToken(for: session.account)
                    try? await connection.closeSession(token: session.token)
                    throw KithError(.refused, "Another account became the current one meanwhile. Nothing was changed.")
                }
                note(.signedIn)
                return (session.account, try announce(hidden))
            } catch let error as KithError {
                _ = try rounds.fail(error, by: before.device)
                throw error
            }
        }
    }

    // MARK: Other endpoints of the server

    /// Runs `body` with the current session's token. Opens a first session if there is none.
    func withSession<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        try await withAccount { connection, token, _ in try await body(connection, token) }
    }

    /// Like ``withSession(_:)``, but also passes the token's account.
    func withAccount<T: Sendable>(
        _ body: (ServerConnection, String, AccountID) async throws -> T
    ) async throws -> T {
        let session = try await session()
        return try await server.speak(for: session.account) { try await body($0, session.token, session.id) }
    }

    /// The current account and its token, read together so that they belong to the same account. Opens a first session
    /// if there is none. ``CheckedServer/speak(for:_:)`` checks that the server is the account's own.
    package func session() async throws -> CurrentSession {
        try await openFirstSession()
        let account = try await replica.read { $1 }
        guard let id = account.id, let token = try credentials.token(for: id) else { throw KithError.noSession }
        return CurrentSession(connection: try server.reached(), token: token, account: account, id: id)
    }

    /// Like ``withSession(_:)``, but sends all waiting edits first.
    func afterRound<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        try await syncNow()
        return try await withSession(body)
    }
}

extension KithError {
    static let noSession = KithError(
        .unauthorized, "There is no session. Open a new one, or take one over by its token.")
}
