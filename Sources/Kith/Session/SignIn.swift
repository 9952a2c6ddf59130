public import Foundation
public import KithModel

/// Signing in with a code or a passkey, and the sessions and identities of the account: `client.signIn`.
///
/// ```swift
/// let sent = try await client.signIn.requestCode(for: .email(address), device: "Ada’s phone")
/// let result = try await client.signIn.check("123456", of: sent)
/// for store in result.hidden.stores {  // Ask the user: move its lists, keep it, or drop it.
///     try await client.accounts.decide(.move, about: store.scope)
/// }
/// ```
///
/// ``passkeys`` signs in without a code. An account without a proved identity and without a passkey is anonymous: if its
/// last session is lost, nobody can open it again.
public struct SignIn: Sendable {
    let client: KithClient

    /// Requests a code for a number or an email. The server sends it there. Opens a first session if there was none. After
    /// a log-out, or if the token is refused, a session that is only for this request asks, and the store stays as it is.
    ///
    /// - Parameters:
    ///   - identity: The number or email. The answer does not tell whether an account has it.
    ///   - old: A number or email of the account that the new one replaces; nil to keep all. It is removed in the moment
    ///     in which the code was right, and an email is told.
    ///   - languages: The wanted languages of the message, best first; those of the system if nil.
    ///   - device: The name of this device, for the message and the list of sessions.
    /// - Returns: The code to check, with the time from which another one can be requested.
    /// - Throws: ``KithError``: `busy` or `quotaExceeded` with the time to wait; `forbidden` if the server sends no codes to
    ///   such an identity; `notFound` if the account does not have the identity to replace; `offline`.
    public func requestCode(
        for identity: Identity, replacing old: Identity? = nil, languages: [String]? = nil, device: String? = nil
    ) async throws -> SentCode {
        let request = CodeRequest(
            id: client.replica.dependencies.makeID(), identity: identity, replaces: old,
            languages: Self.wanted(languages), device: Self.name(device))
        return try await AskingSession(client: client).ask { try await $0.sendCode(request, token: $1) }.value
    }

    /// Requests a code for a phone number as it is written in a country. The server reads the number, so the app needs
    /// no library for that. The answer has the number in canonical form.
    ///
    /// - Parameters:
    ///   - number: The number: `0664 1234567`, or with a country code.
    ///   - country: The country: ``countries()`` lists those that the server allows.
    ///   - old: A number or email of the account that the new one replaces; nil to keep all.
    ///   - languages: The wanted languages of the message, best first; those of the system if nil.
    ///   - device: The name of this device, for the message and the list of sessions.
    /// - Returns: The code to check, with the time from which another one can be requested.
    /// - Throws: ``KithError``: `refused` if the text is no mobile number; `forbidden` if the server sends no codes to the
    ///   country; otherwise as ``requestCode(for:replacing:languages:device:)``.
    public func requestCode(
        forNumber number: String, in country: Region, replacing old: Identity? = nil, languages: [String]? = nil,
        device: String? = nil
    ) async throws -> SentCode {
        let request = CodeRequest(
            id: client.replica.dependencies.makeID(), number: number, in: country, replaces: old,
            languages: Self.wanted(languages), device: Self.name(device))
        return try await AskingSession(client: client).ask { try await $0.sendCode(request, token: $1) }.value
    }

    /// The countries in which a phone number can be proved, for a picker; empty if the server sends no codes by SMS.
    ///
    /// `countries.sorted(in: .current)` has them in the user's order, and `countries.preferred()` is the one to preselect.
    ///
    /// - Throws: ``KithError``: `offline`, `noServer`.
    public func countries() async throws -> [Country] {
        try await client.engine.server.ask { try await $0.countries() }
    }

    private static func name(_ device: String?) -> String? { device.map { String($0.prefix(Limits.deviceName)) } }

    /// The result of signing in.
    public struct Result: Sendable {
        /// The account that is signed in to. It is the current account now.
        public let account: AccountID
        /// The number or email that was proved; nil if the user signed in with something else.
        public let identity: Identity?
        /// Whether the account is another one than before.
        public let isOtherAccount: Bool
        /// The stores that are no longer shown, because the account is another one: that of the former account, or the
        /// userless store. Ask the user what becomes of each, and call ``Accounts/decide(_:about:lists:)``. Until then
        /// they stay as they are, also after a restart: ``Accounts/undecided()``. Their unsent edits are sent if a store
        /// is selected again, or with ``KithConfiguration/account``.
        public let hidden: HiddenStores
    }

    /// Checks a code as the user typed it. Spaces in it do not matter.
    ///
    /// If no account has the identity, the current account gets it and keeps all its data. If another account has it,
    /// that account becomes the current one, with a session of its own. The stores of the device stay as they are.
    ///
    /// If the identity is to replace another one, and another account has it, nothing changes.
    ///
    /// - Throws: ``KithError``: `codeWrong`; `codeExpired`; `refused` if another account has the identity that is to
    ///   replace another one; `busy` with the time to wait before the next check;
    ///   `quotaExceeded` if codes for this identity were tried too often; `offline`. After `offline`, check the same code
    ///   again.
    public func check(_ code: String, of sent: SentCode) async throws -> Result {
        try client.session.checkIsFree()
        let digits = code.filter { !$0.isWhitespace }
        let before = try await client.session.account()
        let asking = AskingSession(client: client)
        let answer = try await asking.ask { try await $0.check(digits, of: sent.id, token: $1) }
        let proved = answer.value
        let signedIn = SignedIn(
            account: proved.account, token: proved.token ?? answer.token, server: proved.server)
        let result = try await enter(signedIn, by: proved.identity, before: before, isIdentified: true)
        try await asking.end(answer.token, isUsed: proved.token == nil)
        return result
    }

    /// Makes the account that was signed in to the current one.
    ///
    /// - Parameters:
    ///   - signedIn: The account, with the token of a session if it is another one than before.
    ///   - identity: The identity that was proved.
    ///   - before: The account that was current.
    ///   - isIdentified: Whether the account is identified; nil to ask the server.
    /// - Returns: The account, and the stores that are no longer shown.
    /// - Throws: ``KithError`` if this device cannot store the session.
    func enter(
        _ signedIn: SignedIn, by identity: Identity? = nil, before: AccountID?, isIdentified: Bool?
    ) async throws -> Result {
        let engine = client.engine
        guard let token = signedIn.token else {
            if let isIdentified {
                try await client.session.note(isIdentified: isIdentified, of: signedIn.account)
            }
            let current = HiddenStores(stores: [], current: .account(signedIn.account))
            return Result(account: signedIn.account, identity: identity, isOtherAccount: false, hidden: current)
        }
        var home = try await engine.server.answering()
        if let id = signedIn.server { home.id = id }
        // The token is saved first, because a session without its token would be lost. Another server could return any
        // account, so the account's server is compared before that.
        let known = try await client.replica.read { db, _ in try ReplicaAccount.at(.account(signedIn.account), db) }
        if let known, known.home.verdict(on: home) == .other { throw KithError.otherServer(known.home, home) }
        try engine.credentials.save(token, for: signedIn.account)
        try await engine.endings.withdraw(token)
        let hidden = try await client.session.enter(
            signedIn.account, .activated(isIdentified: isIdentified ?? false), at: home, isAsked: true)
        // The session is open in any case. If the server cannot be asked, the next round learns the state.
        if isIdentified == nil { _ = try? await client.session.verify() }
        return Result(
            account: signedIn.account, identity: identity, isOtherAccount: signedIn.account != before, hidden: hidden)
    }

    // MARK: - Recovery codes

    /// Makes ten recovery codes. Each signs in once, without the email and without another device. Show them to the user
    /// once, to be written down or printed. The codes of an earlier set are worthless from then on. The server tells the
    /// emails of the account.
    ///
    /// - Parameter languages: The wanted languages of the message, best first; those of the system if nil.
    /// - Returns: The codes. Nobody can show them again.
    /// - Throws: ``KithError`` with `offline` or `busy` if no answer came. Then make codes again.
    public func createRecoveryCodes(languages: [String]? = nil) async throws -> RecoveryCodeSet {
        let request = RecoveryCodeRequest(languages: Self.wanted(languages))
        return try await client.engine.withSession { try await $0.createRecoveryCodes(request, token: $1) }
    }

    /// How many recovery codes the account has, and how many of them were not used.
    public func recoveryStatus() async throws -> RecoveryStatus {
        try await client.engine.withSession { try await $0.recoveryStatus(token: $1) }
    }

    /// Signs in with a recovery code as the user typed it. The code's account becomes the current one, with a session of
    /// its own. The stores of the device stay as they are. Opens a session first if there is none.
    ///
    /// A code of the current account changes nothing and stays unused.
    ///
    /// - Parameters:
    ///   - code: The code. Case, spaces and dashes do not matter.
    ///   - device: The name of this device, for the message and the list of sessions.
    ///   - languages: The wanted languages of the message to the account's emails; those of the system if nil.
    /// - Returns: The account, and the stores that are no longer shown.
    /// - Throws: ``KithError``: `codeWrong` if the code is wrong, was used or was replaced; `quotaExceeded` with the time to
    ///   wait; `offline`. After `offline`, use the same code again within ten minutes.
    public func useRecoveryCode(
        _ code: String, device: String? = nil, languages: [String]? = nil
    ) async throws -> Result {
        try client.session.checkIsFree()
        let use = RecoveryCodeUse(
            code: code, device: device.map { String($0.prefix(Limits.deviceName)) }, languages: Self.wanted(languages))
        let before = try await client.session.account()
        let asking = AskingSession(client: client)
        let answer = try await asking.ask { try await $0.useRecoveryCode(use, token: $1) }
        let result = try await enter(answer.value, before: before, isIdentified: nil)
        try await asking.end(answer.token, isUsed: false)
        return result
    }

    private static func wanted(_ languages: [String]?) -> [String] {
        Array((languages ?? Locale.preferredLanguages).prefix(Limits.languages))
    }

    // MARK: - Issuers

    /// The OpenID Connect issuers at which users can sign in, such as Google or the operator's own. Empty if there are
    /// none.
    public func issuers() async throws -> [Issuer] {
        try await AskingSession(client: client).ask { try await $0.issuers(token: $1) }.value
    }

    /// Begins a sign-in at an issuer. Open the answer's address in a browser, for example with
    /// `ASWebAuthenticationSession`, and hand the address that comes back to ``finish(_:)`` within ten minutes.
    ///
    /// - Parameters:
    ///   - issuer: The name of the issuer: `Issuer.name`.
    ///   - redirect: The address to which the issuer sends the browser afterwards. The operator has to allow it, except
    ///     addresses of this machine such as `http://127.0.0.1:49152/`.
    ///   - device: The name of this device, for the list of sessions.
    /// - Returns: The address of the issuer's page.
    /// - Throws: ``KithError``: `notFound` if the server has no such issuer; `malformed` if the redirect address is not
    ///   allowed; `busy` or `quotaExceeded` with the time to wait; `offline`.
    public func begin(at issuer: String, redirect: URL, device: String? = nil) async throws -> IssuerSignIn {
        try client.session.checkIsFree()
        let request = IssuerSignInRequest(
            redirect: redirect.absoluteString, device: device.map { String($0.prefix(Limits.deviceName)) })
        return try await AskingSession(client: client).ask {
            try await $0.beginSignIn(at: issuer, request, token: $1)
        }.value
    }

    /// Finishes a sign-in with the address to which the issuer has sent the browser. It ends like a right code: the
    /// current account gets the identity, or the account that has it becomes the current one.
    ///
    /// - Parameter callback: The whole address, with its query.
    /// - Returns: The account, and the stores that are no longer shown.
    /// - Throws: ``KithError``: `codeExpired` if the sign-in is over, or another session has begun it; `forbidden` with the
    ///   reason if the issuer refused, or its answer is not accepted; `offline`. Then begin again.
    public func finish(_ callback: URL) async throws -> Result {
        try client.session.checkIsFree()
        let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let state = value("state") else {
            throw KithError(.codeExpired, "This address does not come from an issuer. Begin the sign-in again.")
        }
        let answer = IssuerAnswer(state: state, code: value("code"), issuer: value("iss"), error: value("error"))
        let before = try await client.session.account()
        let asking = AskingSession(client: client)
        let finished = try await asking.ask { try await $0.finishSignIn(answer, token: $1) }
        var signedIn = finished.value
        let isUsed = signedIn.token == nil
        signedIn.token = signedIn.token ?? finished.token
        let result = try await enter(signedIn, before: before, isIdentified: true)
        try await asking.end(finished.token, isUsed: isUsed)
        return result
    }

    /// The account's identities at issuers, oldest first.
    public func issuerIdentities() async throws -> [OwnIssuerIdentity] {
        try await client.engine.withSession { try await $0.identities(token: $1) }.issuers ?? []
    }

    /// Removes an identity at an issuer from the account. Without any identity, the account is anonymous again.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account.
    /// - Throws: ``KithError``: `notFound` if the account does not have it; `lastWayIn` if it is the last way to sign in,
    ///   and `evenLast` is false.
    public func remove(_ identity: IssuerIdentityID, evenLast: Bool = false) async throws {
        try await client.engine.withSession { try await $0.remove(identity, evenLast: evenLast, token: $1) }
        try await client.session.verify()
    }

    // MARK: - The account's sessions and identities

    /// The sessions of the account, oldest first.
    public func sessions() async throws -> [SessionEntry] {
        try await client.engine.withSession { try await $0.sessions(token: $1) }
    }

    /// Yields each time the list of sessions has changed, for example because a device was added. Only while
    /// ``KithClient/run()`` runs and the server can be reached: read the list once before.
    public func sessionChanges() -> AsyncStream<Void> { client.engine.sessionChanges() }

    /// Sets the name of this device in the list of sessions; nil removes it.
    public func nameDevice(_ name: String?) async throws {
        let name = name.map { String($0.prefix(Limits.deviceName)) }
        try await client.engine.withSession { try await $0.nameSession(name, token: $1) }
    }

    /// Closes another session of the account, such as that of a lost device. Its live streams end, and its device keeps
    /// what it has.
    ///
    /// - Throws: ``KithError`` with `notFound` if the account has no such session.
    public func revoke(_ session: SessionID) async throws {
        try await client.engine.withSession { try await $0.revoke(session, token: $1) }
    }

    /// Closes all sessions of the account, then logs out here: ``Sessions/logOut()``.
    @discardableResult
    public func logOutEverywhere() async throws -> Sessions.LogOut {
        // A session that was opened only to be closed would take the userless store with it.
        if try await client.session.state() != .initial {
            try await client.engine.withSession { try await $0.closeAllSessions(token: $1) }
        }
        return try await client.session.logOut()
    }

    /// The numbers and emails of the account, sorted.
    public func identities() async throws -> [OwnIdentity] {
        try await client.engine.withSession { try await $0.identities(token: $1) }.identities
    }

    /// Removes a number or an email from the account. An email is told. Without any, and without a passkey, the account is
    /// anonymous again.
    ///
    /// - Parameters:
    ///   - identity: The number or email.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account. If the last session is
    ///     lost then, nobody can open the account again.
    /// - Throws: ``KithError``: `notFound` if the account does not have it; `lastWayIn` if it is the last way to sign in,
    ///   and `evenLast` is false.
    public func remove(_ identity: Identity, evenLast: Bool = false) async throws {
        try await client.engine.withSession { try await $0.remove(identity, evenLast: evenLast, token: $1) }
        try await client.session.verify()
    }
}

extension SignIn {
    /// Stores an email of the user that nobody has proved, for rewards of the app: `Profile.claimedEmail`. Works
    /// offline, like every edit of the profile.
    ///
    /// It grants nothing: nobody can sign in or be found with it, and no other person sees it. To prove an email, use
    /// ``requestCode(for:replacing:languages:device:)``.
    ///
    /// - Parameter email: The email; nil removes it.
    /// - Throws: ``KithError`` with `invalid` if the text is no email.
    public func identify(email: String?) async throws {
        var address: EmailAddress?
        if let email {
            guard let parsed = EmailAddress(email) else {
                throw KithError(.invalid, "“\(email)” is no email, such as ada@example.com.", field: "claimedEmail")
            }
            address = parsed
        }
        let text = address?.text
        try await client.network.updateProfile { $0.claimedEmail = text }
    }
}

extension KithClient {
    /// Signing in with a code or a passkey, and the sessions and identities of the account.
    public var signIn: SignIn { SignIn(client: self) }
}
