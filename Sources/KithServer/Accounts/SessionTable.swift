import Foundation
import KithModel

/// The statements over the table `session`.
///
/// `session` is always the SHA-256 of the session's token: the token itself is not stored. The rows of a deleted account
/// stay, so that its devices learn of the deletion.
enum SessionTable {
    // MARK: One session

    /// Stores the first session of an account. ``open(_:of:device:at:in:)`` adds further ones.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the account was deleted meanwhile.
    static func insert(
        _ session: Data, of account: AccountID, device: String? = nil, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        // Whoever closes all sessions at the same moment closes this one, or has finished before.
        try AccountLock.takeExisting(account, in: transaction)
        try transaction.execute(
            "INSERT INTO session (token_hash, account, created, device, used) VALUES (?, ?, ?, ?, ?)",
            [.bytes(session), .id(account), .time(now), .text(device), .time(SessionUses.hour(of: now))])
    }

    /// Adds a session to an existing account. Beyond ``Limits/sessions``, the account's least recently used ones are closed.
    ///
    /// A sign-in is never refused for this limit: whoever has lost all devices could not close a session first.
    ///
    /// - Returns: The signals to send after the commit.
    /// - Throws: ``ServerError`` with the code `busy` if the account was deleted meanwhile.
    static func open(
        _ session: Data, of account: AccountID, device: String?, at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals {
        try insert(session, of: account, device: device, at: now, in: transaction)
        // The limit bounds this statement, too: an older program may have stored any number of sessions. Uses are stored in
        // hours. A session that was opened before the hour of its last use is in use, so those that were only opened in that
        // hour are closed first.
        let surplus = try transaction.query(
            """
            SELECT token_hash FROM session WHERE account = ? AND token_hash <> ?
            ORDER BY COALESCE(used, created) DESC, CASE WHEN created < used THEN 0 ELSE 1 END, created DESC, token_hash
            LIMIT ? OFFSET ?
            """,
            [
                .id(account), .bytes(session), .integer(Int64(Limits.sessions)), .integer(Int64(Limits.sessions - 1)),
            ]
        ).map { try $0.bytes(0) }
        try transaction.delete(from: "session", ["token_hash"], surplus.map { [.bytes($0)] })
        return Signals(
            closedSessions: Set(surplus.map { SessionID(tokenHash: $0) }), changedSessions: [account])
    }

    /// A session, and when it was last used as far as that is stored; nil if there is none. Nothing may follow it in the
    /// transaction.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if its account was deleted.
    static func find(
        _ session: Data, on server: ServerID, in transaction: any Transaction
    ) throws -> (session: SessionDescription, used: Timestamp?)? {
        try transaction.lastQuery(
            """
            SELECT session.account, account.kind, session.created, session.used
            FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = ?
            """, [.bytes(session)]
        ).first.map { row in
            if row.isNull(1) { throw ServerError.accountClosed }
            let session = SessionDescription(
                account: try row.id(0), kind: try row.text(1), created: try row.time(2), server: server)
            return (session, try row.optionalTime(3))
        }
    }

    /// The account of a session, whether it still exists, and when the session was opened; nil if there is no such session.
    static func opening(
        of session: Data, in transaction: any Transaction
    ) throws -> (account: AccountID, hasAccount: Bool, created: Timestamp)? {
        try transaction.query(
            """
            SELECT session.account, account.id, session.created
            FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = ?
            """, [.bytes(session)]
        ).first.map { (try $0.id(0), !$0.isNull(1), try $0.time(2)) }
    }

    /// The account of a session, which may have been deleted; nil if there is no such session.
    static func account(of session: Data, in transaction: any Transaction) throws -> AccountID? {
        try transaction.query("SELECT account FROM session WHERE token_hash = ?", [.bytes(session)]).first?.id(0)
    }

    /// The account of a session.
    ///
    /// - Throws: ``ServerError``: `tokenInvalid` if there is no such session; `accountClosed` if its account was deleted.
    static func existingAccount(of session: Data, in transaction: any Transaction) throws -> AccountID {
        let row = try transaction.query(
            "SELECT account.id FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = ?",
            [.bytes(session)]
        ).first
        guard let row else { throw ServerError.unknownToken }
        if row.isNull(0) { throw ServerError.accountClosed }
        return try row.id(0)
    }

    /// Whether there is a session. Its account may have been deleted.
    static func exists(_ session: Data, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM session WHERE token_hash = ?", [.bytes(session)])
    }

    /// Whether there is a session of an account.
    static func exists(_ session: Data, of account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM session WHERE token_hash = ? AND account = ?", [.bytes(session), .id(account)])
    }

    /// Whether there is a session, and its account was not deleted.
    static func hasAccount(_ session: Data, in transaction: any Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM session JOIN account ON account.id = session.account WHERE token_hash = ?",
            [.bytes(session)])
    }

    /// Whether an account can be used with one session and with nothing else: it has no other session and no way in. Lock the
    /// account first, so that this stays true until the commit.
    ///
    /// - Parameters:
    ///   - session: The session.
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

    /// Stores the name of the device of a session, unless its account was deleted.
    ///
    /// With `keepingOld`, a session that has a name already keeps it: its user may have chosen that name.
    static func setDevice(
        _ name: String?, keepingOld: Bool = false, of session: Data, in transaction: any Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE session SET device = ? WHERE token_hash = ?\(keepingOld ? " AND device IS NULL" : "")
                AND EXISTS (SELECT 1 FROM account WHERE account.id = session.account)
            """, [.text(name), .bytes(session)])
    }

    /// Stores the hour in which a session was last used, unless its account was deleted.
    static func setUse(_ hour: Timestamp, of session: Data, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            UPDATE session SET used = ? WHERE token_hash = ?
                AND EXISTS (SELECT 1 FROM account WHERE account.id = session.account)
            """, [.time(hour), .bytes(session)])
    }

    /// Deletes a session.
    ///
    /// - Returns: Its account; nil if there was no such session.
    static func delete(_ session: Data, in transaction: any Transaction) throws -> AccountID? {
        try transaction.query("DELETE FROM session WHERE token_hash = ? RETURNING account", [.bytes(session)]).first?
            .id(0)
    }

    // MARK: The sessions of an account

    /// The newest sessions of an account, oldest first. The current one is among them, however old it is.
    static func newest(
        _ count: Int, of account: AccountID, current: Data, in transaction: any Transaction
    ) throws -> [SessionEntry] {
        try transaction.query(
            """
            SELECT token_hash, device, created, used FROM session WHERE account = ?
            ORDER BY CASE WHEN token_hash = ? THEN 0 ELSE 1 END, created DESC, token_hash DESC LIMIT ?
            """, [.id(account), .bytes(current), .integer(Int64(count))]
        ).map { row in
            let hash = try row.bytes(0)
            return SessionEntry(
                id: SessionID(tokenHash: hash), device: try row.optionalText(1), created: try row.time(2),
                lastUsed: try row.optionalTime(3), isCurrent: hash == current)
        }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// Deletes sessions of an account: those of `sessions`, or all if it is nil; `kept` stays.
    ///
    /// - Returns: The deleted sessions.
    static func delete(
        _ sessions: Set<SessionID>?, keeping kept: SessionID? = nil, of account: AccountID,
        in transaction: any Transaction
    ) throws -> Set<SessionID> {
        let hashes = try transaction.query("SELECT token_hash FROM session WHERE account = ?", [.id(account)])
            .map { try $0.bytes(0) }
            .filter { hash in
                let id = SessionID(tokenHash: hash)
                return id != kept && sessions?.contains(id) ?? true
            }
        try transaction.delete(from: "session", ["token_hash"], hashes.map { [.bytes($0)] })
        return Set(hashes.map { SessionID(tokenHash: $0) })
    }

    /// Deletes the personal data in the sessions of a deleted account.
    static func forget(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute("UPDATE session SET device = NULL, used = NULL WHERE account = ?", [.id(account)])
    }
}
