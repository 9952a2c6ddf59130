public import Foundation
public import KithModel

/// The ways to sign in, with a code, a passkey and others, and the identities of the account: `client.signIn`.
///
/// ```swift
/// let sent = try await client.signIn.requestCode(for: .email(address), device: "Ada’s phone")
/// let result = try await client.signIn.check("123456", of: sent)
/// for store in result.hidden.stores {  // Ask the user: move its lists, keep it, or drop it.
///     try await client.accounts.decide(.move, about: store.scope)
/// }
/// ```
///
/// ``passkeys`` signs in without a code. An account without a proved identity and without a passkey is anonymous. If its
/// last session is lost, only a recovery code opens it again: ``createRecoveryCodes(expecting:languages:)``.
public struct SignIn: Sendable {
    let client: KithClient

    /// Requests a code, which the server sends to a number or an email. Opens a first session if there was none. After a
    /// log-out, or if the token is refused or missing, a temporary session sends the request, and the stores do not change.
    ///
    /// - Parameters:
    ///   - identity: The number or email. The answer does not reveal whether an account has it.
    ///   - old: A number or email of the account that the new one replaces; nil to keep all. It is removed when the right
    ///     code is entered. A removed email receives a notice.
    ///   - languages: The wanted languages of the message, best first; those of the system if nil.
    ///   - device: The name of this device, for the message and the list of sessions. A session that already has a name keeps
    ///     it: see ``Sessions/nameDevice(_:)``.
    /// - Returns: The code to check, with the time from which another one can be requested.
    /// - Throws: ``KithError``: `busy` or `quotaExceeded` with the time to wait; `forbidden` if the server sends no codes to
    ///   such an identity; `notFound` if the account does not have the identity to replace; `offline`. After `offline`, call
    ///   this function again: if only the answer was lost, no second code is sent.
    public func requestCode(
        for identity: Identity, replacing old: Identity? = nil, languages: [String]? = nil, device: String? = nil
    ) async throws -> SentCode {
        try await requestCode(
            CodeRequest(
                id: client.replica.dependencies.makeID(), identity: identity, replaces: old, languages: languages,
                device: device))
    }

    /// Requests a code for a phone number in the notation of a country. The server parses the number, so the app needs no
    /// library for that. The answer has the number in canonical form.
    ///
    /// - Parameters:
    ///   - number: The number, with or without a country code: `0664 1234567`.
    ///   - country: The country: ``countries()`` lists those that the server allows.
    ///   - old: A number or email of the account that the new one replaces; nil to keep all.
    ///   - languages: The wanted languages of the message, best first; those of the system if nil.
    ///   - device: The name of this device, for the message and the list of sessions. A session that already has a name keeps
    ///     it: see ``Sessions/nameDevice(_:)``.
    /// - Returns: The code to check, with the time from which another one can be requested.
    /// - Throws: ``KithError``: `refused` if the text is no mobile number; `forbidden` if the server sends no codes to the
    ///   country; otherwise as ``requestCode(for:replacing:languages:device:)``.
    public func requestCode(
        forNumber number: String, in country: Region, replacing old: Identity? = nil, languages: [String]? = nil,
        device: String? = nil
    ) async throws -> SentCode {
        try await requestCode(
            CodeRequest(
                id: client.replica.dependencies.makeID(), number: number, in: country, replaces: old,
                languages: languages, device: device))
    }

    /// Sends a request for a code, with the languages of the system if it has none. A repeated request with the same id sends
    /// no second code.
    package func requestCode(_ request: CodeRequest) async throws -> SentCode {
        var request = request
        request.languages = Self.wanted(request.languages)
        request.device = Self.name(request.device)
        let now = client.replica.dependencies.now()
        return try await SignInSession(client: client).send { [request] in try await $0.sendCode(request, at: now) }
    }

    /// The countries in which a phone number can be proved, for a picker; empty if the server sends no codes by SMS.
    ///
    /// `countries.sorted(in: .current)` sorts them by name in the user's language, and `countries.preferred()` is the one to
    /// preselect.
    ///
    /// - Throws: ``KithError``: `offline`, `noServer`.
    public func countries() async throws -> [Country] {
        try await client.engine.server.send { try await $0.countries() }
    }

    /// The name of a device or a passkey, shortened to `Limits.deviceName` characters.
    static func name(_ device: String?) -> String? { device.map { String($0.prefix(Limits.deviceName)) } }

    /// The result of signing in.
    public struct Result: Sendable {
        /// The account that is signed in to. It is the current account now.
        public let account: AccountID
        /// The number or email that was proved; nil after other ways to sign in.
        public let identity: Identity?
        /// Whether another account was current before.
        public let isOtherAccount: Bool
        /// Whether no account had the identity, so that a new, empty account has it now. After a log-out, or a refused token,
        /// users who type another email than before get such an account: tell them.
        public internal(set) var isNewAccount = false
        /// The stores that are hidden now, if the account is another one: that of the former account, or the userless
        /// store. Ask the user what to do with each, and call ``Accounts/decide(_:about:lists:)``. Until then they do not
        /// change, also after a restart: ``Accounts/undecided()``. Their unsent edits are sent when a store is selected
        /// again, or by a client with ``KithConfiguration/account``.
        public let hidden: HiddenStores
    }

    /// Checks a code as the user typed it. Spaces and hyphens in it do not matter. A text that has another number of digits is
    /// refused on the device, because each code has only five tries.
    ///
    /// If no account has the identity, the current account gets it and keeps all its data. If another account has it,
    /// that account becomes the current one, with a session of its own. The data in the device's stores does not change.
    ///
    /// If the code was requested with `replacing` and another account has the new identity, nothing changes.
    ///
    /// - Throws: ``KithError``: `codeWrong`; `codeExpired`; `refused` if the code was requested with `replacing` and another
    ///   account has the new identity; `busy` with the time to wait before the next check; `quotaExceeded` if codes for
    ///   this identity were tried too often; `offline`. After `offline`, check the same code again.
    public func check(_ code: String, of sent: SentCode) async throws -> Result {
        try client.refusePinned()
        let digits = code.filter { !$0.isWhitespace && $0 != "-" }
        guard digits.count == sent.digits, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw KithError(.codeWrong, "The code in the message has \(sent.digits) digits. It was not tried.")
        }
        return try await SignInSession(client: client).signIn {
            let proved = try await $0.check(digits, of: sent.id)
            return SignedInAccount(
                signedIn: SignedIn(account: proved.account, token: proved.token, server: proved.server),
                identity: proved.identity, isIdentified: true)
        }
    }

    // MARK: - Recovery codes

    /// Makes ten recovery codes, which replace those of an earlier set. Each signs in once, without the email and without
    /// another device. Show them to the user once, to be written down or printed. The account's emails receive a notice.
    ///
    /// - Parameters:
    ///   - expected: The account whose earlier codes the user wants to replace; nil for the current one.
    ///   - languages: The languages of the notice if the account's profile has none, best first; those of the system if nil.
    /// - Returns: The codes. The server cannot show them again.
    /// - Throws: ``KithError``: `offline` or `busy` if no answer came: call this function again; `refused` if another account
    ///   became the current one meanwhile. Then nothing was changed.
    public func createRecoveryCodes(
        expecting expected: AccountID? = nil, languages: [String]? = nil
    ) async throws -> RecoveryCodeSet {
        let request = RecoveryCodeRequest(languages: Self.wanted(languages))
        return try await client.withSession(expecting: expected) { try await $0.createRecoveryCodes(request) }
    }

    /// How many recovery codes the account has, and how many of them are unused.
    public func recoveryStatus() async throws -> RecoveryStatus {
        try await client.requests.withSession { try await $0.recoveryStatus() }
    }

    /// Signs in with a recovery code as the user typed it. The code's account becomes the current one, with a session of
    /// its own. The data in the device's stores does not change. Opens a session first if there is none.
    ///
    /// A code of the current account changes nothing and remains unused.
    ///
    /// - Parameters:
    ///   - code: The code. Case, spaces and dashes do not matter.
    ///   - device: The name of this device, for the message and the list of sessions.
    /// - Returns: The account, and the stores that are hidden now.
    /// - Throws: ``KithError``: `codeWrong` if the code is wrong, was used or was replaced; `quotaExceeded` with the time to
    ///   wait; `offline`. After `offline`, use the same code again within ten minutes.
    public func useRecoveryCode(_ code: String, device: String? = nil) async throws -> Result {
        try client.refusePinned()
        let use = RecoveryCodeUse(code: code, device: Self.name(device))
        return try await SignInSession(client: client).signIn {
            SignedInAccount(signedIn: try await $0.useRecoveryCode(use))
        }
    }

    private static func wanted(_ languages: [String]?) -> [String] {
        Array((languages ?? Locale.preferredLanguages).prefix(Limits.languages))
    }

    // MARK: - Issuers

    /// The OpenID Connect issuers at which users can sign in, such as Google or the operator's own; empty if there are
    /// none.
    ///
    /// - Throws: ``KithError``: `offline`, `noServer`.
    public func issuers() async throws -> [Issuer] {
        try await SignInSession(client: client).send { try await $0.issuers() }
    }

    /// Begins a sign-in at an issuer. Open the returned address in a browser, for example with
    /// `ASWebAuthenticationSession`, and pass the address to which the issuer redirects it to ``finish(_:)`` within ten
    /// minutes.
    ///
    /// - Parameters:
    ///   - issuer: The name of the issuer: `Issuer.name`.
    ///   - redirect: The address to which the issuer redirects the browser. The operator has to allow it, except addresses
    ///     of this machine such as `http://127.0.0.1:49152/`.
    ///   - device: The name of this device, for the list of sessions. A session that already has a name keeps it: see
    ///     ``Sessions/nameDevice(_:)``.
    /// - Returns: The address of the issuer's page.
    /// - Throws: ``KithError``: `notFound` if the server has no such issuer; `malformed` if the redirect address is not
    ///   allowed; `busy` or `quotaExceeded` with the time to wait; `offline`.
    public func begin(at issuer: String, redirect: URL, device: String? = nil) async throws -> IssuerSignIn {
        try client.refusePinned()
        let request = IssuerSignInRequest(redirect: redirect.absoluteString, device: Self.name(device))
        return try await SignInSession(client: client).send {
            try await $0.beginSignIn(at: issuer, request)
        }
    }

    /// Finishes a sign-in with the address to which the issuer has redirected the browser. The result is that of a right
    /// code: the current account gets the identity, or the account that has it becomes the current one.
    ///
    /// - Parameter callback: The whole address, with its query.
    /// - Returns: The account, and the stores that are hidden now.
    /// - Throws: ``KithError``: `codeExpired` if the sign-in has expired or was finished, or another session has begun it;
    ///   `forbidden` with the reason if the issuer refused, or its answer is not valid; `offline`. After any of them, begin
    ///   again.
    public func finish(_ callback: URL) async throws -> Result {
        try client.refusePinned()
        let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let state = value("state") else {
            throw KithError(.codeExpired, "This address does not come from an issuer. Begin the sign-in again.")
        }
        let answer = IssuerAnswer(state: state, code: value("code"), issuer: value("iss"), error: value("error"))
        return try await SignInSession(client: client).signIn {
            SignedInAccount(signedIn: try await $0.finishSignIn(answer), isIdentified: true)
        }
    }

    /// The account's identities at issuers, oldest first.
    public func issuerIdentities() async throws -> [OwnIssuerIdentity] {
        try await client.requests.withSession { try await $0.identities() }.issuers ?? []
    }

    /// Removes an identity at an issuer from the account. An account without any identity or passkey is anonymous again.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account.
    /// - Throws: ``KithError``: `notFound` if the account does not have it; `lastWayIn` if it is the last way to sign in,
    ///   and `evenLast` is false.
    public func remove(_ identity: IssuerIdentityID, evenLast: Bool = false) async throws {
        let session = try await client.requests.session()
        try await client.requests.send(in: session) { try await $0.remove(identity, evenLast: evenLast) }
        await client.session.learnKind(of: session)
    }

    // MARK: - The account's numbers and emails

    /// The numbers and emails of the account, sorted.
    public func identities() async throws -> [OwnIdentity] {
        try await client.requests.withSession { try await $0.identities() }.identities
    }

    /// Removes a number or an email from the account. A removed email receives a notice. An account without any identity
    /// or passkey is anonymous again.
    ///
    /// - Parameters:
    ///   - identity: The number or email.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account. Nobody can open such an
    ///     account again after its last session is lost.
    /// - Throws: ``KithError``: `notFound` if the account does not have it; `lastWayIn` if it is the last way to sign in,
    ///   and `evenLast` is false.
    public func remove(_ identity: Identity, evenLast: Bool = false) async throws {
        let session = try await client.requests.session()
        try await client.requests.send(in: session) { try await $0.remove(identity, evenLast: evenLast) }
        await client.session.learnKind(of: session)
    }
}

extension KithClient {
    /// The ways to sign in, and the identities of the account.
    public var signIn: SignIn { SignIn(client: self) }
}
