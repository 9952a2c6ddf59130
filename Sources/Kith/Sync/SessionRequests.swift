import KithModel

/// The requests of an app's calls, each with the token of the current session, and the commands that wait for a session.
package struct SessionRequests: Sendable {
    let engine: SyncEngine

    /// Sends a request with the current session. Opens a first session if there is none.
    func withSession<T: Sendable>(_ body: (SessionConnection) async throws -> T) async throws -> T {
        try await send(in: session(), body)
    }

    /// Sends a request with a session that was read before.
    package func send<T: Sendable>(
        in session: CurrentSession, _ body: (SessionConnection) async throws -> T
    ) async throws -> T {
        try await engine.server.send(for: session.account) { _ in try await body(session.connection) }
    }

    /// The current account and its token, read so that they belong together. Opens a first session if there is none.
    /// ``send(in:_:)`` checks that the server is the account's own.
    package func session() async throws -> CurrentSession {
        // Before a first session is opened for another account.
        _ = try await engine.replica.currentAccount()
        try await engine.openFirstSession()
        let account = try await engine.replica.currentAccount()
        guard let id = account.id, let token = try engine.credentials.token(for: id) else {
            throw account.state.isSignedIn ? KithError.noToken(of: account) : KithError.noSession
        }
        return CurrentSession(
            connection: try engine.server.requiredConnection().with(token: token), account: account, id: id)
    }

    /// Waits until the session is ready. While the server cannot be reached, or fails, it tries again with growing
    /// pauses, whether or not ``KithClient/run()`` runs.
    ///
    /// - Throws: ``KithError``: `reset` if the session has ended meanwhile; `unauthorized` if none opens without the
    ///   user; `tooMany`; `noServer`. `CancellationError`.
    func ready() async throws -> AccountID {
        _ = try engine.server.requiredConnection()
        // To wait does not bring the token.
        let account = try await engine.replica.read { $0.account }
        if engine.lacksToken(account) { throw KithError.noToken(of: account) }
        return try await engine.gate.ready { account in
            if account.state == .initial {
                try await engine.openFirstSession()
            } else {
                _ = try await engine.makeRound()
            }
        }
    }

    /// Runs a command as soon as the session is ready. If the server cannot be asked then, or refuses the token, the
    /// command waits again. If the server answers, but not this command, it is run once more, when the server wants it.
    ///
    /// - Throws: What the command throws; what ``ready()`` throws.
    func whenReady<Value: Sendable>(_ command: () async throws -> Value) async throws -> Value {
        try await engine.replica.forCurrentSession {
            var isAsked = false
            while true {
                _ = try await engine.replica.currentAccount()
                _ = try await ready()
                _ = try await engine.replica.currentAccount()
                do {
                    return try await command()
                } catch let error as KithError where error.mayPassWithSession {
                    guard try await isAnswering() else {
                        isAsked = false
                        continue
                    }
                    // The server answers, but not this command.
                    if isAsked { throw error }
                    isAsked = true
                    let pause = min(error.retryAfter ?? .zero, RetrySchedule.longestPause)
                    if pause > .zero { try await engine.replica.dependencies.pause(pause) }
                }
            }
        }
    }

    /// Whether the server answers a round, which also finds out whether the session is still valid. If it does not answer,
    /// this waits until the next attempt is due.
    private func isAnswering() async throws -> Bool {
        do {
            try await engine.syncNow()
            return true
        } catch let error as KithError where error.mayPassWithSession {
            try await engine.retries.pauseUntilDue()
            return false
        }
    }

    /// Like ``withSession(_:)``, but sends all waiting edits first.
    ///
    /// - Throws: ``KithError`` with `refused` if another account became the current one meanwhile.
    func afterRound<T: Sendable>(_ body: (SessionConnection) async throws -> T) async throws -> T {
        try await engine.replica.forCurrentAccount {
            try await engine.syncNow()
            return try await withSession(body)
        }
    }
}
