package import Foundation
import KithModel

/// The server's endpoints over a transport: typed requests and answers, and problems as ``KithError``.
package struct ServerConnection: Sendable {
    let transport: any Transport
    /// The server's normalized address; nil if only the transport knows it.
    var address: String?

    /// Asks the server for its id. Servers of older versions have none.
    func identify() async throws -> ServerIdentity {
        let response = try await transport.send(TransportRequest(method: "GET", path: "/ready"))
        let readiness = try? JSONDecoder().decode(Readiness.self, from: response.body)
        if let id = readiness?.server { return ServerIdentity(id: id, address: address) }
        // A proxy may forward only `/v1`, so 404 is accepted as an answer without an id.
        guard (readiness != nil && response.status == 200) || response.status == 404 else {
            guard response.status == 200 else {
                throw KithError(status: response.status, retryAfter: response.retryAfter, body: response.body)
            }
            throw KithError(
                .malformed, "What answers at \(address ?? "the server's address") is no Kith server. Check the address."
            )
        }
        return ServerIdentity(address: address)
    }

    /// The part of the answer to `GET /ready` that is needed here. It is also sent with status 503.
    private struct Readiness: Decodable {
        var server: ServerID?
    }

    func sync(_ request: SyncRequest, token: String) async throws -> SyncAnswer {
        let data = try await send("POST", "/v1/sync", token: token, body: request.json)
        let answer = try Self.read(data, of: "POST /v1/sync") { try SyncAnswer(json: $0) }
        // A page is written by reading every column up to the length of the first.
        guard answer.feeds.allSatisfy({ $0.page?.columns.allSatisfy(\.isWellFormed) ?? true }) else {
            throw KithError(.malformed, "The columns of the server's answer differ in length. Is it a Kith server?")
        }
        return answer
    }

    func openSession() async throws -> NewSession {
        try await call("POST", "/v1/sessions")
    }

    func session(token: String) async throws -> SessionDescription {
        try await call("GET", "/v1/session", token: token)
    }

    func closeSession(token: String) async throws {
        _ = try await send("DELETE", "/v1/session", token: token, body: nil)
    }

    /// The sessions of the account.
    func sessions(token: String) async throws -> [SessionEntry] {
        try await (call("GET", "/v1/sessions", token: token) as SessionList).sessions
    }

    func revoke(_ session: SessionID, token: String) async throws {
        _ = try await send("DELETE", "/v1/sessions/\(session)", token: token, body: nil)
    }

    func closeAllSessions(token: String) async throws {
        _ = try await send("DELETE", "/v1/sessions", token: token, body: nil)
    }

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
        let text = identity.text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? identity.text
        try await removeWayIn("identities/\(text)", evenLast: evenLast, token: token)
    }

    private func removeWayIn(_ path: String, evenLast: Bool, token: String) async throws {
        _ = try await send("DELETE", "/v1/\(path)\(evenLast ? "?last=remove" : "")", token: token, body: nil)
    }

    func nameSession(_ device: String?, token: String) async throws {
        let body = try JSONEncoder().encode(SessionName(device: device))
        _ = try await send("PUT", "/v1/session", token: token, body: body)
    }

    func makePairing(token: String) async throws -> Pairing {
        try await call("POST", "/v1/pairings", token: token)
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
        try await call("POST", "/v1/recovery-codes", token: token, body: request)
    }

    func recoveryStatus(token: String) async throws -> RecoveryStatus {
        try await call("GET", "/v1/recovery-codes", token: token)
    }

    func useRecoveryCode(_ use: RecoveryCodeUse, token: String) async throws -> SignedIn {
        try await call("POST", "/v1/recovery-codes/use", token: token, body: use)
    }

    func passkeys(token: String) async throws -> [Passkey] {
        try await (call("GET", "/v1/passkeys", token: token) as PasskeyList).passkeys
    }

    func remove(_ passkey: PasskeyID, evenLast: Bool, token: String) async throws {
        try await removeWayIn("passkeys/\(passkey)", evenLast: evenLast, token: token)
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

    func issuers(token: String) async throws -> [Issuer] {
        try await (call("GET", "/v1/issuers", token: token) as IssuerList).issuers
    }

    func beginSignIn(
        at issuer: String, _ request: IssuerSignInRequest, token: String
    ) async throws -> IssuerSignIn {
        let name = issuer.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? issuer
        return try await call("POST", "/v1/issuers/\(name)/sign-ins", token: token, body: request)
    }

    func finishSignIn(_ answer: IssuerAnswer, token: String) async throws -> SignedIn {
        try await call("POST", "/v1/sign-ins", token: token, body: answer)
    }

    func remove(_ identity: IssuerIdentityID, evenLast: Bool, token: String) async throws {
        try await removeWayIn("issuer-identities/\(identity)", evenLast: evenLast, token: token)
    }

    func createLink(_ link: LinkRequest, to list: ListID, token: String) async throws -> ListLink {
        try await call("POST", "/v1/lists/\(list)/links", token: token, body: link)
    }

    func links(of list: ListID, token: String) async throws -> [ListLink] {
        try await (call("GET", "/v1/lists/\(list)/links", token: token) as ListLinks).links
    }

    func revoke(_ link: LinkID, of list: ListID, token: String) async throws {
        _ = try await send("DELETE", "/v1/lists/\(list)/links/\(link)", token: token, body: nil)
    }

    func removedPeople(of list: ListID, token: String) async throws -> [RemovedPerson] {
        try await (call("GET", "/v1/lists/\(list)/removed", token: token) as RemovedPeople).people
    }

    func letIn(_ account: AccountID, to list: ListID, token: String) async throws {
        _ = try await send("DELETE", "/v1/lists/\(list)/removed/\(account)", token: token, body: nil)
    }

    func preview(_ link: String) async throws -> LinkPreview {
        try await call("GET", "/v1/links/\(link)")
    }

    func accept(_ link: String, token: String) async throws -> LinkAcceptance {
        try await call("POST", "/v1/links/\(link)/accept", token: token)
    }

    func publicList(_ link: String) async throws -> PublicList {
        try await call("GET", "/v1/public/\(link)")
    }

    /// Opens the live stream, which reports feeds that others have changed, and presence.
    func live(
        device: DeviceID, as shown: Presence.State, token: String
    ) -> AsyncThrowingStream<ServerEvent, any Error> {
        let presence = shown == .online ? "" : "&presence=\(shown.rawValue)"
        return transport.events(
            TransportRequest(method: "GET", path: "/v1/live?device=\(device)\(presence)", token: token))
    }

    // MARK: Calling

    package func call<Answer: Decodable>(
        _ method: String, _ path: String, token: String? = nil, body: (any Encodable)? = nil, languages: [String] = []
    ) async throws -> Answer {
        let data = try await send(
            method, path, token: token, body: body.map { try JSONEncoder().encode($0) }, languages: languages)
        return try Self.read(data, of: "\(method) \(path)") { try JSONDecoder().decode(Answer.self, from: $0) }
    }

    private static func read<Answer>(
        _ data: Data, of request: String, _ decode: (Data) throws -> Answer
    ) throws -> Answer {
        do {
            return try decode(data)
        } catch {
            throw KithError(
                .malformed, "The server's answer to \(request) cannot be read. Is it a Kith server?", cause: error)
        }
    }

    package func send(
        _ method: String, _ path: String, token: String?, body: Data?, type: String = TransportRequest.json,
        languages: [String] = []
    ) async throws -> Data {
        let response = try await transport.send(
            TransportRequest(
                method: method, path: path, token: token, body: body, contentType: type, languages: languages))
        if (200..<300).contains(response.status) { return response.body }
        throw KithError(status: response.status, retryAfter: response.retryAfter, body: response.body)
    }
}

extension KithError {
    /// Converts a refusal of the server to a ``KithError``.
    package init(status: Int, retryAfter: Int?, body: Data) {
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        let code: Code =
            switch status {
            // Only a Kith server's answer ends a session, because a captive portal also returns 401.
            case 401 where problem?.code == .tokenMissing || problem?.code == .tokenInvalid: .unauthorized
            case 401 where problem?.code == .accountClosed: .accountClosed
            case 429 where problem?.code == .quotaExceeded: .quotaExceeded
            case 403: .forbidden
            case 410 where problem?.code == .codeExpired: .codeExpired
            case 409 where problem?.code == .lastWayIn: .lastWayIn
            case 409 where problem?.code == .listsUndecided: .listsUndecided
            case 422 where problem?.code == .codeWrong: .codeWrong
            case 422 where problem?.code == .passkeyRefused: .passkeyRefused
            case 404, 410: .notFound
            case 408, 413, 422: .tooMany
            case 429, 500...599: .busy
            default: .refused
            }
        self.init(
            code, problem?.detail ?? "The server answered with status \(status).", field: problem?.path,
            retryAfter: (retryAfter ?? problem?.retryAfter).map { .seconds($0) },
            cause: problem ?? UnexplainedStatus(status: status))
    }
}
