import Foundation
package import KithModel

/// Makes recovery codes, and signs in with them.
///
/// A code gives access to an account whose devices and email are lost. It is shown once and used once. The emails of the
/// account receive a message about each new set and each use, so that the owner notices an attacker.
package struct RecoveryService: Sendable {
    private let database: any Database
    private let notices: AccountNotices
    private let signals: SignalSender
    private let settings: SignInSettings
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of codes and sessions.
    ///   - messages: Sends the notices.
    ///   - signals: Sends the signals of its commits.
    ///   - settings: Whether there are recovery codes, and their limits.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, messages: MessageQueue, signals: SignalSender,
        settings: SignInSettings = SignInSettings(), random: RandomBytes = .system
    ) {
        self.database = database
        notices = AccountNotices(messages: messages, random: random)
        self.signals = signals
        self.settings = settings
        self.random = random
    }

    private var limits: RecoveryLimits { settings.recovery }

    /// - Throws: ``ServerError`` with the code `forbidden` if the operator has switched recovery codes off.
    private func checkIsOn() throws(ServerError) {
        guard settings.hasRecoveryCodes else {
            throw ServerError(
                .forbidden,
                "This server uses no recovery codes, because its operator has switched them off. Sign in another way.")
        }
    }

    /// Makes a new set of codes, which replaces the earlier codes of the account. A repeated request gets the set that
    /// it has made before. If another set has replaced that, it makes a new one.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - languages: The languages of the notice if the account's profile has none, best first.
    ///   - address: The address of the client, for the notice.
    ///   - key: The key of the request; nil if it has none.
    ///   - now: The time.
    /// - Returns: The codes, which the server does not store.
    /// - Throws: ``ServerError``: `forbidden` if the operator has switched recovery codes off; `malformed` if a language is
    ///   not a tag; `conflict` if the request is repeated too late; `busy` if the account was deleted meanwhile.
    package func create(
        for account: AccountID, languages: [String], address: String, key: RequestKey? = nil, at now: Timestamp
    ) async throws -> RecoveryCodeSet {
        try checkIsOn()
        try SignInForm.check(languages: languages)
        let set: RecoveryCodeSet = try await database.write { transaction in
            // The same request at the same moment waits here, and finds the set then.
            try AccountLock.takeExisting(account, in: transaction)
            if let key, let created = try RecoveryRow.created(of: account, in: transaction) {
                let codes = try makeCodes(with: key, for: account, at: created, in: transaction)
                let hash = try RecoveryRow.hash(codes[0], random: random, in: transaction)
                if try RecoveryRow.exists(hash, in: transaction) {
                    try RequestKey.checkAge(of: created, at: now)
                    return RecoveryCodeSet(codes: codes.map(\.text), created: created)
                }
            }
            let codes = try makeCodes(with: key, for: account, at: now, in: transaction)
            let hashes = try codes.map { try RecoveryRow.hash($0, random: random, in: transaction) }
            try RecoveryRow.replace(hashes, of: account, at: now, in: transaction)
            try notices.recoveryCodes(["place": address], or: languages, of: account, at: now, in: transaction)
            return RecoveryCodeSet(codes: codes.map(\.text), created: now)
        }
        notices.wake()
        return set
    }

    /// The codes of the set that a request makes at a time.
    ///
    /// With a key, they follow from it and from the time. So if other codes have replaced them, the repeated request makes new
    /// ones, and none that was used works again.
    private func makeCodes(
        with key: RequestKey?, for account: AccountID, at time: Timestamp, in transaction: any Transaction
    ) throws -> [RecoveryCode] {
        let request = ["recovery", account.description, String(time.milliseconds)]
        let source = try key?.secrets(of: request, random: random, in: transaction) ?? random
        return (0..<RecoveryLimits.codes).map { _ in RecoveryCode(random: source) }
    }

    /// How many codes an account has.
    ///
    /// - Throws: ``ServerError`` with the code `forbidden` if the operator has switched recovery codes off.
    package func status(of account: AccountID) async throws -> RecoveryStatus {
        try checkIsOn()
        let (all, left, created) = try await database.read { try RecoveryRow.count(of: account, in: $0) }
        return RecoveryStatus(codes: all, left: left, created: created)
    }

    /// Signs in with a code: the answer has a session of the code's account. The code cannot be used again.
    ///
    /// The session that used a code can repeat the request for ``RecoveryLimits/repeating``. The answer then has the same
    /// token. A code of the session's own account stays unused.
    ///
    /// - Throws: ``ServerError``: `codeWrong` if the code is wrong, was used or was replaced (the error is the same in
    ///   each case); `quotaExceeded` with the time to wait; `malformed` if the device's name is too long or has a NUL;
    ///   `forbidden` if the operator has switched recovery codes off.
    package func use(_ use: RecoveryCodeUse, by requester: Requester, at now: Timestamp) async throws -> SignedIn {
        try checkIsOn()
        try SignInForm.check(device: use.device)
        let done = try await signals.commit(in: database) { transaction in
            try self.use(use, by: requester, at: now, in: transaction)
        }
        notices.wake()
        return try done.get()
    }

    /// For a wrong code nothing is thrown in the transaction, because the try has to be counted.
    private func use(
        _ use: RecoveryCodeUse, by requester: Requester, at now: Timestamp, in transaction: any Transaction
    ) throws -> Committed<Result<SignedIn, ServerError>> {
        try count(requester, at: now, in: transaction)
        guard let code = RecoveryCode(typed: use.code),
            var row = try RecoveryRow.find(
                RecoveryRow.hash(code, random: random, in: transaction), in: transaction),
            row.used.map({ row.session == requester.session && now < $0 + limits.repeating }) ?? true,
            try AccountKind.read(row.account, in: transaction) != nil
        else {
            return Committed(.failure(Self.wrongCode))
        }
        var signedIn = SignedIn(account: row.account, server: database.server)
        if row.account == requester.account { return Committed(.success(signedIn)) }
        let session = try RepeatableSession(
            of: row.account, from: ["recovery", code.characters, requester.token], random: random, in: transaction)
        let opened = try session.open(repeating: row.opened, device: use.device, at: now, in: transaction)
        guard let signals = opened else { return Committed(.failure(Self.wrongCode)) }
        let isFirst = row.used == nil
        (row.used, row.session, row.opened) = (row.used ?? now, requester.session, session.hash)
        try row.update(in: transaction)
        signedIn.token = session.token
        if isFirst {
            let left = try RecoveryRow.count(of: row.account, in: transaction).left
            try notices.recoveryCodes(
                ["left": String(left), "device": use.device ?? "", "place": requester.address.description],
                of: row.account, at: now, in: transaction)
        }
        return Committed(.success(signedIn), signals: signals)
    }

    private static let wrongCode = ServerError(
        .codeWrong, "This recovery code is wrong, was used, or was replaced by newer codes. Check it, or use another.")

    /// Counts a try, right or wrong. Nobody can guess 100 bits; the limits bound the server's work.
    private func count(_ requester: Requester, at now: Timestamp, in transaction: any Transaction) throws {
        let network = try MessageSecret(in: transaction, random: random).hash(of: requester.address.network)
        let counted: [(DailyQuota.Subject, Int)] = [
            (.network(network), limits.triesOfNetwork), (.everybody, limits.triesInAll),
        ]
        for (subject, limit) in counted {
            try DailyQuota(kind: "recoveryTries", noun: "recovery codes", limit: limit)
                .take(by: subject, at: now, in: transaction)
        }
    }
}
