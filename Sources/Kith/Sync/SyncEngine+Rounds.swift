import GRDB
import KithModel
import Synchronization

/// Rounds, and what is asked of the server besides.
extension SyncEngine {
    /// One round: push, then pull, in one exchange.
    func makeRound() async throws -> Rounds.Next {
        try await inTurn { try await exchange() }
    }

    private func exchange() async throws -> Rounds.Next {
        _ = try server()
        let account = try await replica.read { $1 }
        // No failure of the server's: a device that is signed out stays as it is.
        guard account.id != nil, account.state.isSignedIn else { throw KithError.noSession }
        var request: SyncRequest?
        do {
            // Before anything is numbered: to another server nothing was ever on its way.
            try await findHome(of: account)
            guard let begun = try rounds.begin(), begun.device == account.device else { return .again }
            request = begun
            guard let token = try credentials.token(for: begun.account) else {
                throw KithError(.unauthorized, "The session's token is gone. Activate the account again.")
            }
            let next = try await speak(for: account) { connection in
                try await sendPictures(of: begun.account, connection, token: token)
                return try rounds.finish(begun, try await connection.sync(begun, token: token))
            }
            try? await endSessions()
            return next
        } catch let error as KithError {
            if try rounds.fail(error, by: account.device, mutations: request?.mutations ?? []) { return .again }
            throw error
        }
    }

    /// Does `work` when nobody else speaks with the server about this replica's state.
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
        // Not part of the round: whoever has logged out makes none.
        try? await endSessions()
        try await openFirstSession()
        var rounds = 0
        var isReplaced = false
        while true {
            do {
                if try await makeRound() == .done { break }
            } catch let error as KithError where error.code == .unauthorized && !isReplaced {
                // An anonymous session that the server no longer knows: another one opens in its place.
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

    /// Whether a session opens by itself. In a client for one store none does.
    private func isToBeOpened() async throws -> Bool {
        guard replica.scope == nil else { return false }
        return try await replica.read { $1.state } == .initial
    }

    /// Opens an anonymous session, for what is in the userless store if no account is signed in.
    ///
    /// Unless it is to be a `new` one, a session that is open already will do.
    ///
    /// - Returns: The account, and what is hidden now.
    @discardableResult
    func openSession(new isNew: Bool = false) async throws -> (account: AccountID, hidden: HiddenStores) {
        guard replica.scope == nil else { throw KithError.pinned }
        return try await inTurn {
            // Someone else may have opened it while this waited for its turn.
            let before = try await replica.read { $1 }
            if !isNew, let id = before.id, before.state.isSignedIn {
                return (id, HiddenStores(stores: [], current: .account(id)))
            }
            let connection = try server()
            do {
                var home = try await answering()
                let session = try await ask { try await $0.openSession() }
                if let id = session.server {
                    home.id = id
                    learn(id)
                }
                // First the token: an account without its token would be lost.
                try credentials.save(session.token, for: session.account)
                let hidden: HiddenStores? = try await replica.write { [home] transaction in
                    // Whoever was activated while the server was asked is not renamed.
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

    // MARK: The server's other operations

    /// Runs `body` with the current session's token, opening a first session if need be.
    func withSession<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        try await withAccount { connection, token, _ in try await body(connection, token) }
    }

    /// The same, and says whose token it is.
    func withAccount<T: Sendable>(
        _ body: (ServerConnection, String, AccountID) async throws -> T
    ) async throws -> T {
        let session = try await session()
        return try await speak(for: session.account) { try await body($0, session.token, session.id) }
    }

    /// The current account and its token, by one reading, so that both are of the same account. Opens a first session if need be.
    /// Whether the server that answers is the account's own is asked by ``speak(for:_:)``.
    package func session() async throws -> CurrentSession {
        try await openFirstSession()
        let account = try await replica.read { $1 }
        guard let id = account.id, let token = try credentials.token(for: id) else { throw KithError.noSession }
        return CurrentSession(connection: try server(), token: token, account: account, id: id)
    }

    /// The same, when everything that waits has been sent.
    func afterRound<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        try await syncNow()
        return try await withSession(body)
    }
}

/// Whom the server is asked for, and how it is reached: as it was at one moment.
package struct CurrentSession: Sendable {
    package let connection: ServerConnection
    package let token: String
    package let account: ReplicaAccount
    let id: AccountID
}

extension KithError {
    static let noSession = KithError(
        .unauthorized, "There is no session. Open a new one, or take one over by its token.")
}
