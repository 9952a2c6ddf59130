import Foundation
import KithModel

/// The server's endpoints for the sessions of an account, the ways to sign in to it, and its deletion.
///
/// The engine itself opens and closes sessions.
extension ServerConnection {
    // MARK: Sessions

    /// The sessions of the account.
    func sessions(token: String) async throws -> [SessionEntry] {
        try await (call("GET", "/v1/sessions", token: token) as SessionList).sessions
    }

    func nameSession(_ device: String?, token: String) async throws {
        let body = try JSONEncoder().encode(SessionName(device: device))
        _ = try await send("PUT", "/v1/session", token: token, body: body)
    }

    func revoke(_ session: SessionID, token: String) async throws {
        _ = try await send("DELETE", "/v1/sessions/\(session)", token: token, body: nil)
    }

    func closeAllSessions(token: String) async throws {
        _ = try await send("DELETE", "/v1/sessions", token: token, body: nil)
    }

    // MARK: Numbers, emails and issuers

    func countries() async throws -> [Country] {
        try await (call("GET", "/v1/countries") as CountryList).countries
    }

    func sendCode(_ request: CodeRequest, token: String) async throws -> SentCode {
        try await call("POST", "/v1/codes", token: token, body: request)
    }

    func check(_ code: String, of id: CodeID, token: String) async throws -> ProvedIdentity {
        try await call("POST", "/v1/codes/\(id)/check", token: token, body: CodeCheck(code: code))
    }

    func identities(token: String) async throws -> OwnIdentityList {
        try await call("GET", "/v1/identities", token: token)
    }

    func remove(_ identity: Identity, evenLast: Bool, token: String) async throws {
        try await removeWayIn("identities/\(identity.text.percentEncoded)", evenLast: evenLast, token: token)
    }

    func issuers(token: String) async throws -> [Issuer] {
        try await (call("GET", "/v1/issuers", token: token) as IssuerList).issuers
    }

    func beginSignIn(
        at issuer: String, _ request: IssuerSignInRequest, token: String
    ) async throws -> IssuerSignIn {
        try await call("POST", "/v1/issuers/\(issuer.percentEncoded)/sign-ins", token: token, body: request)
    }

    func finishSignIn(_ answer: IssuerAnswer, token: String) async throws -> SignedIn {
        try await call("POST", "/v1/sign-ins", token: token, body: answer)
    }

    func remove(_ identity: IssuerIdentityID, evenLast: Bool, token: String) async throws {
        try await removeWayIn("issuer-identities/\(identity)", evenLast: evenLast, token: token)
    }

    private func removeWayIn(_ path: String, evenLast: Bool, token: String) async throws {
        _ = try await send("DELETE", "/v1/\(path)\(evenLast ? "?last=remove" : "")", token: token, body: nil)
    }

    // MARK: Pairings and recovery codes

    func makePairing(token: String) async throws -> Pairing {
        // A request repeats one without an answer, whose pairing may be over. The next request has another key.
        for _ in 0..<UnansweredRequests.most {
            do {
                return try await make("/v1/pairings", token: token)
            } catch let error as KithError where error.code == .codeExpired {}
        }
        return try await make("/v1/pairings", token: token)
    }

    func status(of pairing: PairingID, token: String) async throws -> PairingStatus {
        try await call("GET", "/v1/pairings/\(pairing)", token: token)
    }

    func endPairing(_ pairing: PairingID, token: String) async throws {
        _ = try await send("DELETE", "/v1/pairings/\(pairing)", token: token, body: nil)
    }

    func use(_ pairing: PairingUse, token: String) async throws -> PairedSession {
        try await call("POST", "/v1/pairings/use", token: token, body: pairing)
    }

    func createRecoveryCodes(_ request: RecoveryCodeRequest, token: String) async throws -> RecoveryCodeSet {
        try await make("/v1/recovery-codes", token: token, body: request)
    }

    func recoveryStatus(token: String) async throws -> RecoveryStatus {
        try await call("GET", "/v1/recovery-codes", token: token)
    }

    func useRecoveryCode(_ use: RecoveryCodeUse, token: String) async throws -> SignedIn {
        try await call("POST", "/v1/recovery-codes/use", token: token, body: use)
    }

    // MARK: Passkeys

    func passkeys(token: String) async throws -> [Passkey] {
        try await (call("GET", "/v1/passkeys", token: token) as PasskeyList).passkeys
    }

    func beginPasskey(named name: String?, token: String) async throws -> PasskeyRegistration {
        try await call(
            "POST", "/v1/passkeys/registrations", token: token, body: PasskeyCeremonyRequest(name: name))
    }

    func finishPasskey(_ id: CeremonyID, _ attestation: PasskeyAttestation, token: String) async throws -> Passkey {
        try await call("POST", "/v1/passkeys/registrations/\(id)", token: token, body: attestation)
    }

    func passkeyOutcome(of id: CeremonyID, token: String) async throws -> PasskeyOutcome {
        try await call("GET", "/v1/passkeys/registrations/\(id)", token: token)
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

    func remove(_ passkey: PasskeyID, evenLast: Bool, token: String) async throws {
        try await removeWayIn("passkeys/\(passkey)", evenLast: evenLast, token: token)
    }

    // MARK: Deletion

    func deleteAccount(token: String) async throws {
        _ = try await send("DELETE", "/v1/account", token: token, body: nil)
    }

    func deleteAccount(_ deletion: AccountDeletion, token: String) async throws {
        let body = try JSONEncoder().encode(deletion)
        _ = try await send("POST", "/v1/account/deletion", token: token, body: body)
    }
}
