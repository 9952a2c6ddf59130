import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

/// The requests with which the callers try one operation. What they name exists, and belongs to the list's owner.
struct AuthorizationRequests {
    private let operation: APIOperation
    /// The parts of the path, and what the bodies need.
    private var names: [String: String]
    /// The body for all callers.
    private var body: Data?
    private var type = "application/json"

    static let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    /// Prepares what all callers name.
    init(_ operation: APIOperation, in world: inout AuthorizationWorld) async throws {
        self.operation = operation
        let (owner, passkey) = (world.owner.session, world.passkey)
        names = [
            "list": world.list.description, "link": world.link.id.description, "account": owner.account.description,
            "token": world.link.token ?? "", "issuer": "example", "size": "small",
            "sha256": Hex.text(Secret.sha256(Self.picture)),
        ]
        func begin() async throws -> PasskeyRegistration {
            try await world.ask("POST", "/v1/passkeys/registrations", json: PasskeyCeremonyRequest(), expecting: 201)
        }
        switch operation.name {
        case "sync", "live", "usePairing", "acceptInvitation": break
        case "createLink": body = try JSONEncoder().encode(LinkRequest(role: .viewer))
        case "revokeSession":
            let other: NewSession = try await Self.pair(&world).decoded()
            let list: SessionList = try await world.get("/v1/sessions")
            try #require(other.account == owner.account)
            names["session"] = try #require(list.sessions.first { !$0.isCurrent }).id.description
        case "checkCode":
            let (id, code) = try await world.requestCode(AuthorizationWorld.email, by: .owner)
            names["code"] = id.description
            body = try JSONEncoder().encode(CodeCheck(code: code))
        case "sendAccountForm":
            let other: NewSession = try await Self.pair(&world).decoded()
            try await world.prove(AuthorizationWorld.email, by: .owner)
            names["session"] = SessionID(token: other.token).description
        case "removeIdentity":
            try await world.prove(AuthorizationWorld.email, by: .owner)
            names["identity"] = "mailto:ada%40example.com?last=remove"
        case "createRecoveryCodes", "nameSession", "beginPasskey", "beginPasskeySignIn", "deleteAccountAndLists":
            body = Data("{}".utf8)
        case "useRecoveryCode":
            let codes: RecoveryCodeSet = try await world.ask(
                "POST", "/v1/recovery-codes", json: RecoveryCodeRequest(), expecting: 201)
            for (index, code) in codes.codes.enumerated() { names["recovery \(index)"] = code }
        case "showPairing", "endPairing":
            let pairing: Pairing = try await world.ask("POST", "/v1/pairings", json: [String: String](), expecting: 201)
            names["pairing"] = pairing.id.description
        case "removePasskey", "signInWithPasskey", "finishPasskeySignIn", "claimPasskeySignIn", "respondInPasskeyPage":
            let begun = try await begin()
            let added: Passkey = try await world.ask(
                "POST", "/v1/passkeys/registrations/\(begun.id)", json: passkey.create(begun.options), expecting: 201)
            names["passkey"] = "\(added.id)?last=remove"
        case "finishPasskey", "showPasskeyOutcome":
            let begun = try await begin()
            names["ceremony"] = begun.id.description
            if operation.method == .post { body = try JSONEncoder().encode(passkey.create(begun.options)) }
        case "beginSignIn": body = try JSONEncoder().encode(IssuerSignInRequest(redirect: IssuerWorld.redirect))
        case "finishSignIn": body = try JSONEncoder().encode(try await Self.authorize(world))
        case "removeIssuerIdentity":
            let _: SignedIn = try await world.ask("POST", "/v1/sign-ins", json: try await Self.authorize(world))
            let list: OwnIdentityList = try await world.get("/v1/identities")
            names["id"] = "\(try #require(list.issuers?.first).id)?last=remove"
        case "letIn": names["account"] = try world.account(.formerMember).description
        case "tickPublicList":
            let item = UUID()
            try await world.edit(.items, item, in: world.list, ["title": "Tea", "position": "a0"])
            names["token"] = try await world.newLink(LinkRequest(role: .viewer, isPublic: true, canTick: true)).token
            let fields = [("item", ItemID(item).description), ("ticked", "yes")]
            body = FormFields(fields.map { (name: $0.0, value: $0.1) }).encoded
            type = "application/x-www-form-urlencoded"
        case "showPublicList", "watchPublicList":
            names["token"] = try await world.newLink(LinkRequest(role: .viewer, isPublic: true)).token
        case "previewInvitation", "sendInvitationForm": names["token"] = try await world.invite(.connect).secret
        case "showSharePage", "showShareQRCode", "showSharePicture": names["shareCode"] = try await world.share()
        case "showPicture":
            try await putPicture(&world)
        case "putPicture": (body, type) = (Self.picture, "image/png")
        case "setPresence":
            let device = DeviceID(UUID())
            world.stream = try await world.server.live(owner, device)
            names["device"] = device.description
            body = try JSONEncoder().encode(PresenceRequest(state: .away))
        case "evaluate", "showBuckets":
            let key = try #require((try await world.get("/v1/discovery") as DiscoveryDescription).keys.first)
            body =
                try operation.name == "evaluate"
                ? JSONEncoder().encode(EvaluationRequest(key: key.id, elements: [Self.element]))
                : JSONEncoder().encode(BucketRequest(key: key.id, bits: key.bits, prefixes: [0]))
        case "showFilter":
            names["key"] = try #require((try await world.get("/v1/discovery") as DiscoveryDescription).keys.first).id
        case "showUnsubscribe", "unsubscribe": names["token"] = try await world.unsubscribeToken()
        case "signInOperator", "signOutOperator", "showFunnelPage", "showFunnelTable", "showReferralsPage",
            "decideReferrals", "showDeliveriesPage", "sendDeliveriesAgain", "showHealthPage":
            let added = try await world.addOperator()
            (names["operator password"], names["operator token"]) = (added.password, added.token)
        case "reportMessage":
            (body, type) = (Data("MessageSid=SM1&MessageStatus=sent".utf8), "application/x-www-form-urlencoded")
        default: break
        }
    }

    /// The base point of ristretto255 (RFC 9496, section 4): a valid element for an evaluation.
    private static let element = Data(
        Hex.bytes("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76") ?? Data()
    ).base64URL

    /// The owner adds a picture that only their network sees.
    private func putPicture(_ world: inout AuthorizationWorld) async throws {
        let hash = names["sha256"] ?? ""
        let put = try await world.server.ask(
            "PUT", "/v1/pictures/\(hash)", token: world.owner.session.token, headers: ["Content-Type": "image/png"],
            body: Self.picture)
        try #require(put.status == 204)
        try await world.edit(
            .profiles, Profile.id.uuid, in: world.home,
            ["pictureSmall": .text(hash), "pictureLarge": .text(hash), "pictureVisibility": "network"])
    }

    /// A new device gets a session of the owner's account.
    private static func pair(_ world: inout AuthorizationWorld) async throws -> Reply {
        let device = try await world.server.newSession()
        return try await world.server.ask(
            "POST", "/v1/pairings/use", token: device.token, json: try await pairingUse(world))
    }

    private static func pairingUse(_ world: AuthorizationWorld) async throws -> PairingUse {
        let pairing: Pairing = try await world.ask("POST", "/v1/pairings", json: [String: String](), expecting: 201)
        return PairingUse(token: try #require(pairing.link.split(separator: "#").last.map(String.init)))
    }

    /// The owner signs in at the issuer.
    private static func authorize(_ world: AuthorizationWorld) async throws -> IssuerAnswer {
        let begun: IssuerSignIn = try await world.ask(
            "POST", "/v1/issuers/example/sign-ins", json: IssuerSignInRequest(redirect: IssuerWorld.redirect),
            expecting: 201)
        return world.issuer.authorize(begun.url)
    }

    // MARK: One request

    /// The status of the answer to a caller.
    func status(for caller: CallerKind, in world: inout AuthorizationWorld) async throws -> Int {
        var (names, body, type) = (names, body, type)
        switch operation.name {
        case "sync":
            body = try JSONEncoder().encode(
                TestDevice(try world.session(caller.isSignedIn ? caller : .owner)).request())
        case "sendCode":
            body = try JSONEncoder().encode(
                CodeRequest(
                    id: CodeID(UUID()), identity: try #require(Identity("mailto:new\(caller.rawValue)@example.com"))))
        case "useRecoveryCode":
            let code = names["recovery \(caller.rawValue % 10)"] ?? ""
            body = try JSONEncoder().encode(RecoveryCodeUse(code: code))
        case "usePairing": body = try JSONEncoder().encode(try await Self.pairingUse(world))
        case "acceptInvitation": names["token"] = try await world.invite(.list(world.list, .viewer)).secret
        case "sendLinkForm", "sendInvitationForm", "sendSignInForm":
            let email = "visitor\(caller.rawValue)@example.com"
            (body, type) = Self.form([("ticket", PageTicket().text), ("email", email)])
        case "sendAccountForm", "exportAccount", "confirmAccountDeletion":
            let purposes = ["exportAccount": "export", "confirmAccountDeletion": "delete"]
            let proof = FormProof(purposes[operation.name] ?? "closeSession", of: world.tokens[caller] ?? "")
            (body, type) = Self.form([
                ("do", "closeSession"), ("session", names["session"] ?? ""), ("word", "delete"), ("proof", proof.text),
            ])
        case "signInWithPasskey":
            let begun: PasskeySignIn = try await send(
                "/v1/passkeys/signins", PasskeyCeremonyRequest(), by: caller, in: world)
            let assertion = world.passkey.get(begun.options, for: world.owner.session.account)
            (body, type) = Self.form([
                ("ceremony", begun.id.description),
                ("assertion", String(decoding: try JSONEncoder().encode(assertion), as: UTF8.self)),
            ])
        case "signInOperator":
            (body, type) = Self.form([("name", "root"), ("password", names["operator password"] ?? "")])
        case "signOutOperator", "decideReferrals", "sendDeliveriesAgain":
            (body, type) = try operatorForm(names["operator token"] ?? "")
        case "finishPasskeySignIn", "claimPasskeySignIn", "openPasskeyPage", "respondInPasskeyPage":
            let begun: PasskeySignIn = try await send(
                "/v1/passkeys/signins", PasskeyCeremonyRequest(), by: caller, in: world)
            names["ceremony"] = begun.id.description
            body = try await passkeyBody(begun, by: caller, in: world)
        default: break
        }
        var path = names.reduce(operation.path) { $0.replacing("{\($1.key)}", with: $1.value) }
        switch operation.name {
        case "live": path += "?device=\(UUID())"
        case "setPresence": path += "?device=\(names["device"] ?? "")"
        case "searchDirectory": path += "?name=ada"
        case "showFilter": path += "?key=\(names["key"] ?? "")"
        case "reportMessage": path += "?message=\(UUID())"
        default: break
        }
        var headers = caller.headers
        if body != nil { headers["Content-Type"] = type }
        // The pages of an account know a session by the browser's cookie alone.
        if let token = world.tokens[caller], path.hasPrefix("/account") || path.hasPrefix("/sign-in") {
            headers["Cookie"] = "\(PageCookie.account.name(isSecure: true))=\(token)"
        }
        if let token = names["operator token"], caller == .operator, operation.name != "signInOperator" {
            let name = PageCookie.operatorPages.name(isSecure: AuthorizationWorld.address.hasPrefix("https:"))
            headers["Cookie"] = "\(name)=\(token)"
        }
        return try await world.server.ask(
            operation.method.rawValue, path, token: world.tokens[caller], headers: headers, body: body
        ).status
    }

    /// A form as a browser sends it, and its type.
    private static func form(_ fields: [(name: String, value: String)]) -> (Data?, String) {
        (FormFields(fields).encoded, "application/x-www-form-urlencoded")
    }

    /// The form of a page of the operator.
    private func operatorForm(_ token: String) throws -> (Data?, String) {
        let frame = OperatorFrame(try #require(OperatorName("root")), token: token)
        let (proof, action) =
            switch operation.name {
            case "signOutOperator": (frame.signOutProof, "")
            case "decideReferrals": (frame.decisionProof, "release-all")
            default: (frame.deliveryProof, "again")
            }
        return Self.form([("proof", proof.text), ("action", action)])
    }

    /// The body of a request with which a caller signs in with the owner's passkey.
    private func passkeyBody(
        _ begun: PasskeySignIn, by caller: CallerKind, in world: AuthorizationWorld
    ) async throws -> Data {
        let (owner, encoder) = (world.owner.session.account, JSONEncoder())
        if operation.name == "finishPasskeySignIn" {
            return try encoder.encode(world.passkey.get(begun.options, for: owner))
        }
        let request = PasskeyPageRequest(
            ticket: try #require(begun.page?.split(separator: "#").last.map(String.init)))
        if operation.name == "openPasskeyPage" { return try encoder.encode(request) }
        let page: PasskeyPageState = try await send("/v1/passkeys/page", request, by: caller, in: world)
        let response = PasskeyPageResponse(
            ticket: request.ticket, assertion: world.passkey.get(try #require(page.request), for: owner))
        if operation.name == "respondInPasskeyPage" { return try encoder.encode(response) }
        let reply = try await world.server.ask("POST", "/v1/passkeys/page/response", json: response)
        try #require(reply.status == 204)
        return try encoder.encode(PasskeyClaim(claim: begun.claim))
    }

    private func send<Value: Decodable>(
        _ path: String, _ value: some Encodable, by caller: CallerKind, in world: AuthorizationWorld
    ) async throws -> Value {
        let headers = caller.headers.merging(["Content-Type": "application/json"]) { $1 }
        let reply = try await world.server.ask(
            "POST", path, headers: headers, body: try JSONEncoder().encode(value))
        try #require(reply.status < 300, "\(String(decoding: reply.body, as: UTF8.self))")
        return try reply.decoded()
    }
}
