import Foundation
package import KithModel

/// Adds devices to an account: a device that is signed in makes a pairing and shows it as a QR code, and a new device
/// uses it.
package struct PairingService: Sendable {
    private let database: any Database
    private let notices: AccountNotices
    private let signals: SignalSender
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of pairings and sessions.
    ///   - messages: Sends the message that a device was added.
    ///   - signals: Sends the signals of its commits.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, messages: MessageQueue, signals: SignalSender,
        random: RandomBytes = .system
    ) {
        self.database = database
        self.notices = AccountNotices(messages: messages, random: random)
        self.signals = signals
        self.random = random
    }

    /// Makes a pairing of an account. An unused earlier pairing of the session ends. A repeated request gets
    /// the pairing that it has made before, as long as that can be used.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - requester: Its session that makes the pairing.
    ///   - address: The public address of the server, with which the link begins.
    ///   - key: The key of the request; nil if it has none, so that it cannot be repeated.
    ///   - now: The server's time.
    /// - Returns: The pairing. Only its link has the token; the server stores the token's SHA-256.
    /// - Throws: ``ServerError``: `quotaExceeded` if the account has made too many today; `codeExpired` if the request
    ///   is repeated, and its pairing has expired, or was used or ended.
    package func make(
        for account: AccountID, by requester: Requester, address: String, key: RequestKey? = nil, at now: Timestamp
    ) async throws -> Pairing {
        let quota = DailyQuota(kind: "pairings", noun: "QR codes for new devices", limit: PairingLimits.aDay)
        return try await database.write { transaction in
            let source = try key?.secrets(of: ["pairing", requester.token], random: random, in: transaction) ?? random
            let token = source.token()
            let link = "\(address)/pair#\(token)"
            if key != nil, let made = try PairingRow.find(token, in: transaction) {
                guard made.state(at: now) == .open else {
                    throw ServerError(
                        .codeExpired,
                        """
                        The QR code that this request has made before has expired, or was used or ended. Send a new \
                        Idempotency-Key.
                        """)
                }
                return Pairing(id: made.id, link: link, expires: made.expires)
            }
            try quota.take(by: .account(account), at: now, in: transaction)
            let id = PairingID(at: now, random: random)
            try PairingRow.insert(
                id, of: account, session: requester.session, token: token, at: now, in: transaction)
            return Pairing(id: id, link: link, expires: now + PairingLimits.lifetime)
        }
    }

    /// The state of a pairing of an account.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the account has no such pairing.
    package func status(
        of id: PairingID, of account: AccountID, at now: Timestamp
    ) async throws -> PairingStatus {
        try await database.read { transaction in
            guard let row = try PairingRow.find(id, of: account, in: transaction), !row.isEnded else {
                throw ServerError(.notFound, "The account has no such pairing. Make a new one.")
            }
            var status = PairingStatus(state: row.state(at: now), expires: row.expires, device: row.device)
            if let opened = row.opened, try SessionTable.exists(opened, in: transaction) {
                status.session = SessionID(tokenHash: opened)
            }
            return status
        }
    }

    /// Ends a pairing of an account. A pairing that was used, or does not exist, stays as it is.
    package func end(_ id: PairingID, of account: AccountID) async throws {
        try await database.write { transaction in try PairingRow.end(id, of: account, in: transaction) }
    }

    /// Opens a session of the account that made the pairing.
    ///
    /// The same session can use the pairing again within its ten minutes, because the answer may be lost. The answer then
    /// has the same token. The account's emails receive one message.
    ///
    /// - Throws: ``ServerError``: `malformed` if the device's name is too long or has a NUL; `codeExpired` if the token is
    ///   unknown or has expired, another session has used it, or the session that made it is closed; `conflict` if the
    ///   requesting session already belongs to that account.
    package func use(
        _ use: PairingUse, by requester: Requester, at now: Timestamp
    ) async throws -> PairedSession {
        try SignInForm.check(device: use.device)
        let server = database.server
        let paired = try await signals.commit(in: database) { transaction in
            try self.use(use, by: requester, server: server, at: now, in: transaction)
        }
        notices.wake()
        return paired
    }

    private func use(
        _ use: PairingUse, by requester: Requester, server: ServerID, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Committed<PairedSession> {
        guard var row = try PairingRow.find(use.token, in: transaction), row.isValid(at: now) else {
            throw Self.expired
        }
        // Also if it is the device that has used it: the command that did was ended before it could say so.
        guard row.account != requester.account else {
            throw ServerError(.conflict, "This device is already signed in to that account.")
        }
        guard row.user == nil || row.user == requester.session,
            let kind = try AccountKind.read(row.account, in: transaction)
        else { throw Self.expired }
        try AccountLock.take([row.account], in: transaction)
        // The session that made it may have been closed while this transaction waited.
        if transaction.dialect.hasSeveralWriters, try PairingRow.find(use.token, in: transaction) == nil {
            throw Self.expired
        }
        let session = try RepeatableSession(
            of: row.account, from: ["pairing", use.token, requester.token], random: random, in: transaction)
        let opened = try session.open(repeating: row.opened, device: use.device, at: now, in: transaction)
        guard let signals = opened else {
            throw ServerError(.codeExpired, "This QR code was used, and its session was closed. Show a new one.")
        }
        if row.user == nil {
            try notices.deviceAdded(
                use.device, at: requester.address.description, to: row.account, at: now, in: transaction)
        }
        (row.user, row.opened, row.device) = (requester.session, session.hash, use.device ?? row.device)
        try row.update(in: transaction)
        return Committed(
            PairedSession(account: row.account, token: session.token, kind: kind, server: server), signals: signals)
    }

    private static let expired = ServerError(
        .codeExpired, "This QR code has expired, or was used or ended. Show a new one on the other device.")
}
