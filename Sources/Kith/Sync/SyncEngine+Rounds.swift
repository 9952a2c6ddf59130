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
        let connection = try server()
        // No failure of the server's: a device that is signed out stays as it is.
        guard let request = try rounds.begin() else { throw KithError.noSession }
        do {
            guard let token = try credentials.token(for: request.account) else {
                throw KithError(.unauthorized, "The session's token is gone. Activate the account again.")
            }
            try await sendPictures(of: request.account, connection, token: token)
            return try rounds.finish(request, try await connection.sync(request, token: token))
        } catch let error as KithError {
            if try rounds.fail(error, of: request) { return .again }
            throw error
        }
    }

    /// Does `work` when nobody else speaks with the server about this replica's state.
    private func inTurn<T: Sendable>(_ work: () async throws -> T) async throws -> T {
        try await turn.pass {
            setSyncing(true)
            defer { setSyncing(false) }
            return try await work()
        }
    }

    private func setSyncing(_ value: Bool) {
        state.withLock { $0.isSyncing = value }
        poke()
    }

    func syncNow() async throws {
        try await openFirstSession()
        var rounds = 0
        while try await makeRound() != .done {
            rounds += 1
            if rounds > Self.mostRounds {
                throw KithError(.busy, "The server had more to say for \(Self.mostRounds) rounds. Try again.")
            }
        }
        note(.tick)
    }

    /// So many pages of so many records are more than an account can hold.
    private static let mostRounds = 100_000

    func caughtUp() async throws {
        while true {
            do {
                return try await syncNow()
            } catch let error as KithError where error.code == .offline || error.code == .busy {
                let (now, retryAt) = try await replica.read { [surroundings = replica.surroundings] in
                    (surroundings.now(), $1.schedule.retryAt)
                }
                try await Task.sleep(for: max((retryAt ?? now) - now, .milliseconds(100)))
            }
        }
    }

    // MARK: Sessions

    private func openFirstSession() async throws {
        if try await replica.read({ $1.state }) == .initial { try await openSession() }
    }

    /// Opens an anonymous session, for what is in the userless store if no account is signed in.
    ///
    /// Unless it is to be opened `anew`, a session that is open already will do.
    @discardableResult
    func openSession(anew: Bool = false) async throws -> AccountID {
        try await inTurn {
            // Someone else may have opened it while this waited for its turn.
            let before = try await replica.read { $1 }
            if !anew, let id = before.id, before.state.isSignedIn { return id }
            let connection = try server()
            do {
                let session = try await connection.openSession()
                // First the token: an account without its token would be lost.
                try credentials.save(session.token, for: session.account)
                let isEntered = try await replica.write { transaction in
                    // Whoever was activated while the server was asked is not renamed.
                    guard transaction.account.device == before.device else { return false }
                    if transaction.account.state.isSignedIn {
                        try transaction.enter(session.account, as: .anonymous)
                    } else {
                        try transaction.adopt(session.account)
                    }
                    return true
                }
                guard isEntered else {
                    try credentials.deleteToken(for: session.account)
                    try? await connection.closeSession(token: session.token)
                    throw KithError(.refused, "Another account became the current one meanwhile. Nothing was changed.")
                }
                note(.signedIn)
                return session.account
            } catch let error as KithError {
                _ = try rounds.fail(error, by: before.device)
                throw error
            }
        }
    }

    // MARK: The server's other operations

    func withServer<T: Sendable>(_ body: (ServerConnection) async throws -> T) async throws -> T {
        try await body(server())
    }

    /// Runs `body` with the current session's token, opening a first session if need be.
    func withSession<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        try await withAccount { connection, token, _ in try await body(connection, token) }
    }

    /// The same, and says whose token it is.
    func withAccount<T: Sendable>(
        _ body: (ServerConnection, String, AccountID) async throws -> T
    ) async throws -> T {
        let session = try await session()
        return try await body(session.connection, session.token, session.id)
    }

    /// The current account and its token, by one reading, lest another be taken for it. Opens a first session if need be.
    func session() async throws -> CurrentSession {
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

    private func server() throws -> ServerConnection {
        guard let connection else { throw KithError(.noServer, "This client was made without a server.") }
        return connection
    }
}

/// Whom the server is asked for, and how it is reached: as it was at one moment.
struct CurrentSession: Sendable {
    let connection: ServerConnection
    let token: String
    let account: ReplicaAccount
    let id: AccountID
}

extension KithError {
    fileprivate static let noSession = KithError(
        .unauthorized, "There is no session. Open a new one, or take one over by its token.")
}
