import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

/// Tries every operation as every kind of caller, against one table. An operation without a row fails.
///
/// What a request names exists and belongs to the owner of the list, who asks last: an attempt of another caller that had
/// an effect would change the owner's answer. ``EditAuthorizationTests`` tries the edits that `sync` carries.
@Suite("Who may do what") struct AuthorizationTests {
    /// The status for each caller, in the order of ``CallerKind``.
    private static let table: [String: [Int]] = [
        "openSession": anybody(201),
        "showSession": withSession(200),
        "closeSession": withSession(204),
        "nameSession": withSession(204),
        "showSessions": withSession(200),
        "closeSessions": withSession(204),
        "revokeSession": owner(204),
        "showCountries": anybody(200),
        "sendCode": withSession(202),
        // Even the right code is of no use to another session than the one that has requested it.
        "checkCode": owner(200),
        "showIdentities": withSession(200),
        "removeIdentity": owner(204),
        "createRecoveryCodes": withSession(201),
        "showRecoveryCodes": withSession(200),
        // Whoever has a recovery code or a QR code of the owner signs in.
        "useRecoveryCode": withSession(200),
        "makePairing": withSession(201),
        "showPairing": owner(200),
        // It answers the same whether there is such a pairing; another test shows that only the owner ends it.
        "endPairing": withSession(204),
        "usePairing": withSession(200, [.owner: 409]),
        "showPasskeys": withSession(200),
        "removePasskey": owner(204),
        "beginPasskey": withSession(201),
        "finishPasskey": owner(201),
        "showPasskeyOutcome": owner(200),
        // Whoever has the owner's passkey signs in.
        "beginPasskeySignIn": anybody(201),
        "finishPasskeySignIn": anybody(201),
        "claimPasskeySignIn": anybody(200),
        "openPasskeyPage": anybody(200),
        "respondInPasskeyPage": anybody(204),
        "showPasskeyPage": anybody(200),
        "showPasskeyScript": anybody(200),
        "showPairingPage": anybody(200),
        "showIssuers": withSession(200),
        "beginSignIn": withSession(201),
        "finishSignIn": withSession(410, [.owner: 200]),
        "removeIssuerIdentity": owner(204),
        // When the owner asks, the accounts of the others are deleted, so that nobody else is in the list.
        "deleteAccount": withSession(204),
        "deleteAccountAndLists": withSession(204),
        // In a browser, whoever is signed in is sent to their account, and whoever is not is sent away from it.
        "showStart": anybody(303),
        "showSignIn": anybody(200, [.stranger: 303]),
        "sendSignInForm": anybody(200, [.stranger: 303]),
        // Whoever has the owner's passkey signs in.
        "signInWithPasskey": anybody(303),
        "showAccountPage": anybody(303, [.stranger: 200]),
        // The owner closes another session of their own. For the stranger, who has no such session, it is closed already.
        "sendAccountForm": anybody(403, [.stranger: 303, .owner: 303]),
        "exportAccount": anybody(403, [.stranger: 200]),
        "showAccountDeletion": anybody(303, [.stranger: 200]),
        "confirmAccountDeletion": anybody(403, [.stranger: 303]),
        "showSignInScript": anybody(200),
        "sync": withSession(200),
        "live": withSession(200),
        "createLink": owner(201),
        "showLinks": owner(200),
        "revokeLink": owner(204),
        "showRemoved": owner(200),
        "letIn": owner(204),
        "previewLink": anybody(200),
        "sendLinkForm": anybody(200),
        "sendInvitationForm": anybody(200),
        "acceptLink": withSession(200, [.formerMember: 403, .owner: 409]),
        "showPublicList": anybody(200),
        "tickPublicList": anybody(303),
        "watchPublicList": anybody(200),
        "showListScript": anybody(200),
        "previewInvitation": anybody(200),
        // To a blocked person, the invitation looks as if somebody else had accepted it.
        "acceptInvitation": withSession(200, [.blocked: 410, .formerMember: 403, .owner: 409]),
        "showProgrammes": withSession(200),
        "showSharePage": anybody(200),
        "showShareQRCode": anybody(200),
        "showSharePicture": anybody(200),
        "showOperatorSignIn": anybody(200),
        // Whoever has the password signs in. The answer is the way to the next page.
        "signInOperator": anybody(303),
        "signOutOperator": anybody(303),
        "showFunnelPage": signedInOperator(200),
        "showFunnelTable": signedInOperator(200),
        "showReferralsPage": signedInOperator(200),
        // It asks whether all are meant.
        "decideReferrals": signedInOperator(200),
        "showDeliveriesPage": signedInOperator(200),
        "sendDeliveriesAgain": anybody(303),
        "showHealthPage": signedInOperator(200),
        "showAccount": withSession(200),
        // The owner shows the picture to their network.
        "showPicture": withSession(404, [.editor: 200, .owner: 200]),
        // Nobody is connected with themselves.
        "showPresence": withSession(404, [.editor: 200]),
        "putPicture": withSession(204),
        "searchDirectory": withSession(200),
        // The device is the owner's.
        "setPresence": withSession(409, [.owner: 204]),
        "showDiscovery": withSession(200),
        "evaluate": withSession(200),
        "showBuckets": withSession(200),
        // So few people have joined that there is no filter.
        "showFilter": withSession(409),
        "showUnsubscribe": anybody(200),
        "unsubscribe": anybody(200),
        // Only the SMS provider can sign a report.
        "reportMessage": anybody(403),
        "showStylesheet": anybody(200),
        "showIcons": anybody(200),
        "showPageIcon": anybody(200),
        "showCopyScript": anybody(200),
        "showBackScript": anybody(200),
        "showAppleApps": anybody(200),
        "showAndroidApps": anybody(200),
        "health": anybody(200),
        "ready": anybody(200),
        "metrics": anybody(200),
        "description": anybody(200),
    ]

    /// The same for all callers, apart from the exceptions: the operation needs no session.
    private static func anybody(_ status: Int, _ exceptions: [CallerKind: Int] = [:]) -> [Int] {
        CallerKind.allCases.map { exceptions[$0] ?? status }
    }

    /// 401 without a valid session, and `status` with each, apart from the exceptions.
    private static func withSession(_ status: Int, _ exceptions: [CallerKind: Int] = [:]) -> [Int] {
        CallerKind.allCases.map { $0.isSignedIn ? exceptions[$0] ?? status : 401 }
    }

    /// The page to sign in for all but the operator, whose browser has the cookie.
    private static func signedInOperator(_ status: Int) -> [Int] {
        CallerKind.allCases.map { $0 == .operator ? status : 303 }
    }

    /// 404 for all but the owner, so that nobody learns whether what they name exists.
    private static func owner(_ status: Int) -> [Int] { withSession(404, [.owner: status]) }

    /// The operations; those that need a passkey only where the machine can verify one.
    private static let operations = APIOperations.all.filter { operation in
        let needsPasskey =
            operation.name.contains(/Passkey/) && operation.method != .get || operation.path.contains("{ceremony}")
        return TestServer.passkeyVerifier != nil || !needsPasskey
    }

    @Test("Every operation answers each kind of caller as the table says", arguments: operations.map(\.name))
    func matrix(name: String) async throws {
        let operation = try #require(APIOperations.all.first { $0.name == name })
        try await AuthorizationWorld.run { world in
            let requests = try await AuthorizationRequests(operation, in: &world)
            var statuses: [Int] = []
            for caller in CallerKind.allCases { statuses.append(try await requests.status(for: caller, in: &world)) }
            #expect(statuses == Self.table[name], "\(name): the callers are \(CallerKind.allCases).")
        }
    }

    @Test("Whoever has not signed in as an operator is sent away from every page of the operator but that to sign in")
    func operatorPages() {
        let open: Set = ["showOperatorSignIn", "signInOperator", "signOutOperator"]
        let pages = APIOperations.all.filter { $0.path.hasPrefix("/admin") && !open.contains($0.name) }
        #expect(pages.count > 5)
        for page in pages {
            let statuses = zip(CallerKind.allCases, Self.table[page.name] ?? [])
            #expect(statuses.allSatisfy { $0 == .operator || $1 == 303 }, "\(page.name)")
        }
    }

    @Test("Every row of the table is an operation") func rows() {
        #expect(Set(Self.table.keys) == Set(APIOperations.all.map(\.name)))
    }

    @Test(
        """
        Every operation succeeds for somebody, except the report that only the SMS provider can sign, and the filter that \
        only a large service has
        """)
    func effective() {
        // A form that has done something leads to another page.
        let vain = Self.table.filter { !$0.value.contains { 200..<400 ~= $0 } }.keys
        #expect(Set(vain) == ["reportMessage", "showFilter"])
    }

    @Test("Only the account that has made a pairing ends it") func pairings() async throws {
        try await AuthorizationWorld.run { world in
            let pairing: Pairing = try await world.ask("POST", "/v1/pairings", json: [String: String](), expecting: 201)
            let path = "/v1/pairings/\(pairing.id)"
            for caller in CallerKind.allCases where caller != .owner {
                _ = try await world.server.ask("DELETE", path, token: world.tokens[caller])
            }
            #expect(try await (world.get(path) as PairingStatus).state == .open)
            let ended = try await world.server.ask("DELETE", path, token: world.owner.session.token)
            #expect(ended.status == 204)
            #expect(try await world.server.ask("GET", path, token: world.owner.session.token).status == 404)
        }
    }

    @Test("A session syncs only for its own account", arguments: CallerKind.allCases) func otherAccount(
        caller: CallerKind
    )
        async throws
    {
        try await AuthorizationWorld.run { world in
            let reply = try await world.server.ask(
                "POST", "/v1/sync", token: world.tokens[caller], json: TestDevice(world.owner.session).request())
            #expect(reply.status == (caller == .owner ? 200 : caller.isSignedIn ? 403 : 401))
        }
    }
}
