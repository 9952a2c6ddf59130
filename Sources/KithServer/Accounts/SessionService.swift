import Foundation
package import KithModel

/// Opens, verifies and closes sessions.
///
/// A session's token has 256 random bits and is shown once. The server stores only its SHA-256, so that a stolen
/// database opens no session.
package struct SessionService: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the sessions.
    ///   - signals: Sends the signals of its commits.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, signals: SignalSender, random: RandomBytes = .system
    ) {
        self.database = database
        self.signals = signals
        self.random = random
    }

    /// Opens an anonymous session: a new account with its feed, and its token. A repeated request gets the session that
    /// it has opened before.
    ///
    /// - Parameters:
    ///   - key: The key of the request; nil if it has none, so that it cannot be repeated.
    ///   - now: The server's time.
    /// - Returns: The session.
    /// - Throws: ``ServerError`` with the code `conflict` if the request is repeated too late or its account was deleted, or if
    ///   the database fails.
    package func open(_ key: RequestKey? = nil, at now: Timestamp) async throws -> NewSession {
        let new = newSession(at: now, on: database.server)
        return try await database.write { [random] transaction in
            var session = new
            if let key {
                session.token = try key.secrets(of: ["session"], random: random, in: transaction).token()
                if let opened = try SessionTable.opening(of: Secret.sha256(session.token), in: transaction) {
                    guard opened.hasAccount else {
                        throw ServerError(
                            .conflict, "The account of this session was deleted. Send a new Idempotency-Key.")
                    }
                    try RequestKey.checkAge(of: opened.created, at: now)
                    session.account = opened.account
                    return session
                }
            }
            try Self.insert(session, at: now, in: transaction)
            return session
        }
    }

    /// The session of `token`; nil if there is none, or if it was closed.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if its account was deleted.
    package func verify(_ token: String) async throws -> SessionDescription? {
        let found = try await find(tokenHash: Secret.sha256(token))
        try await database.waitUntilDurable()
        return found?.session
    }

    /// The session whose token has this SHA-256, and when it was last used as far as that is stored; nil if there is none.
    ///
    /// It may see a session that is not yet durable; see ``Database/check(_:)``.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if its account was deleted.
    func find(tokenHash hash: Data) async throws -> (session: SessionDescription, used: Timestamp?)? {
        let server = database.server
        do {
            let found = try await database.check { transaction in
                try SessionTable.find(hash, on: server, in: transaction)
            }
            // Those who have no session are refused without another transaction.
            if found == nil { try await database.waitUntilDurable() }
            return found
        } catch {
            try await database.waitUntilDurable()
            throw error
        }
    }

    /// Closes the session of `token`, and returns whether there was one.
    @discardableResult package func close(_ token: String) async throws -> Bool {
        try await signals.commit(in: database) { transaction in
            let account = try SessionTable.delete(Secret.sha256(token), in: transaction)
            return Committed(
                account != nil,
                signals: Signals(
                    closedSessions: [SessionID(token: token)], changedSessions: account.map { [$0] } ?? []))
        }
    }

    /// The sessions of an account, oldest first.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - token: The token of the session that asks, which is always in the list.
    ///   - count: The most sessions in the list. Of more, it has the newest.
    /// - Returns: The sessions.
    /// - Throws: ``ServerError`` with the code `busy` if the database is not available.
    package func list(
        of account: AccountID, by token: String, newest count: Int = Limits.sessions
    ) async throws -> SessionList {
        let current = Secret.sha256(token)
        let entries = try await database.read { transaction in
            try SessionTable.newest(count, of: account, current: current, in: transaction)
        }
        return SessionList(sessions: entries)
    }

    /// Sets the name of the device of a session.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the name is too long or has a NUL.
    package func name(_ token: String, _ name: SessionName) async throws {
        try SignInForm.check(device: name.device)
        let hash = Secret.sha256(token)
        try await signals.commit(in: database) { transaction in
            try SessionTable.setDevice(name.device, of: hash, in: transaction)
            let account = try SessionTable.account(of: hash, in: transaction)
            return Committed((), signals: Signals(changedSessions: Set([account].compactMap(\.self))))
        }
    }

    /// Closes one session of an account.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the account has no such session.
    package func close(_ session: SessionID, of account: AccountID) async throws {
        try await signals.commit(in: database) { transaction in
            let closed = try SessionTable.delete([session], of: account, in: transaction)
            guard !closed.isEmpty else { throw ServerError(.notFound, "The account has no such session.") }
            return Committed((), signals: Signals(closedSessions: closed, changedSessions: [account]))
        }
    }

    /// Closes all sessions of an account, the one that asks included.
    package func closeAll(of account: AccountID) async throws {
        try await signals.commit(in: database) { transaction in
            try AccountLock.take([account], in: transaction)
            let closed = try SessionTable.delete(nil, of: account, in: transaction)
            try Self.endUnclaimedSignIns(to: account, in: transaction)
            return Committed((), signals: Signals(closedSessions: closed))
        }
    }

    /// Closes all sessions of an account but one.
    package func closeOthers(of account: AccountID, keeping token: String) async throws {
        let own = SessionID(token: token)
        try await signals.commit(in: database) { transaction in
            try AccountLock.take([account], in: transaction)
            let closed = try SessionTable.delete(nil, keeping: own, of: account, in: transaction)
            try Self.endUnclaimedSignIns(to: account, in: transaction)
            return Committed((), signals: Signals(closedSessions: closed, changedSessions: [account]))
        }
    }

    private func newSession(at now: Timestamp, on server: ServerID) -> NewSession {
        let token = random.token()
        return NewSession(account: AccountID(at: now, random: random), token: token, server: server)
    }

    private static func insert(_ session: NewSession, at now: Timestamp, in transaction: any Transaction) throws {
        try AccountTable.insertIfMissing(session.account, at: now, in: transaction)
        try SessionTable.insert(Secret.sha256(session.token), of: session.account, at: now, in: transaction)
    }

    /// Ends the sign-ins with a passkey that a web page has finished and no device has claimed yet.
    static func endUnclaimedSignIns(to account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            "DELETE FROM ceremony WHERE account = ? AND kind = 'signingIn' AND opened IS NULL", [.id(account)])
    }
}

extension SessionService {
    /// ``open(_:at:)`` without waiting, for the simulation and for tests.
    package func openNow(at now: Timestamp, on database: any ImmediateDatabase) throws -> NewSession {
        let session = newSession(at: now, on: database.server)
        try database.writeNow { transaction in try Self.insert(session, at: now, in: transaction) }
        return session
    }
}
