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
        database: any Database, messages: MessageQueue, discoveryKeys: DiscoveryKeys, signals: SignalSender,
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

    /// The countries in which numbers can be proved; empty if codes are not sent by SMS.
    package var countries: CountryList { sms.countries.list }

    // MARK: - Sending

    /// Sends a code. A request with a known id sends nothing again.
    ///
    /// - Parameters:
    ///   - request: What is to be proved.
    ///   - requester: Who sends the request, and alone can check the code.
    ///   - account: The account that gets the identity if no account has it.
    ///   - now: The server's time.
    /// - Returns: The code as the client knows it.
    /// - Throws: ``ServerError``: `malformed` with the path; `forbidden` if the server does not send codes to such an
    ///   identity; `tooFast` or `quotaExceeded` with the time to wait.
    package func send(
        _ request: CodeRequest, by requester: Requester, for account: AccountID, at now: Timestamp
    ) async throws -> SentCode {
        let identity = try identity(of: request)
        let code = Self.code(digits: settings.limits.digits, random)
        // A refusal must not roll back the transaction, because it may have paused a prefix.
        let sent: Result<SentCode, SMSRefusal> = try await database.write { transaction in
            try send(request, to: identity, code, by: requester, for: account, at: now, in: transaction)
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
        try SignInForm.check(device: request.device)
        try SignInForm.check(languages: request.languages)
        switch (request.identity, request.country, request.number) {
        case (.email(let address)?, nil, nil):
            guard settings.sendsEmail else {
                throw ServerError(
                    .forbidden,
                    "This server sends no codes by email, because its operator has switched them off. Sign in another way."
                )
            }
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
        if let setting = sms.missingSetting {
            throw ServerError(
                .forbidden,
                """
                This server sends no codes by SMS, because its operator has not set \(setting). \
                \(settings.sendsEmail ? "Use an email address." : "Sign in another way.")
                """)
        }
        guard let read = sms.countries.number(number, in: country) else {
            throw ServerError(
                .malformed, "“\(number.prefix(40))” is not a phone number. Check it and its country.", path: path)
        }
        return .phone(read)
    }

    private func send(
        _ request: CodeRequest, to identity: Identity, _ code: String, by requester: Requester, for account: AccountID,
        at now: Timestamp, in transaction: any Transaction
    ) throws -> Result<SentCode, SMSRefusal> {
        let limits = settings.limits
        let subject = try messages.hash(of: identity, in: transaction)
        // Each code for an identity counts the previous ones.
        try transaction.lockName(subject)
        // Later codes were sent while the clock was ahead. If they counted, nobody could sign in until it has caught up. The
        // limits below do not count them either.
        let times = try CodeRow.times(
            of: subject, since: now - .days(1), until: now + limits.lifetime, in: transaction)
        let session = requester.session
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
        if let old = request.replaces, try owner(of: old, at: now, in: transaction) != account {
            throw ServerError(.notFound, "The account does not have \(old.shown), so it cannot be replaced.")
        }
        if let next = CodeState.nextCode(after: times, limits: limits), now < next {
            throw ServerError(
                .tooFast,
                """
                A code for \(identity.shown) was sent a short time ago. You can request another one in \(next.wait(from: now)).
                """,
                retryAfter: next - now)
        }
        let network = try messages.hash(ofNetwork: requester.network, in: transaction)
        // Each code also counts the previous ones of the account, with all its sessions, and of the network. Every
        // transaction locks these names in this order, and the prefix of a number after them.
        try transaction.lockName(account.uuid.data.suffix(8))
        try transaction.lockName(Data(network.utf8))
        let counted: [(column: String?, value: SQLValue, limit: Int, of: String)] = [
            ("account", .id(account), limits.ofAccount, "account"),
            ("session", .bytes(session), limits.ofSession, "device"),
            ("network", .text(network), limits.ofNetwork, "network"),
            (nil, .null, limits.inAll, "server"),
        ]
        for (column, value, limit, name) in counted
        where try transaction.count(
            in: "code", column, value, since: now - .days(1), until: now + limits.lifetime) >= limit
        {
            throw ServerError(
                .quotaExceeded, "The limit of \(limit) codes a day for this \(name) is reached. Try again tomorrow.",
                retryAfter: .days(1))
        }
        if case .phone(let number) = identity,
            let refusal = try sms.refusal(of: number, at: now, in: transaction)
        {
            return .failure(refusal)
        }
        try CodeRow.insert(
            request.id, identity, replacing: request.replaces, device: request.device, subject: subject,
            of: account, session: session, network: network,
            hash: CodeRow.hash(code, for: requester.token), at: now, in: transaction)
        let state = try messages.add(
            OutgoingMessage(
                id: request.id.retyped(), channel: identity.channel, recipient: identity.shown, kind: .code,
                languages: request.languages ?? [],
                values: [
                    "code": code, "device": request.device ?? "", "place": requester.address,
                    "minutes": String(limits.lifetime.wholeSeconds / 60),
                ], canUnsubscribe: false), at: now, in: transaction)
        if case .failed(let failure) = state { throw failure.refusal(of: identity, path: request.path, at: now) }
        return .success(answer(times + [now], created: now))
    }

    /// A code of random digits: each with the same probability.
    static func code(digits: Int, _ random: @escaping @Sendable () -> [UInt8]) -> String {
        var generator = ByteRandomness(random)
        return (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
    }

    // MARK: - Checking

    /// Checks a code. If it is right, the session's account gets the identity; if another account has the identity, the
    /// answer has a session of that account. The other emails of an account that gets an identity receive a message. A
    /// replaced identity is removed in the same transaction, and a removed email receives a message.
    ///
    /// The same session can check a right code again, because the answer may be lost. The answer then has the same token.
    /// A web page gets no session. A browser always gets a new one, and the one that has waited is closed. If no account has
    /// the identity, and the one of the session that has waited can be used elsewhere, a new account gets it. Spaces in the code
    /// do not matter.
    ///
    /// - Throws: ``ServerError``: `notFound` if the session has no such code; `codeWrong`, `codeExpired`; `tooFast` with
    ///   the time to wait; `quotaExceeded` if codes for the identity were tried too often; `conflict` if the identity is
    ///   to replace another one, but belongs to another account.
    package func check(
        _ code: String, of id: CodeID, by requester: Requester, at now: Timestamp
    ) async throws -> ProvedIdentity {
        let code = code.filter { !$0.isWhitespace }
        let server = database.server
        let checked = try await signals.commit(in: database) { transaction in
            try check(code, of: id, by: requester, server: server, at: now, in: transaction)
        }
        notices.wake()
        return try checked.get()
    }

    /// Whether a code has opened a session.
    ///
    /// - Parameters:
    ///   - token: The token of the session.
    ///   - id: The id of the code.
    /// - Returns: Whether it has.
    /// - Throws: ``ServerError`` with the code `busy` if the database is not available.
    package func hasOpened(_ token: String, with id: CodeID) async throws -> Bool {
        try await database.read { try CodeRow.hasOpened(Secret.sha256(token), with: id, in: $0) }
    }

    private func owner(
        of identity: Identity, at now: Timestamp, in transaction: any Transaction
    ) throws -> AccountID? {
        try IdentityRegister(at: now).owner(of: identity, in: transaction)
    }

    /// For a wrong code nothing is thrown in the transaction, because the check has to be counted.
    private func check(
        _ code: String, of id: CodeID, by requester: Requester, server: ServerID, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Committed<Result<ProvedIdentity, ServerError>> {
        let limits = settings.limits
        guard var row = try CodeRow.find(id, session: requester.session, in: transaction),
            try isValid(row, for: requester, in: transaction)
        else {
            throw ServerError(.notFound, "This session has requested no such code. Request a new one.")
        }
        let subject = try messages.hash(of: row.identity, in: transaction)
        let isRepeated = row.state.isUsed
        let verdict = row.state.check(
            isRight: Secret.areEqual(CodeRow.hash(code, for: requester.token), row.hash),
            triesOfIdentity: try CodeRow.tries(of: subject, since: now - limits.window, in: transaction),
            limits: limits, at: now)
        if let refusal = verdict.refusal(at: now) {
            try row.update(in: transaction)
            return Committed(.failure(refusal))
        }
        if case .phone = row.identity { try sms.enter(id.retyped(), in: transaction) }
        let register = IdentityRegister(keys: discoveryKeys, at: now)
        let own = try newOwner(row, for: requester, at: now, in: transaction)
        let owner = try register.owner(of: row.identity, in: transaction)
        let account = owner ?? own
        if account != own, row.replaces != nil {
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
        let opensSession =
            switch requester.origin {
            case .session: account != own
            case .linkPage: false
            case .browser: true
            }
        let session =
            try opensSession
            ? RepeatableSession(
                of: account, from: ["code", id.description, requester.token], random: random, in: transaction) : nil
        // A repetition gives the answer again and has no further effect. If the identity was removed or has another owner
        // since, there is no such answer.
        let outcome = session?.hash ?? Secret.sha256(account.description)
        if isRepeated, owner == nil || row.outcome != outcome {
            try row.update(in: transaction)
            return Committed(.failure(ServerError(.codeExpired, "The code was used before. Request a new one.")))
        }
        var proved = ProvedIdentity(account: account, identity: row.identity, server: server)
        var signals = Signals()
        if account == own, !isRepeated {
            signals = try add(row, to: account, by: requester, register, at: now, in: transaction)
        }
        if case .browser = requester.origin, !isRepeated {
            signals.formUnion(try closeWaiting(requester.session, of: row.account, in: transaction))
        }
        if let session {
            let opened = try session.open(repeating: row.outcome, device: row.device, at: now, in: transaction)
            guard let opened else {
                return Committed(
                    .failure(ServerError(.codeExpired, "The code was used, and its session was closed.")))
            }
            signals.formUnion(opened)
            proved.token = session.token
        }
        row.outcome = outcome
        try row.update(in: transaction)
        return Committed(.success(proved), signals: signals)
    }

    /// Whether a code can be checked. A right code from a browser closes the session that has waited for it, so only a
    /// repetition needs no session: afterwards, the account may be somebody's who has requested another code.
    private func isValid(_ row: CodeRow, for requester: Requester, in transaction: any Transaction) throws -> Bool {
        guard case .browser = requester.origin, !row.state.isUsed else { return true }
        try AccountLock.take([row.account], in: transaction)
        return try SessionRow.exists(requester.session, of: row.account, in: transaction)
    }

    /// Closes the session of a browser that has waited for a code. Nothing else of its account ends, because the account may
    /// be in use elsewhere.
    private func closeWaiting(
        _ session: Data, of account: AccountID, in transaction: any Transaction
    ) throws -> Signals {
        let closed = try SessionRow.delete([SessionID(tokenHash: session)], of: account, in: transaction)
        return Signals(closedSessions: closed, changedSessions: [account])
    }

    /// The account that gets the identity of a code if no account has it.
    ///
    /// A page's account was chosen when the code was requested, so that a repeated check creates no second account. In a
    /// browser it is the account that has waited, because that one has used the share code. But it may be somebody else's, who
    /// has used the browser before and can use the account elsewhere. Then it is a new account, so that neither of them
    /// gets into the account of the other.
    private func newOwner(
        _ row: CodeRow, for requester: Requester, at now: Timestamp, in transaction: any Transaction
    ) throws -> AccountID {
        switch requester.origin {
        case .session(let account): return account
        case .linkPage: return row.account
        case .browser:
            let isWaiting = try SessionRow.isOnlyAccess(requester.session, to: row.account, in: transaction)
            return isWaiting ? row.account : AccountID(at: now, random: random)
        }
    }

    /// Adds the identity of a code to an account, and removes the one that it replaces.
    private func add(
        _ row: CodeRow, to account: AccountID, by requester: Requester, _ register: IdentityRegister,
        at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals {
        var signals = Signals(hasBackgroundWork: true)
        // A session has an account already.
        if requester.account == nil {
            try AccountRow.insertIfMissing(account, at: now, in: transaction)
        }
        try AccountKind.noteChange(of: account, in: transaction, &signals) {
            // Removed first, so that an account with the largest number of identities can change one.
            if let old = row.replaces, old != row.identity,
                try register.owner(of: old, in: transaction) == account
            {
                try register.remove(old, in: transaction)
                try notices.removed(old, from: requester.address, of: account, at: now, in: transaction)
            }
            if try register.owner(of: row.identity, in: transaction) == nil {
                try notices.added(
                    [.identity(row.identity)], from: requester.address, to: account, at: now, in: transaction)
            }
            _ = try register.add(row.identity, to: account, in: transaction)
        }
        if let device = row.device {
            try SessionRow.setDevice(device, of: requester.session, in: transaction)
        }
        return signals
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
            ServerError(
                .tooFast, "Wait before the next try: you can try again in \(until.wait(from: now)).",
                retryAfter: until - now)
        case .identityExhausted:
            ServerError(
                .quotaExceeded, "Codes for this number or email were tried too often this month. Try again later.",
                retryAfter: .days(1))
        }
    }
}

extension Timestamp {
    /// The time from `now` until this moment, in words.
    fileprivate func wait(from now: Timestamp) -> String {
        let seconds = max(1, Int(((self - now) / .seconds(1)).rounded(.up)))
        switch seconds {
        case 1: return "a second"
        case ..<120: return "\(seconds) seconds"
        case ..<7_200: return "\((seconds + 59) / 60) minutes"
        default: return "\((seconds + 3_599) / 3_600) hours"
        }
    }
}

extension MessageFailure {
    /// The error for somebody who has requested a code that cannot be sent.
    fileprivate func refusal(of identity: Identity, path: String, at now: Timestamp) -> ServerError {
        switch reason {
        case .badRecipient:
            ServerError(.malformed, "No message can be sent to \(identity.shown).", path: path)
        case .prefixLimit:
            SMSRefusal.tooFast(until: now + .seconds(3600)).error(for: identity, path: path, at: now)
        case .prefixPaused: SMSRefusal.paused.error(for: identity, path: path, at: now)
        default:
            ServerError(
                .quotaExceeded,
                "A daily limit of messages is reached, so no code can be sent to \(identity.shown). Try again tomorrow.",
                retryAfter: .days(1))
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
                .tooFast,
                "Too many codes were requested for numbers that begin like this one. Wait, or use an email address.",
                retryAfter: until - now)
        case .paused:
            return ServerError(
                .quotaExceeded,
                "At present, no codes are sent to numbers that begin like this one. Use an email address.",
                retryAfter: .days(1))
        case .budget(let until):
            return ServerError(
                .quotaExceeded, "The limit of SMS a day for this server is reached. Wait, or use an email address.",
                retryAfter: until - now)
        }
    }
}

extension CodeRequest {
    /// The part of the request that names the number or email.
    fileprivate var path: String { number == nil ? "$.identity" : "$.number" }
}
