import Foundation
package import KithModel

/// Proves numbers and emails by codes, and signs in with them. Registration and sign-in are one flow.
///
/// No answer before a correct code depends on whether an account has the identity: the owner is looked up only after
/// the code was checked.
package struct CodeService: Sendable {
    private let database: any Database
    private let messages: MessageQueue
    private let notices: AccountNotices
    private let discoveryKeys: DiscoveryKeys
    private let signals: SignalSender
    private let settings: SignInSettings
    private let sms: SMSGuard
    private let random: @Sendable () -> [UInt8]

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of codes, sessions and identities.
    ///   - messages: Sends the codes.
    ///   - discoveryKeys: The secret keys under which new identities are evaluated.
    ///   - signals: Sends the signals of its commits.
    ///   - settings: Which identities can be proved, and the limits.
    ///   - sms: Decides which numbers get a code.
    ///   - random: Returns 32 fresh random bytes.
    package init(
        database: any Database, messages: MessageQueue, discoveryKeys: DiscoveryKeys, signals: SignalSender = .none,
        settings: SignInSettings = SignInSettings(), sms: SMSGuard = .off,
        random: @escaping @Sendable () -> [UInt8] = { Secret.random() }
    ) {
        self.database = database
        self.messages = messages
        self.notices = AccountNotices(messages: messages, random: random)
        self.discoveryKeys = discoveryKeys
        self.signals = signals
        self.settings = settings
        self.sms = sms
        self.random = random
    }

    /// The session that asks.
    package struct Asker: Sendable {
        let account: AccountID
        let token: String
        /// The network of the client, as text: a /24 of IPv4, a /56 of IPv6.
        let network: String
        /// Where the client is, for the message: its address.
        let place: String
        /// Whether a web page asks. It has no session and no account yet: `token` is the page's secret, and `account` is
        /// the id of the account that a right code creates if nobody has the identity.
        let isPage: Bool

        package init(account: AccountID, token: String, network: String, place: String, isPage: Bool = false) {
            (self.account, self.token, self.network, self.place) = (account, token, network, place)
            self.isPage = isPage
        }
    }

    /// The countries in which numbers can be proved; empty if codes are not sent by SMS.
    package var countries: CountryList { sms.countries.list }

    // MARK: - Sending

    /// Sends a code. A request with a known id sends nothing again.
    ///
    /// - Throws: ``ServerError``: `malformed` with the path; `forbidden` if the server does not send codes to such an
    ///   identity; `tooFast` or `quotaExceeded` with the time to wait.
    package func send(_ request: CodeRequest, by asker: Asker, at now: Timestamp) async throws -> SentCode {
        let identity = try identity(of: request)
        let code = Self.code(digits: settings.limits.digits, random)
        // A refusal is no error of the transaction, because it may have paused a prefix.
        let sent: Result<SentCode, SMSRefusal> = try await database.write { transaction in
            try send(request, to: identity, code, by: asker, at: now, in: transaction)
        }
        switch sent {
        case .success(let sent):
            messages.wake()
            return sent
        case .failure(let refusal):
            sms.report(refusal)
            throw refusal.error(for: identity, path: request.path, at: now)
        }
    }

    /// The identity of a request, in canonical form.
    private func identity(of request: CodeRequest) throws -> Identity {
        guard (request.device?.count ?? 0) <= Limits.deviceName else {
            throw ServerError(
                .malformed, "The name of the device has more than \(Limits.deviceName) characters.", path: "$.device")
        }
        guard (request.languages?.count ?? 0) <= Limits.languages,
            (request.languages ?? []).allSatisfy({ (1...35).contains($0.utf8.count) })
        else {
            throw ServerError(
                .malformed, "There are more than \(Limits.languages) languages, or one is no language tag.",
                path: "$.languages")
        }
        switch (request.identity, request.country, request.number) {
        case (.email(let address)?, nil, nil):
            guard settings.sendsEmail else { throw ServerError(.forbidden, "This server sends no codes by email.") }
            return .email(address)
        case (.phone(let number)?, nil, nil): return try identity(number.text, in: nil, path: request.path)
        case (nil, let country?, let number?): return try identity(number, in: country, path: request.path)
        default:
            throw ServerError(
                .malformed, "Send either an identity, or a country with a number.", path: request.path)
        }
    }

    /// The identity of a number as it is written in a country.
    private func identity(_ number: String, in country: Region?, path: String) throws -> Identity {
        if let setting = sms.lacks {
            throw ServerError(
                .forbidden,
                "This server sends no codes by SMS, because its operator has not set \(setting). Use an email address.")
        }
        guard let read = sms.countries.number(number, in: country) else {
            throw ServerError(
                .malformed, "“\(number.prefix(40))” is not a phone number. Check it and its country.", path: path)
        }
        return .phone(read)
    }

    private func send(
        _ request: CodeRequest, to identity: Identity, _ code: String, by asker: Asker, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Result<SentCode, SMSRefusal> {
        let limits = settings.limits
        let subject = try messages.hash(of: identity, in: transaction)
        let times = try CodeRow.times(of: subject, since: now - .days(1), in: transaction)
        let session = Secret.sha256(asker.token)
        func answer(_ times: [Timestamp], created: Timestamp) -> SentCode {
            SentCode(
                id: request.id, identity: identity, digits: limits.digits, expires: created + limits.lifetime,
                again: CodeState.nextCode(after: times, limits: limits) ?? now)
        }
        if let known = try CodeRow.find(request.id, session: session, in: transaction) {
            guard known.identity == identity, known.replaces == request.replaces else {
                throw ServerError(.conflict, "This id belongs to a code for another identity.", path: "$.id")
            }
            return .success(answer(times, created: known.state.created))
        }
        guard try !CodeRow.exists(request.id, in: transaction) else {
            throw ServerError(.conflict, "This id is taken. Choose a new one.", path: "$.id")
        }
        if let old = request.replaces, try owner(of: old, at: now, in: transaction) != asker.account {
            throw ServerError(.notFound, "The account does not have \(old.shown), so it cannot be replaced.")
        }
        if let next = CodeState.nextCode(after: times, limits: limits), now < next {
            throw ServerError(
                .tooFast, "A code for \(identity.shown) was requested a short time ago. Wait for the next one.",
                retryAfter: next - now)
        }
        let counted: [(column: String?, value: SQLValue, limit: Int, of: String)] = [
            ("account", .id(asker.account), limits.ofAccount, "account"),
            ("session", .bytes(session), limits.ofSession, "device"),
            ("network", .text(asker.network), limits.ofNetwork, "network"),
            (nil, .null, limits.inAll, "server"),
        ]
        for (column, value, limit, name) in counted
        where try CodeRow.count(column, value, since: now - .days(1), in: transaction) >= limit {
            throw ServerError(
                .quotaExceeded, "This \(name) has requested \(limit) codes within a day. Try again tomorrow.",
                retryAfter: .days(1))
        }
        if case .phone(let number) = identity,
            let refusal = try sms.refusal(of: number, at: now, in: transaction)
        {
            return .failure(refusal)
        }
        try CodeRow.insert(
            request.id, identity, replacing: request.replaces, device: request.device, subject: subject,
            of: asker.account, session: session, network: asker.network,
            hash: CodeRow.hash(code, for: asker.token), at: now, in: transaction)
        let state = try messages.add(
            OutgoingMessage(
                id: request.id.retyped(), channel: identity.channel, recipient: identity.shown, kind: .code,
                languages: request.languages ?? [],
                values: [
                    "code": code, "device": request.device ?? "", "place": asker.place,
                    "minutes": String(limits.lifetime.wholeSeconds / 60),
                ], canUnsubscribe: false), at: now, in: transaction)
        if case .failed(let failure) = state { throw failure.refusal(of: identity) }
        return .success(answer(times + [now], created: now))
    }

    /// A code of random digits: each with the same probability.
    static func code(digits: Int, _ random: @escaping @Sendable () -> [UInt8]) -> String {
        var generator = ByteRandomness(random)
        return (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
    }

    // MARK: - Checking

    /// Checks a code. If it is right, the identity belongs to the session's account, or the answer has a session of the
    /// account that the identity belongs to. The identity that it replaces is removed in the same transaction, and an
    /// email is told that.
    ///
    /// The same right code can be checked again by the same session, because the answer may be lost. A new session then
    /// replaces the one of the lost answer. A web page gets no session.
    ///
    /// - Throws: ``ServerError``: `notFound` if the session has no such code; `codeWrong`, `codeExpired`; `tooFast` with
    ///   the time to wait; `quotaExceeded` if codes for the identity were tried too often; `conflict` if the identity is to
    ///   replace another one, and belongs to another account.
    package func check(
        _ code: String, of id: CodeID, by asker: Asker, at now: Timestamp
    ) async throws -> ProvedIdentity {
        let keys = try discoveryKeys.all()
        let server = database.server
        let token = Secret.token(random)
        let checked = try await database.write { transaction in
            try check(code, of: id, by: asker, keys: keys, newToken: token, server: server, at: now, in: transaction)
        }
        await signals.send(checked.signals)
        notices.wake()
        return try checked.value.get()
    }

    private func owner(
        of identity: Identity, at now: Timestamp, in transaction: any Transaction
    ) throws -> AccountID? {
        try IdentityRegister(at: now).owner(of: identity, in: transaction)
    }

    /// A wrong code is not thrown within the transaction, because the check must be counted.
    private func check(
        _ code: String, of id: CodeID, by asker: Asker, keys: [DiscoveryKey], newToken: String, server: ServerID,
        at now: Timestamp, in transaction: any Transaction
    ) throws -> Committed<Result<ProvedIdentity, ServerError>> {
        let limits = settings.limits
        guard var row = try CodeRow.find(id, session: Secret.sha256(asker.token), in: transaction) else {
            throw ServerError(.notFound, "This session has requested no such code. Request a new one.")
        }
        let subject = try messages.hash(of: row.identity, in: transaction)
        let verdict = row.state.check(
            isRight: Secret.areEqual(CodeRow.hash(code, for: asker.token), row.hash),
            triesOfIdentity: try CodeRow.tries(of: subject, since: now - limits.window, in: transaction),
            limits: limits, at: now)
        if let refusal = verdict.refusal(at: now) {
            try row.update(in: transaction)
            return Committed(.failure(refusal))
        }
        if case .phone = row.identity { try sms.enter(id.retyped(), in: transaction) }
        let register = IdentityRegister(keys: keys, at: now)
        // The account of a page is the one of the request for the code, so that a repeated check creates no other.
        let account = asker.isPage ? row.account : asker.account
        var proved = ProvedIdentity(account: account, identity: row.identity, server: server)
        var signals = Signals()
        if let owner = try register.owner(of: row.identity, in: transaction), owner != account {
            if row.replaces != nil {
                try row.update(in: transaction)
                return Committed(
                    .failure(
                        ServerError(
                            .conflict,
                            """
                            Another account has \(row.identity.shown). Nothing was changed. To use that account on this \
                            device, sign in with it.
                            """)))
            }
            proved.account = owner
            if asker.isPage {
                try row.update(in: transaction)
                return Committed(.success(proved), signals: signals)
            }
            if let lost = row.opened {
                try transaction.execute("DELETE FROM session WHERE token_hash = ?", [.bytes(lost)])
                signals.closedSessions = [SessionID(tokenHash: lost)]
            }
            proved.token = newToken
            row.opened = Secret.sha256(newToken)
            try SessionService.insert(newToken, of: owner, device: row.device, at: now, in: transaction)
            signals.changedSessions = [owner]
        } else {
            if asker.isPage { try SessionService.insertAccount(account, at: now, in: transaction) }
            // Removed first, so that an account with the largest number of identities can change one. A repeated check
            // finds it removed.
            if let old = row.replaces, old != row.identity,
                try register.owner(of: old, in: transaction) == account
            {
                try register.remove(old, in: transaction)
                try notices.removed(old, by: asker.place, of: account, at: now, in: transaction)
            }
            _ = try register.add(row.identity, to: account, in: transaction)
            signals.hasBackgroundWork = true
            try transaction.execute("UPDATE account SET kind = 'identified' WHERE id = ?", [.id(account)])
            if let device = row.device {
                try transaction.execute(
                    "UPDATE session SET device = ? WHERE token_hash = ?",
                    [.text(device), .bytes(Secret.sha256(asker.token))])
            }
        }
        try row.update(in: transaction)
        return Committed(.success(proved), signals: signals)
    }
}

extension CodeState.Verdict {
    /// The error for the caller; nil if the code is right.
    fileprivate func refusal(at now: Timestamp) -> ServerError? {
        switch self {
        case .right: nil
        case .wrong(let left) where left > 0:
            ServerError(.codeWrong, "The code is wrong. \(left == 1 ? "One try is" : "\(left) tries are") left.")
        case .wrong, .exhausted:
            ServerError(.codeExpired, "The code was tried too often. Request a new one.")
        case .expired: ServerError(.codeExpired, "The code has expired. Request a new one.")
        case .tooEarly(let until):
            ServerError(.tooFast, "Wait before the next try.", retryAfter: until - now)
        case .identityExhausted:
            ServerError(
                .quotaExceeded, "Codes for this number or email were tried too often this month. Try again later.",
                retryAfter: .days(1))
        }
    }
}

extension MessageFailure {
    /// The error for somebody who has requested a code that cannot be sent.
    fileprivate func refusal(of identity: Identity) -> ServerError {
        switch reason {
        case .badRecipient:
            ServerError(.malformed, "No message can be sent to \(identity.shown).", path: "$.identity")
        default:
            ServerError(
                .quotaExceeded, "No more messages can be sent to \(identity.shown) today.", retryAfter: .days(1))
        }
    }
}

extension SMSRefusal {
    /// The error for somebody who has requested a code.
    fileprivate func error(for identity: Identity, path: String, at now: Timestamp) -> ServerError {
        switch self {
        case .otherCountry(let region):
            let place = region.map { "of \($0)" } ?? "such as \(identity.shown)"
            return ServerError(
                .forbidden, "This server sends no codes to numbers \(place). Choose one of its countries.")
        case .notMobile:
            return ServerError(
                .malformed, "\(identity.shown) is not a mobile number. Codes are sent to mobile numbers only.",
                path: path)
        case .tooFast(let until):
            return ServerError(
                .tooFast, "Too many codes were requested for numbers like this one. Wait, or use an email address.",
                retryAfter: until - now)
        case .paused:
            return ServerError(
                .quotaExceeded, "No codes are sent to numbers like this one at present. Use an email address.",
                retryAfter: .days(1))
        case .budget(let until):
            return ServerError(
                .quotaExceeded, "The server has sent all its SMS of today. Wait, or use an email address.",
                retryAfter: until - now)
        }
    }
}

extension CodeRequest {
    /// The part of the request that names the number or email.
    fileprivate var path: String { number == nil ? "$.identity" : "$.number" }
}
