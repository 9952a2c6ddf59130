import Foundation
import KithModel

/// The server's endpoints for the sessions of an account, the ways to sign in to it, and its deletion.
///
/// The engine itself opens and closes sessions.
extension SessionConnection {
    // MARK: Sessions

    /// The sessions of the account.
    func sessions() async throws -> [SessionEntry] {
        try await (call("GET", "/v1/sessions") as SessionList).sessions
    }

    func nameSession(_ device: String?) async throws {
        let body = try JSONEncoder().encode(SessionName(device: device))
        _ = try await send("PUT", "/v1/session", body: body)
    }

    func revoke(_ session: SessionID) async throws {
        _ = try await send("DELETE", "/v1/sessions/\(session)", body: nil)
    }

    func closeAllSessions() async throws {
        _ = try await send("DELETE", "/v1/sessions", body: nil)
    }

    // MARK: Numbers, emails and issuers

    func sendCode(_ request: CodeRequest, at now: Timestamp) async throws -> SentCode {
        try await repeating(request, at: now) { try await call("POST", "/v1/codes", body: $0) }
    }

    func check(_ code: String, of id: CodeID) async throws -> ProvedIdentity {
        try await call("POST", "/v1/codes/\(id)/check", body: CodeCheck(code: code))
    }

    func identities() async throws -> OwnIdentityList {
        try await call("GET", "/v1/identities")
    }

    func remove(_ identity: Identity, evenLast: Bool) async throws {
        try await removeWayIn("identities/\(identity.text.percentEncoded)", evenLast: evenLast)
    }

    func issuers() async throws -> [Issuer] {
        try await (call("GET", "/v1/issuers") as IssuerList).issuers
    }

    func beginSignIn(at issuer: String, _ request: IssuerSignInRequest) async throws -> IssuerSignIn {
        try await call("POST", "/v1/issuers/\(issuer.percentEncoded)/sign-ins", body: request)
    }

    func finishSignIn(_ answer: IssuerAnswer) async throws -> SignedIn {
        try await call("POST", "/v1/sign-ins", body: answer)
    }

    func remove(_ identity: IssuerIdentityID, evenLast: Bool) async throws {
        try await removeWayIn("issuer-identities/\(identity)", evenLast: evenLast)
    }

    private func removeWayIn(_ path: String, evenLast: Bool) async throws {
        _ = try await send("DELETE", "/v1/\(path)\(evenLast ? "?last=remove" : "")", body: nil)
    }

    // MARK: Pairings and recovery codes

    func makePairing() async throws -> Pairing {
        // A request repeats one without an answer, whose pairing may be over. The next request has another key.
        for _ in 0..<UnansweredRequests.most {
            do {
                return try await make("/v1/pairings")
            } catch let error as KithError where error.code == .codeExpired {}
        }
        return try await make("/v1/pairings")
    }

    func status(of pairing: PairingID) async throws -> PairingStatus {
        try await call("GET", "/v1/pairings/\(pairing)")
    }

    func endPairing(_ pairing: PairingID) async throws {
        _ = try await send("DELETE", "/v1/pairings/\(pairing)", body: nil)
    }

    func use(_ pairing: PairingUse) async throws -> PairedSession {
        try await call("POST", "/v1/pairings/use", body: pairing)
    }

    func createRecoveryCodes(_ request: RecoveryCodeRequest) async throws -> RecoveryCodeSet {
        try await make("/v1/recovery-codes", body: request)
    }

    func recoveryStatus() async throws -> RecoveryStatus {
        try await call("GET", "/v1/recovery-codes")
    }

    func useRecoveryCode(_ use: RecoveryCodeUse) async throws -> SignedIn {
        try await call("POST", "/v1/recovery-codes/use", body: use)
    }

    // MARK: Passkeys

    func passkeys() async throws -> [Passkey] {
        try await (call("GET", "/v1/passkeys") as PasskeyList).passkeys
    }

    func beginPasskey(named name: String?) async throws -> PasskeyRegistration {
        try await call("POST", "/v1/passkeys/registrations", body: PasskeyCeremonyRequest(name: name))
    }

    func finishPasskey(_ id: CeremonyID, _ attestation: PasskeyAttestation) async throws -> Passkey {
        try await call("POST", "/v1/passkeys/registrations/\(id)", body: attestation)
    }

    func passkeyOutcome(of id: CeremonyID) async throws -> PasskeyOutcome {
        try await call("GET", "/v1/passkeys/registrations/\(id)")
    }

    func remove(_ passkey: PasskeyID, evenLast: Bool) async throws {
        try await removeWayIn("passkeys/\(passkey)", evenLast: evenLast)
    }

    // MARK: Deletion

    func deleteAccount() async throws {
        _ = try await send("DELETE", "/v1/account", body: nil)
    }

    func deleteAccount(_ deletion: AccountDeletion) async throws {
        let body = try JSONEncoder().encode(deletion)
        _ = try await send("POST", "/v1/account/deletion", body: body)
    }
}

/// The endpoints that need no session.
extension ServerConnection {
    func countries() async throws -> [Country] {
        try await (call("GET", "/v1/countries") as CountryList).countries
    }

    func beginPasskeySignIn(of device: String?) async throws -> PasskeySignIn {
        try await call("POST", "/v1/passkeys/signins", body: PasskeyCeremonyRequest(name: device))
    }

    func finishPasskeySignIn(_ id: CeremonyID, _ assertion: PasskeyAssertion) async throws -> NewSession {
        try await call("POST", "/v1/passkeys/signins/\(id)", body: assertion)
    }

    func claimPasskeySignIn(_ id: CeremonyID, _ claim: String) async throws -> PasskeyOutcome {
        try await call("POST", "/v1/passkeys/signins/\(id)/claim", body: PasskeyClaim(claim: claim))
    }
}
