import Foundation
package import KithModel

/// Opens, verifies and closes sessions.
///
/// A session's token has 256 random bits and is shown once. The server stores only its SHA-256, so that a stolen
/// database opens no session.
package struct SessionService: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let random: @Sendable () -> [UInt8]

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the sessions.
    ///   - signals: Sends the signals of its commits.
    ///   - random: Returns 32 fresh random bytes: those of libsodium, unless a test supplies its own.
    package init(
        database: any Database, signals: SignalSender, random: (@Sendable () -> [UInt8])? = nil
    ) {
        self.database = database
        self.signals = signals
        self.random = random ?? { Secret.random() }
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
                session.token = Secret.token(try key.secrets(of: ["session"], random: random, in: transaction))
                if let opened = try Sessions.opened(by: session.token, in: transaction) {
                    guard opened.hasAccount else {
                        throw ServerError(
                            .conflict, "The account of this session was deleted. Send a new Idempotency-Key.")
                    }
                    try RequestKey.checkAge(of: opened.created, at: now)
                    session.account = opened.account
                    return session
                }
            }
            try Sessions.insert(session, at: now, in: transaction)
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
                try Sessions.describe(tokenHash: hash, on: server, in: transaction)
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
            let account = try Sessions.delete(token, in: transaction)
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
    ///   - token: The token of the session that asks.
    /// - Returns: The sessions.
    /// - Throws: ``ServerError`` with the code `busy` if the database is not available.
    package func list(of account: AccountID, by token: String) async throws -> SessionList {
        let entries = try await database.read { transaction in
            try Sessions.all(of: account, current: SessionID(token: token), in: transaction)
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
            try Self.setDevice(name.device, of: hash, in: transaction)
            let account: AccountID? = try transaction.query(
                "SELECT account FROM session WHERE token_hash = ?", [.bytes(hash)]
            ).first?.id(0)
            return Committed((), signals: Signals(changedSessions: Set([account].compactMap(\.self))))
        }
    }

    /// Closes one session of an account.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the account has no such session.
    package func close(_ session: SessionID, of account: AccountID) async throws {
        try await signals.commit(in: database) { transaction in
            let closed = try Sessions.delete([session], of: account, in: transaction)
            guard !closed.isEmpty else { throw ServerError(.notFound, "The account has no such session.") }
            return Committed((), signals: Signals(closedSessions: closed, changedSessions: [account]))
        }
    }

    /// Closes all sessions of an account, the one that asks included.
    package func closeAll(of account: AccountID) async throws {
        try await signals.commit(in: database) { transaction in
            try AccountLock.take([account], in: transaction)
            let closed = try Sessions.delete(nil, of: account, in: transaction)
            try Self.endUnclaimedSignIns(to: account, in: transaction)
            return Committed((), signals: Signals(closedSessions: closed))
        }
    }

    /// Closes all sessions of an account but one.
    package func closeOthers(of account: AccountID, keeping token: String) async throws {
        let own = SessionID(token: token)
        try await signals.commit(in: database) { transaction in
            try AccountLock.take([account], in: transaction)
            let all = try Sessions.all(of: account, current: own, in: transaction)
            let closed = try Sessions.delete(Set(all.map(\.id)).subtracting([own]), of: account, in: transaction)
            try Self.endUnclaimedSignIns(to: account, in: transaction)
            return Committed((), signals: Signals(closedSessions: closed, changedSessions: [account]))
        }
    }

    private func newSession(at now: Timestamp, on server: ServerID) -> NewSession {
        let token = Secret.token(random)
        return NewSession(account: AccountID(at: now, random: random), token: token, server: server)
    }
}

extension SessionService {
    /// Ends the sign-ins with a passkey that a web page has finished and no device has claimed yet.
    static func endUnclaimedSignIns(to account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            "DELETE FROM ceremony WHERE account = ? AND kind = 'signingIn' AND opened IS NULL", [.id(account)])
    }

    /// Whether an account can be used with one session and with nothing else: it has no other session and no way in. Lock the
    /// account first, so that this stays true until the commit.
    ///
    /// - Parameters:
    ///   - session: The SHA-256 of the session's token.
    ///   - account: The account.
    ///   - transaction: The transaction that depends on the answer.
    /// - Returns: Whether it is so. false if the account was deleted.
    /// - Throws: ``ServerError`` if the database fails.
    static func isOnlyAccess(_ session: Data, to account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM account WHERE account.id = ? AND account.kind = 'anonymous'
                AND NOT EXISTS (SELECT 1 FROM session WHERE session.account = account.id AND session.token_hash <> ?)
                AND NOT EXISTS (SELECT 1 FROM recovery WHERE recovery.account = account.id)
            """, [.id(account), .bytes(session)])
    }

    /// Closes the session of a browser that has waited for a code. Nothing else of its account ends, because the account may
    /// be in use elsewhere.
    ///
    /// - Parameters:
    ///   - session: The SHA-256 of the session's token.
    ///   - account: The account of the session.
    ///   - transaction: The transaction of the sign-in, which opens a new session.
    /// - Returns: The signals to send after the commit.
    /// - Throws: ``ServerError`` if the database fails.
    static func endWaiting(
        _ session: Data, of account: AccountID, in transaction: any Transaction
    ) throws -> Signals {
        let closed = try Sessions.delete([SessionID(tokenHash: session)], of: account, in: transaction)
        return Signals(closedSessions: closed, changedSessions: [account])
    }

    /// Creates an account with its feed, unless it exists.
    static func insertAccount(_ account: AccountID, at now: Timestamp, in transaction: any Transaction) throws {
        if try transaction.exists("SELECT 1 FROM account WHERE id = ?", [.id(account)]) { return }
        try transaction.execute(
            "INSERT INTO account (id, kind, created) VALUES (?, ?, ?)",
            [.id(account), .text("anonymous"), .time(now)])
        let feed = FeedRow(id: account.retyped(), kind: .account, writtenAt: now)
        try FeedRow.insert([feed], in: transaction)
        try transaction.execute(
            "INSERT INTO access (account, feed, role) VALUES (?, ?, ?)",
            [.id(account), .id(feed.id), .text(Role.owner.rawValue)])
    }

    /// Opens a session of an existing account.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the account was deleted meanwhile.
    static func insert(
        _ token: String, of account: AccountID, device: String? = nil, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        // Whoever closes all sessions at the same moment closes this one, or has finished before.
        try AccountLock.takeExisting(account, in: transaction)
        try transaction.execute(
            "INSERT INTO session (token_hash, account, created, device, used) VALUES (?, ?, ?, ?, ?)",
            [
                .bytes(Secret.sha256(token)), .id(account), .time(now), .text(device),
                .time(SessionUses.hour(of: now)),
            ])
    }

    /// The token of the session that a sign-in opens. If the sign-in is repeated, the token is the same. So the device keeps
    /// a valid token whichever of the answers it receives, and in whichever order its requests arrive.
    ///
    /// A key of the database derives it from secrets of the device. The database has only hashes of these secrets, so
    /// neither the device nor a thief of the database can compute the token alone.
    ///
    /// - Parameters:
    ///   - account: The account of the session.
    ///   - secrets: What identifies the sign-in. One of them has 256 random bits that only the device knows.
    ///   - random: Returns 32 fresh random bytes, for the key.
    ///   - transaction: The transaction of the sign-in.
    /// - Returns: The token.
    /// - Throws: ``ServerError`` if the database fails.
    static func token(
        of account: AccountID, from secrets: [String], random: () -> [UInt8], in transaction: any Transaction
    ) throws -> String {
        let key = try Meta.findOrCreateKey("sessionKey", random, in: transaction)
        let source = ([account.description] + secrets).joined(separator: "\0")
        var attempt = 0
        return Secret.token {
            attempt += 1
            return Array(Secret.hmac("session\0\(attempt)\0\(source)", key: key))
        }
    }

    /// Opens a session of an existing account for a device that signs in. A repeated sign-in has the session of the first time.
    ///
    /// - Parameters:
    ///   - token: The token of the session: see ``token(of:from:random:in:)``.
    ///   - earlier: The hash of the token that the sign-in has given before; nil the first time.
    ///   - account: The account.
    ///   - device: The name of the device.
    ///   - now: The server's time.
    ///   - transaction: The transaction of the sign-in.
    /// - Returns: The signals to send after the commit. nil if the earlier session is gone: it was closed, and does not come
    ///   back.
    /// - Throws: ``ServerError`` if the database fails.
    static func insert(
        _ token: String, repeating earlier: Data?, of account: AccountID, device: String?, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Signals? {
        if let earlier {
            let isOpen = try transaction.exists("SELECT 1 FROM session WHERE token_hash = ?", [.bytes(earlier)])
            return isOpen && earlier == Secret.sha256(token) ? Signals() : nil
        }
        try insert(token, of: account, device: device, at: now, in: transaction)
        return Signals(changedSessions: [account])
    }

    /// Stores the name of the device of the session whose token has this hash, unless its account was deleted.
    static func setDevice(_ name: String?, of session: Data, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            UPDATE session SET device = ? WHERE token_hash = ?
                AND EXISTS (SELECT 1 FROM account WHERE account.id = session.account)
            """, [.text(name), .bytes(session)])
    }
}

extension SessionService {
    /// ``open(at:)`` without waiting, for the simulation.
    package func openNow(at now: Timestamp, on database: any ImmediateDatabase) throws -> NewSession {
        let session = newSession(at: now, on: database.server)
        try database.writeNow { transaction in try Sessions.insert(session, at: now, in: transaction) }
        return session
    }

    /// ``verify(_:)`` without waiting, for the simulation.
    package func verifyNow(_ token: String, on database: any ImmediateDatabase) throws -> SessionDescription? {
        let server = database.server
        return try database.readNow { transaction in
            try Sessions.describe(tokenHash: Secret.sha256(token), on: server, in: transaction)?.session
        }
    }

    /// ``close(_:)`` without waiting, for the simulation.
    package func closeNow(_ token: String, on database: any ImmediateDatabase) throws -> Bool {
        try database.writeNow { transaction in try Sessions.delete(token, in: transaction) != nil }
    }
}

/// The SQL statements of ``SessionService``.
private enum Sessions {
    static func insert(_ session: NewSession, at now: Timestamp, in transaction: any Transaction) throws {
        try SessionService.insertAccount(session.account, at: now, in: transaction)
        try SessionService.insert(session.token, of: session.account, at: now, in: transaction)
    }

    static func describe(
        tokenHash hash: Data, on server: ServerID, in transaction: any Transaction
    ) throws -> (session: SessionDescription, used: Timestamp?)? {
        try transaction.lastQuery(
            """
            SELECT session.account, account.kind, session.created, session.used
            FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = ?
            """, [.bytes(hash)]
        ).first.map { row in
            if row.isNull(1) { throw ServerError.accountClosed }
            let session = SessionDescription(
                account: try row.id(0), kind: try row.text(1), created: try row.time(2), server: server)
            return (session, try row.optionalTime(3))
        }
    }

    /// The account of a session, whether it still exists, and when the session was opened; nil if there is no such session.
    static func opened(
        by token: String, in transaction: any Transaction
    ) throws -> (account: AccountID, hasAccount: Bool, created: Timestamp)? {
        try transaction.query(
            """
            SELECT session.account, account.id, session.created
            FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = ?
            """, [.bytes(Secret.sha256(token))]
        ).first.map { (try $0.id(0), !$0.isNull(1), try $0.time(2)) }
    }

    /// Deletes a session.
    ///
    /// - Returns: Its account; nil if there was no such session.
    static func delete(_ token: String, in transaction: any Transaction) throws -> AccountID? {
        try transaction.query(
            "DELETE FROM session WHERE token_hash = ? RETURNING account", [.bytes(Secret.sha256(token))]
        ).first?.id(0)
    }

    static func all(
        of account: AccountID, current: SessionID, in transaction: any Transaction
    ) throws -> [SessionEntry] {
        try transaction.query(
            "SELECT token_hash, device, created, used FROM session WHERE account = ? ORDER BY created, token_hash",
            [.id(account)]
        ).map { row in
            let id = SessionID(tokenHash: try row.bytes(0))
            return SessionEntry(
                id: id, device: try row.optionalText(1), created: try row.time(2),
                lastUsed: try row.optionalTime(3), isCurrent: id == current)
        }
    }

    /// Deletes sessions of an account; all of them if `sessions` is nil.
    ///
    /// - Returns: The deleted sessions.
    static func delete(
        _ sessions: Set<SessionID>?, of account: AccountID, in transaction: any Transaction
    ) throws -> Set<SessionID> {
        let hashes = try transaction.query("SELECT token_hash FROM session WHERE account = ?", [.id(account)])
            .map { try $0.bytes(0) }.filter { sessions?.contains(SessionID(tokenHash: $0)) ?? true }
        try transaction.delete(from: "session", ["token_hash"], hashes.map { [.bytes($0)] })
        return Set(hashes.map { SessionID(tokenHash: $0) })
    }
}
