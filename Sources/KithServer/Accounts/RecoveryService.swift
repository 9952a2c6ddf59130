import Foundation
package import KithModel

/// Makes recovery codes, and signs in with them.
///
/// A code gives access to an account whose devices and email are lost. It is shown once and used once. Each code and
/// each set is reported to the emails of the account, so that its owner notices somebody else.
package struct RecoveryService: Sendable {
    private let database: any Database
    private let messages: MessageQueue
    private let signals: SignalSender
    private let limits: RecoveryLimits
    private let random: @Sendable () -> [UInt8]

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of codes and sessions.
    ///   - messages: Sends the notices.
    ///   - signals: Sends the signals of its commits.
    ///   - limits: The limits.
    ///   - random: Returns 32 fresh random bytes.
    package init(
        database: any Database, messages: MessageQueue, signals: SignalSender = .none,
        limits: RecoveryLimits = RecoveryLimits(), random: @escaping @Sendable () -> [UInt8] = { Secret.random() }
    ) {
        self.database = database
        self.messages = messages
        self.signals = signals
        self.limits = limits
        self.random = random
    }

    /// Makes a new set of codes. The codes of the old set are worthless from then on.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - languages: The wanted languages of the notice, best first.
    ///   - place: Where the request comes from, for the notice.
    ///   - now: The time.
    /// - Returns: The codes, which the server does not store.
    /// - Throws: ``ServerError`` with the code `malformed` if a language is not a tag.
    package func create(
        for account: AccountID, languages: [String], place: String, at now: Timestamp
    ) async throws -> RecoveryCodeSet {
        try Self.check(languages)
        let codes = (0..<RecoveryLimits.codes).map { _ in RecoveryCode(random: random) }
        try await database.write { transaction in
            let hashes = try codes.map { try RecoveryRow.hash($0, random: random, in: transaction) }
            try RecoveryRow.replace(hashes, of: account, at: now, in: transaction)
            try tell(account, ["place": place], languages, at: now, in: transaction)
        }
        messages.wake()
        return RecoveryCodeSet(codes: codes.map(\.text), created: now)
    }

    /// How many codes an account has.
    package func status(of account: AccountID) async throws -> RecoveryStatus {
        let (all, left, created) = try await database.read { try RecoveryRow.count(of: account, in: $0) }
        return RecoveryStatus(codes: all, left: left, created: created)
    }

    /// Signs in with a code: the answer has a session of the code's account. The code is worthless from then on.
    ///
    /// The session that used a code can repeat the request for ``RecoveryLimits/repeating``. The new session then
    /// replaces the one of the lost answer. A code of the session's own account stays unused.
    ///
    /// - Throws: ``ServerError``: `codeWrong` if the code is wrong, was used or was replaced, which the error does not
    ///   tell apart; `quotaExceeded` with the time to wait; `malformed` if the device's name is too long.
    package func use(_ use: RecoveryCodeUse, by asker: CodeService.Asker, at now: Timestamp) async throws -> SignedIn {
        guard (use.device?.count ?? 0) <= Limits.deviceName else {
            throw ServerError(
                .malformed, "The name of the device has more than \(Limits.deviceName) characters.", path: "$.device")
        }
        try Self.check(use.languages ?? [])
        let token = Secret.token(random)
        let done = try await database.write { transaction in
            try self.use(use, newToken: token, by: asker, at: now, in: transaction)
        }
        messages.wake()
        await signals.send(done.signals)
        return try done.value.get()
    }

    /// A wrong code is not thrown within the transaction, because the try must be counted.
    private func use(
        _ use: RecoveryCodeUse, newToken: String, by asker: CodeService.Asker, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Committed<Result<SignedIn, ServerError>> {
        try count(asker, at: now, in: transaction)
        let session = Secret.sha256(asker.token)
        guard let code = RecoveryCode(typed: use.code),
            var row = try RecoveryRow.find(
                RecoveryRow.hash(code, random: random, in: transaction), in: transaction),
            row.used.map({ row.session == session && now < $0 + limits.repeating }) ?? true
        else {
            return Committed(
                .failure(
                    ServerError(
                        .codeWrong,
                        "This recovery code is wrong, was used, or was replaced by newer codes. Check it, or use another."
                    )))
        }
        var signedIn = SignedIn(account: row.account, server: database.server)
        if row.account == asker.account { return Committed(.success(signedIn)) }
        var signals = Signals()
        if let lost = row.opened {
            try transaction.execute("DELETE FROM session WHERE token_hash = ?", [.bytes(lost)])
            signals.closedSessions = [SessionID(tokenHash: lost)]
        }
        let isFirst = row.used == nil
        (row.used, row.session, row.opened) = (row.used ?? now, session, Secret.sha256(newToken))
        try row.update(in: transaction)
        try SessionService.insert(newToken, of: row.account, device: use.device, at: now, in: transaction)
        signedIn.token = newToken
        if isFirst {
            let left = try RecoveryRow.count(of: row.account, in: transaction).left
            try tell(
                row.account,
                ["left": String(left), "device": use.device ?? "", "place": asker.place],
                use.languages ?? [], at: now, in: transaction)
        }
        return Committed(.success(signedIn), signals: signals)
    }

    /// Counts a try, right or wrong. Nobody can guess 100 bits; the limits bound the work, and are the same for everybody.
    private func count(_ asker: CodeService.Asker, at now: Timestamp, in transaction: any Transaction) throws {
        for (network, limit) in [(asker.network, limits.triesOfNetwork), (nil, limits.triesInAll)] {
            try NetworkQuota(kind: "recoveryTries", noun: "recovery codes", limit: limit)
                .take(by: network, at: now, in: transaction)
        }
    }

    /// Adds a notice to the oldest emails of an account. Whoever takes over an account can add an email, but none that is
    /// older. A notice that may not go out changes nothing.
    private func tell(
        _ account: AccountID, _ values: [String: String], _ languages: [String], at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        var generator = ByteRandomness(random)
        let rows = try transaction.query(
            "SELECT value FROM identity WHERE account = ? AND value LIKE 'mailto:%' ORDER BY created, value LIMIT ?",
            [.id(account), .integer(Int64(limits.noticed))])
        for row in rows {
            guard let identity = Identity(try row.text(0)) else { continue }
            try messages.add(
                OutgoingMessage(
                    id: MessageID(.version7(time: now, using: &generator)), channel: .email, recipient: identity.shown,
                    kind: .recovery, languages: languages, values: values, canUnsubscribe: false),
                at: now, in: transaction)
        }
    }

    private static func check(_ languages: [String]) throws {
        guard languages.count <= Limits.languages, languages.allSatisfy({ (1...35).contains($0.utf8.count) }) else {
            throw ServerError(
                .malformed, "There are more than \(Limits.languages) languages, or one is no language tag.",
                path: "$.languages")
        }
    }
}
