public import Foundation
public import KithModel

/// Passkeys: `client.signIn.passkeys`.
///
/// A passkey is a key pair that a device or a password manager keeps for the account (WebAuthn). The app passes JSON
/// between the server and the system: `ASAuthorizationPlatformPublicKeyCredentialProvider` on Apple's systems, Credential
/// Manager on Android.
///
/// ```swift
/// let begun = try await client.signIn.passkeys.beginSignIn(device: "Ada’s phone")
/// let response = try await … // Pass begun.options to the system.
/// let result = try await client.signIn.passkeys.finish(begun, with: response)
/// for store in result.hidden.stores { … }  // Ask the user, then call client.accounts.decide(…).
/// ```
///
/// A device that has no passkeys shows the address of a web page instead (`PasskeySignIn.page`), and asks for the
/// outcome until there is one. Each ceremony expires after five minutes.
public struct Passkeys: Sendable {
    let client: KithClient

    // MARK: Adding

    /// Begins the addition of a passkey to the account. Opens a session if there is none.
    ///
    /// - Parameter name: The name of the passkey, for ``all()``.
    /// - Returns: The ceremony, with the options for the system.
    /// - Throws: ``KithError``: `forbidden` if the server uses no passkeys; `tooMany` if the account has 20; `busy` with
    ///   the time to wait; `offline`.
    public func beginAdding(named name: String? = nil) async throws -> PasskeyRegistration {
        let name = SignIn.name(name)
        let session = try await client.requests.session()
        let registration = try await client.requests.send(in: session) { try await $0.beginPasskey(named: name) }
        registrations.note(registration.id, in: session)
        return registration
    }

    private var registrations: SessionMemory<CeremonyID> { client.parts.part { SessionMemory() } }

    /// Adds the passkey that this device has created, to the account that has begun. Another account may be the current one
    /// by then. An anonymous account becomes identified: its user can sign in to it again with the passkey.
    ///
    /// - Throws: ``KithError``: `passkeyRefused` with the reason; `notFound` if the ceremony has expired; `tooMany`;
    ///   `offline`. After any of them, begin again.
    @discardableResult
    public func finish(_ begun: PasskeyRegistration, with response: PasskeyAttestation) async throws -> Passkey {
        let session = try await registrations.session(of: begun.id, client.requests)
        let passkey = try await client.requests.send(in: session) { try await $0.finishPasskey(begun.id, response) }
        await client.session.learnKind(of: session)
        return passkey
    }

    /// Adds the passkey that this device has created, from its JSON: `RegistrationResponseJSON` of WebAuthn.
    ///
    /// - Throws: ``KithError`` as with a `PasskeyAttestation`, and `malformed` if the JSON cannot be decoded.
    @discardableResult
    public func finish(_ begun: PasskeyRegistration, withJSON json: Data) async throws -> Passkey {
        try await finish(begun, with: try Self.decode(PasskeyAttestation.self, json))
    }

    /// The passkey that the web page of a ceremony has added to the account that has begun; nil if it has not added one yet.
    ///
    /// - Throws: ``KithError``: `notFound` if the ceremony has expired; `offline`.
    public func outcome(of begun: PasskeyRegistration) async throws -> Passkey? {
        let session = try await registrations.session(of: begun.id, client.requests)
        let outcome = try await client.requests.send(in: session) { try await $0.passkeyOutcome(of: begun.id) }
        if outcome.passkey != nil { await client.session.learnKind(of: session) }
        return outcome.passkey
    }

    // MARK: Signing in

    /// Begins a sign-in. It needs neither a session nor a user name: the user chooses among the passkeys of the service.
    ///
    /// - Parameter device: The name of this device, for the list of sessions.
    /// - Returns: The ceremony, with the options for the system.
    /// - Throws: ``KithError``: `forbidden` if the server uses no passkeys; `busy` with the time to wait; `offline`.
    public func beginSignIn(device: String? = nil) async throws -> PasskeySignIn {
        let device = SignIn.name(device)
        return try await client.engine.server.send { try await $0.beginPasskeySignIn(of: device) }
    }

    /// Signs in with the passkey that this device has used. Its account becomes the current one. The data in the device's
    /// stores does not change.
    ///
    /// - Returns: The account, and the stores that are hidden now.
    /// - Throws: ``KithError``: `passkeyRefused` with the reason; `notFound` if the ceremony has expired; `offline`. After
    ///   any of them, begin again.
    public func finish(_ begun: PasskeySignIn, with response: PasskeyAssertion) async throws -> SignIn.Result {
        try client.refusePinned()
        let session = try await client.engine.server.send { try await $0.finishPasskeySignIn(begun.id, response) }
        return try await signIn(with: session)
    }

    /// Signs in with the passkey that this device has used, from its JSON: `AuthenticationResponseJSON` of WebAuthn.
    ///
    /// - Throws: ``KithError`` as with a `PasskeyAssertion`, and `malformed` if the JSON cannot be decoded.
    public func finish(_ begun: PasskeySignIn, withJSON json: Data) async throws -> SignIn.Result {
        try await finish(begun, with: try Self.decode(PasskeyAssertion.self, json))
    }

    /// Signs in if the web page of a ceremony has used a passkey; nil if it has not used one yet.
    ///
    /// - Throws: ``KithError``: `notFound` if the ceremony has expired; `offline`. After `offline`, ask again.
    public func outcome(of begun: PasskeySignIn) async throws -> SignIn.Result? {
        try client.refusePinned()
        let outcome = try await client.engine.server.send { try await $0.claimPasskeySignIn(begun.id, begun.claim) }
        guard let session = outcome.session else { return nil }
        return try await signIn(with: session)
    }

    /// Makes the account of a new session the current one.
    private func signIn(with session: NewSession) async throws -> SignIn.Result {
        let before = try await client.session.account()
        var signedIn = SignedIn(account: session.account, token: session.token, server: session.server)
        if session.account == before, (try? await client.session.verify())?.account == before {
            // The device has a session of the account already. A second one would appear in the list of sessions.
            try? await client.engine.server.send { try await $0.with(token: session.token).close() }
            signedIn.token = nil
        }
        return try await SignInSession(client: client).finish(
            SignedInAccount(signedIn: signedIn, isIdentified: true), before: before)
    }

    // MARK: The passkeys of the account

    /// The passkeys of the account, oldest first.
    public func all() async throws -> [Passkey] {
        try await client.requests.withSession { try await $0.passkeys() }
    }

    /// Removes a passkey from the account. An account without any identity or passkey is anonymous again. The device keeps
    /// its part of the passkey: ask the user to delete it there.
    ///
    /// - Parameters:
    ///   - passkey: The passkey.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account.
    /// - Throws: ``KithError``: `notFound` if the account does not have it; `lastWayIn` if it is the last way to sign in,
    ///   and `evenLast` is false.
    public func remove(_ passkey: PasskeyID, evenLast: Bool = false) async throws {
        let session = try await client.requests.session()
        try await client.requests.send(in: session) { try await $0.remove(passkey, evenLast: evenLast) }
        await client.session.learnKind(of: session)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ json: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw KithError(.malformed, "The system's answer is not a passkey in WebAuthn's JSON.", cause: error)
        }
    }
}

extension SignIn {
    /// Passkeys.
    public var passkeys: Passkeys { Passkeys(client: client) }
}
