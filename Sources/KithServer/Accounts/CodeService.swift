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
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of codes, sessions and identities.
    ///   - messages: Sends the codes.
    ///   - discoveryKeys: The secret keys under which new identities are evaluated.
    ///   - signals: Sends the signals of its commits.
    ///   - settings: Which identities can be proved, and the limits.
    ///   - sms: Decides which numbers get a code.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, messages: MessageQueue, discoveryKeys: DiscoveryKeys, signals: SignalSender,
        settings: SignInSettings = SignInSettings(), sms: SMSGuard = .off,
        random: RandomBytes = .system
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
        let sent = try await database.write { transaction in
            try CodeSender(
                request: request, identity: identity, code: code, requester: requester, account: account,
                messages: messages, sms: sms, limits: settings.limits, now: now, transaction: transaction
            ).send()
        }
        switch sent {
        case .success(let sent):
            messages.wake()
            return sent
        case .failure(let refusal):
            sms.report(refusal)
            throw CodeRefusal.sms(refusal, identity, path: request.path).error(at: now)
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

    /// A code of random digits: each with the same probability.
    static func code(digits: Int, _ random: RandomBytes) -> String {
        var generator = RandomNumbers(random)
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
            try CodeChecker(
                code: code, id: id, requester: requester, server: server, messages: messages, notices: notices,
                register: IdentityRegister(keys: discoveryKeys, at: now), sms: sms, limits: settings.limits,
                random: random, now: now, transaction: transaction
            ).check()
        }
        notices.wake()
        return try checked.mapError { $0.error(at: now) }.get()
    }

    /// The newest code that a requester can still enter for the identity of a request.
    ///
    /// - Parameters:
    ///   - request: A request for another code.
    ///   - requester: Who sends it.
    ///   - now: The server's time.
    /// - Returns: The id of the code; nil if there is none.
    /// - Throws: ``ServerError`` with the code `busy` if the database is not available.
    package func waiting(
        for request: CodeRequest, by requester: Requester, at now: Timestamp
    ) async throws -> CodeID? {
        let identity = try identity(of: request)
        let limits = settings.limits
        return try await database.read { transaction in
            try CodeRow.waiting(
                for: identity, session: requester.session, since: now - limits.lifetime, tries: limits.tries,
                in: transaction)
        }
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
}
