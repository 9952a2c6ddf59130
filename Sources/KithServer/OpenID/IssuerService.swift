import Foundation
package import KithModel

/// Signs in at OpenID Connect issuers: the authorization code flow with PKCE (RFC 7636, S256), state and nonce.
///
/// The identity consists of the issuer's URL and the subject of its token, never of an email alone. The device opens the
/// issuer's page and receives a code. The server exchanges the code for a token, so that devices do not need the client's
/// secret.
package struct IssuerService: Sendable {
    private let database: any Database
    private let issuers: [IssuerSettings]
    private let clients: [String: IssuerClient]
    private let notices: AccountNotices
    private let discoveryKeys: DiscoveryKeys
    private let signals: SignalSender
    private let ways: WaysIn
    private let limits: IssuerLimits
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of sign-ins, sessions and identities.
    ///   - issuers: The issuers.
    ///   - transport: Sends requests to them.
    ///   - messages: Sends the message that a way in was added.
    ///   - discoveryKeys: The secret keys under which new emails are evaluated.
    ///   - signals: Sends the signals of its commits.
    ///   - ways: The ways in that the operator has switched on.
    ///   - limits: The limits.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, issuers: [IssuerSettings], transport: any IssuerTransport, messages: MessageQueue,
        discoveryKeys: DiscoveryKeys, signals: SignalSender, ways: WaysIn = WaysIn(),
        limits: IssuerLimits = IssuerLimits(), random: RandomBytes = .system
    ) {
        self.database = database
        self.issuers = issuers
        clients = Dictionary(
            uniqueKeysWithValues: issuers.map { ($0.name, IssuerClient($0, transport: transport)) })
        notices = AccountNotices(messages: messages, random: random)
        self.discoveryKeys = discoveryKeys
        self.signals = signals
        self.ways = ways
        self.limits = limits
        self.random = random
    }

    /// The issuers at which users can sign in.
    package var list: IssuerList {
        IssuerList(issuers: issuers.map { Issuer(name: $0.name, displayName: $0.displayName) })
    }

    private func issuer(_ name: String) throws(ServerError) -> (IssuerSettings, IssuerClient) {
        guard let settings = issuers.first(where: { $0.name == name }), let client = clients[name] else {
            throw ServerError(.notFound, "This server has no such issuer. GET /v1/issuers lists them.")
        }
        return (settings, client)
    }

    // MARK: - Beginning

    /// Begins a sign-in: returns the address of the issuer's page to open.
    ///
    /// - Throws: ``ServerError``: `notFound` if there is no such issuer; `malformed` if the redirect address is not
    ///   allowed; `tooFast` or `quotaExceeded`; `busy` if the issuer does not answer.
    package func begin(
        at name: String, _ request: IssuerSignInRequest, by requester: Requester, now: Timestamp
    ) async throws -> IssuerSignIn {
        let (settings, client) = try issuer(name)
        try SignInForm.check(device: request.device)
        guard request.redirect.utf8.count <= 500, settings.allows(redirect: request.redirect) else {
            throw ServerError(
                .malformed, "The operator has not allowed this redirect address for \(settings.displayName).",
                path: "$.redirect")
        }
        let metadata = try await Self.reporting(settings, as: .busy) { try await client.metadata(at: now) }
        let (state, session) = (random.token(), requester.session)
        try await database.write { transaction in
            let begun = try transaction.count(
                in: "issuer_login", "session", .bytes(session), since: now - limits.lifetime,
                until: now + limits.lifetime)
            guard begun < limits.ofSession else {
                throw ServerError(
                    .tooFast, "This device has begun \(begun) sign-ins within ten minutes. Finish one, or wait.",
                    retryAfter: limits.lifetime)
            }
            let network = try MessageSecret(in: transaction, random: random).hash(of: requester.address.network)
            try DailyQuota(kind: "issuerLogins", noun: "sign-ins", limit: limits.ofNetwork)
                .take(by: .network(network), at: now, in: transaction)
            try IssuerLoginRow(issuer: name, redirect: request.redirect, device: request.device)
                .insert(state: state, session: session, at: now, in: transaction)
        }
        let challenge = Secret.sha256(IssuerLoginRow.verifier(state, token: requester.token)).base64URL
        let fields = FormFields([
            ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", request.redirect),
            ("scope", settings.scopes.joined(separator: " ")), ("state", state),
            ("nonce", IssuerLoginRow.nonce(state, token: requester.token)), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ])
        let separator = metadata.authorizationEndpoint.contains("?") ? "&" : "?"
        return IssuerSignIn(
            url: metadata.authorizationEndpoint + separator + String(decoding: fields.encoded, as: UTF8.self),
            expires: now + limits.lifetime)
    }

    // MARK: - Finishing

    /// Finishes a sign-in with what the issuer has sent to the redirect address. A sign-in that fails cannot be finished
    /// again.
    ///
    /// If no account has the identity, the session's account gets it, and the account's other emails receive a message. If
    /// another account has it, the answer has a session of that account.
    ///
    /// - Throws: ``ServerError``: `codeExpired` if the session has not begun the sign-in, or it is over; `forbidden` with
    ///   the reason if the issuer refuses, does not answer, or gives an answer that is not accepted.
    package func finish(
        _ answer: IssuerAnswer, by requester: Requester, at now: Timestamp
    ) async throws -> SignedIn {
        let session = requester.session
        let login = try await database.write { transaction in
            try IssuerLoginRow.take(
                state: answer.state, session: session, at: now, lifetime: limits.lifetime, in: transaction)
        }
        guard let login, let (settings, client) = try? issuer(login.issuer) else {
            throw ServerError(
                .codeExpired, "This sign-in is over, or another device has begun it. Begin it again.", path: "$.state")
        }
        guard let code = answer.code, answer.error == nil, code.utf8.count <= 4_096 else {
            throw ServerError(.forbidden, "\(settings.displayName) has not signed the user in. Begin again.")
        }
        let claims = try await Self.reporting(settings, as: .forbidden) {
            try await check(answer.issuer, code, settings, client, login, state: answer.state, requester.token, at: now)
        }
        let (token, server) = (random.token(), database.server)
        let signedIn = try await signals.commit(in: database) { transaction in
            try signIn(
                claims, at: settings, device: login.device, by: requester, newToken: token, server: server, now: now,
                in: transaction)
        }
        notices.wake()
        return signedIn
    }

    /// Exchanges the code, and checks the token.
    private func check(
        _ sender: String?, _ code: String, _ settings: IssuerSettings, _ client: IssuerClient, _ login: IssuerLoginRow,
        state: String, _ token: String, at now: Timestamp
    ) async throws -> TokenClaims {
        let metadata = try await client.metadata(at: now)
        // RFC 9207, section 2.4: otherwise the code of one issuer could be sent to another.
        guard sender ?? (metadata.sendsIssuer ? "" : metadata.issuer) == metadata.issuer else {
            throw IssuerFault("it comes from another issuer (RFC 9207)")
        }
        let signed = try await client.redeem(
            code, verifier: IssuerLoginRow.verifier(state, token: token), redirect: login.redirect, at: now)
        let header = try TokenHeader(of: signed)
        let key = try await client.key(for: header, at: now)
        var verified = TokenSignature.content(of: signed, signedBy: key)
        // The issuer may have a new key under the same id, or without one.
        if verified == nil, let newer = try? await client.key(for: header, insteadOf: key, at: now) {
            verified = TokenSignature.content(of: signed, signedBy: newer)
        }
        guard let content = verified else { throw IssuerFault("the signature of its token is wrong") }
        let expected = TokenClaims.Expected(
            issuer: metadata.issuer, client: settings.clientID, nonce: IssuerLoginRow.nonce(state, token: token))
        return try TokenClaims(content, expecting: expected, at: now)
    }

    private func signIn(
        _ claims: TokenClaims, at issuer: IssuerSettings, device: String?, by requester: Requester,
        newToken: String, server: ServerID, now: Timestamp, in transaction: any Transaction
    ) throws -> Committed<SignedIn> {
        // The session may have been closed, or its account deleted, while the issuer answered.
        let own = try SessionTable.existingAccount(of: requester.session, in: transaction)
        let register = IdentityRegister(keys: discoveryKeys, at: now)
        let email =
            issuer.vouchesForEmails ? claims.verifiedEmail.flatMap { EmailAddress($0) }.map { Identity.email($0) } : nil
        let ownerOfEmail = try email.flatMap { try register.owner(of: $0, in: transaction) }
        let known = try IssuerIdentityRow.owner(of: claims.subject, at: issuer.url, in: transaction)
        let account = known ?? ownerOfEmail ?? own
        var signals = Signals()
        let newEmail: Identity? = try AccountKind.noteChange(of: account, in: transaction, &signals) {
            var added: [AccountNotices.WayIn] = []
            if known == nil {
                guard try IssuerIdentityRow.all(of: account, in: transaction).count < limits.ofAccount else {
                    throw ServerError(
                        .tooMany,
                        "The account has \(limits.ofAccount) identities at issuers already. Remove one first.")
                }
                try IssuerIdentityRow(
                    id: IssuerIdentityID(at: now, random: random), issuer: issuer.url, since: now
                ).insert(claims.subject, of: account, in: transaction)
                added.append(.issuer(name: issuer.displayName))
                try SignUps.record(account, at: now, in: transaction)
            }
            // Only with a new identity at the issuer: an email that the person has removed stays removed.
            let isNew =
                try known == nil && ownerOfEmail == nil
                && register.identities(of: account, in: transaction).count < Limits.identities
            let newEmail = isNew ? email : nil
            if let newEmail { added.append(.identity(newEmail)) }
            try notices.added(added, from: requester.address.description, to: account, at: now, in: transaction)
            if let newEmail { _ = try register.add(newEmail, to: account, in: transaction) }
            return newEmail
        }
        if newEmail != nil || known == nil { signals.topics.insert(.identities) }
        guard account != own else {
            if let device {
                try SessionTable.setDevice(device, keepingOld: true, of: requester.session, in: transaction)
            }
            return Committed(SignedIn(account: account, server: server), signals: signals)
        }
        signals.formUnion(
            try SessionTable.open(Secret.sha256(newToken), of: account, device: device, at: now, in: transaction))
        return Committed(SignedIn(account: account, token: newToken, server: server), signals: signals)
    }

    // MARK: - The account's identities

    /// The identities of an account at issuers, oldest first.
    package func identities(of account: AccountID) async throws -> [OwnIssuerIdentity] {
        try await database.read { try IssuerIdentityRow.all(of: account, in: $0) }.map { row in
            let known = issuers.first { $0.url == row.issuer }
            return OwnIssuerIdentity(
                id: row.id, issuer: row.issuer, name: known?.name, displayName: known?.displayName ?? row.issuer,
                since: row.since)
        }
    }

    /// Removes an identity at an issuer from an account.
    ///
    /// - Throws: ``ServerError``: `notFound` if the account does not have it; `lastWayIn` if nobody could sign in to the
    ///   account without it, and `evenLast` is false.
    package func remove(_ id: IssuerIdentityID, of account: AccountID, evenLast: Bool = false) async throws {
        try await signals.commit(in: database) { transaction in
            try ways.remove("The issuer", of: account, evenLast: evenLast, in: transaction) {
                guard try IssuerIdentityRow.remove(id, of: account, in: transaction) else {
                    throw ServerError(.notFound, "The account has no such identity.")
                }
            }
        }
    }

    /// Turns a fault of an issuer into an error for the caller.
    private static func reporting<Value>(
        _ settings: IssuerSettings, as code: Problem.Code, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let fault as IssuerFault {
            let end = code == .busy ? "Try again later." : "Begin the sign-in again."
            throw ServerError(
                code, "The answer of \(settings.displayName) was refused: \(fault.reason). \(end)", cause: fault)
        }
    }
}
