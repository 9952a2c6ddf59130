import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

/// Tries every operation as every kind of caller, against one table. An operation without a row fails.
@Suite("Who may do what") struct AuthorizationTests {
    private enum Caller: Int, CaseIterable {
        /// No token.
        case nobody
        /// A token that no server has created.
        case unknown
        /// The token of a session that was closed.
        case loggedOut
        /// The operator's own machine, without a token. Operators have their rights at the database, not over HTTP.
        case `operator`
        /// An anonymous account that is in no list.
        case anonymous
        /// An identified account that is not in the list that the request names.
        case stranger
        /// A person that the list's owner has blocked.
        case blocked
        /// A person that the owner has removed from the list.
        case formerMember
        case viewer
        case editor
        case owner

        /// Whether the caller has a session.
        var isSignedIn: Bool { rawValue >= Self.anonymous.rawValue }
    }

    /// The status for each caller, in the order of ``Caller``. The list's owner owns what the request names.
    private static let table: [String: [Int]] = [
        "openSession": anybody(201),
        "showSession": withSession(200),
        "closeSession": withSession(204),
        "nameSession": withSession(204),
        "showSessions": withSession(200),
        "closeSessions": withSession(204),
        "revokeSession": withSession(404),
        "showCountries": anybody(200),
        "sendCode": withSession(202),
        "checkCode": withSession(404),
        "showIdentities": withSession(200),
        "removeIdentity": withSession(404),
        "createRecoveryCodes": withSession(201),
        "showRecoveryCodes": withSession(200),
        "useRecoveryCode": withSession(422),
        "makePairing": withSession(201),
        "showPairing": withSession(404),
        "endPairing": withSession(204),
        "usePairing": withSession(410),
        "showPasskeys": withSession(200),
        "removePasskey": withSession(404),
        "beginPasskey": withSession(201),
        "finishPasskey": withSession(404),
        "showPasskeyOutcome": withSession(404),
        "beginPasskeySignIn": anybody(201),
        "finishPasskeySignIn": anybody(404),
        "claimPasskeySignIn": anybody(404),
        "openPasskeyPage": anybody(404),
        "respondInPasskeyPage": anybody(404),
        "showPasskeyPage": anybody(200),
        "showPasskeyScript": anybody(200),
        "showPairingPage": anybody(200),
        "showIssuers": withSession(200),
        "beginSignIn": withSession(404),
        "finishSignIn": withSession(410),
        "removeIssuerIdentity": withSession(404),
        // When the owner asks, the accounts of the others are deleted, so that nobody else is in the list.
        "deleteAccount": withSession(204),
        "deleteAccountAndLists": withSession(204),
        "sync": withSession(400),
        "live": withSession(200),
        "createLink": owner(201),
        "showLinks": owner(200),
        "revokeLink": owner(204),
        "showRemoved": owner(200),
        "letIn": withSession(404),
        "previewLink": anybody(200),
        "sendLinkForm": anybody(415),
        "sendInvitationForm": anybody(415),
        "acceptLink": withSession(200, [.formerMember: 403, .owner: 409]),
        "showPublicList": anybody(404),
        "previewInvitation": anybody(404),
        "acceptInvitation": withSession(404),
        "showAccount": withSession(200),
        "showPicture": withSession(404),
        "showPresence": withSession(404),
        "putPicture": withSession(415),
        "searchDirectory": withSession(200),
        "setPresence": withSession(400),
        "showDiscovery": withSession(200),
        "evaluate": withSession(400),
        "showBuckets": withSession(400),
        "showUnsubscribe": anybody(404),
        "unsubscribe": anybody(404),
        "reportMessage": anybody(400),
        "showStylesheet": anybody(200),
        "showAppleApps": anybody(404),
        "showAndroidApps": anybody(404),
        "health": anybody(200),
        "ready": anybody(200),
        "metrics": anybody(200),
        "description": anybody(200),
    ]

    /// The same for all callers: the operation needs no session, or what it names does not exist.
    private static func anybody(_ status: Int) -> [Int] { Array(repeating: status, count: Caller.allCases.count) }

    /// 401 without a valid session, and `status` with each, apart from the exceptions.
    private static func withSession(_ status: Int, _ exceptions: [Caller: Int] = [:]) -> [Int] {
        Caller.allCases.map { $0.isSignedIn ? exceptions[$0] ?? status : 401 }
    }

    /// 404 for all but the owner, so that nobody learns whether the list exists.
    private static func owner(_ status: Int) -> [Int] { withSession(404, [.owner: status]) }

    /// A server with a list and its people, one session for each kind of caller.
    private struct World {
        let server: TestServer
        let list: ListID
        let link: ListLink
        let owner: AccountID
        var tokens: [Caller: String] = [:]

        init(_ server: TestServer, _ database: SQLiteDatabase) async throws {
            self.server = server
            var device = TestDevice(try await server.newSession())
            owner = device.session.account
            let list: ListID = try await device.makeList("Work", with: server).retyped()
            self.list = list
            let token = device.session.token
            func share(_ role: Role) async throws -> ListLink {
                try await server.ask("POST", "/v1/lists/\(list)/links", token: token, json: LinkRequest(role: role))
                    .decoded()
            }
            link = try await share(.viewer)
            tokens = [.owner: token, .unknown: Secret.token { Secret.random() }]
            for (caller, role) in [(Caller.viewer, Role.viewer), (.editor, .editor)] {
                let session = try await server.newSession()
                let accepted = try await server.ask(
                    "POST", "/v1/links/\(share(role).token ?? "")/accept", token: session.token)
                try #require(accepted.status == 200)
                tokens[caller] = session.token
            }
            tokens[.anonymous] = try await server.newSession().token
            let stranger = try await server.newSession()
            try await database.write { transaction in
                try transaction.execute(
                    "UPDATE account SET kind = 'identified' WHERE id = ?", [.id(stranger.account)])
            }
            tokens[.stranger] = stranger.token
            let (former, blocked) = (try await server.newSession(), try await server.newSession())
            (tokens[.formerMember], tokens[.blocked]) = (former.token, blocked.token)
            let left = try await server.ask(
                "POST", "/v1/links/\(share(.editor).token ?? "")/accept", token: former.token)
            try #require(left.status == 200)
            let block = device.mutation(
                1, .contacts, blocked.account.uuid, in: owner.retyped(), set: ["isBlocked": true])
            var removal = device.mutation(2, .members, former.account.uuid, in: list, set: [:])
            removal.change = .delete
            try #require(try await device.sync([block, removal], with: server).outcomes.isEmpty)
            let closed = try await server.newSession().token
            try #require(try await server.ask("DELETE", "/v1/session", token: closed).status == 204)
            tokens[.loggedOut] = closed
        }

        private static let credential = #""id":"AQ","type":"public-key""#
        private static let attestation = #""response":{"clientDataJSON":"e30","attestationObject":"oA"}"#
        private static let assertion =
            #""response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA"}"#

        /// The status of an operation for a caller.
        func status(_ operation: APIOperation, _ caller: Caller) async throws -> Int {
            let names = [
                "list": list.description, "link": link.id.description, "account": owner.description,
                "token": link.token ?? "", "size": "small", "sha256": String(repeating: "0", count: 64),
                "code": UUID().uuidString, "session": UUID().uuidString, "pairing": UUID().uuidString,
                "passkey": UUID().uuidString, "ceremony": UUID().uuidString, "identity": "mailto:nobody%40example.com",
                "issuer": "unknown", "id": UUID().uuidString,
            ]
            var path = names.reduce(operation.path) { $0.replacing("{\($1.key)}", with: $1.value) }
            switch operation.name {
            case "live", "setPresence": path += "?device=\(UUID().uuidString)"
            case "searchDirectory": path += "?name=ada"
            default: break
            }
            let body: Data? =
                switch operation.name {
                case "createLink": Data(#"{"role":"viewer"}"#.utf8)
                case "sendCode":
                    Data(
                        #"{"id":"\#(UUID().uuidString.lowercased())","identity":"mailto:\#(caller.rawValue)@example.com"}"#
                            .utf8)
                case "beginSignIn": Data(#"{"redirect":"http://127.0.0.1:1/"}"#.utf8)
                case "finishSignIn": Data(#"{"state":"unknown","code":"x"}"#.utf8)
                case "useRecoveryCode": Data(#"{"code":"00000-00000-00000-00000"}"#.utf8)
                case "usePairing": Data(#"{"token":"\#(Secret.token { Secret.random() })"}"#.utf8)
                case "checkCode": Data(#"{"code":"123456"}"#.utf8)
                case "finishPasskey": Data("{\(Self.credential),\(Self.attestation)}".utf8)
                case "finishPasskeySignIn": Data("{\(Self.credential),\(Self.assertion)}".utf8)
                case "claimPasskeySignIn": Data(#"{"claim":"x"}"#.utf8)
                case "openPasskeyPage": Data(#"{"ticket":"x"}"#.utf8)
                case "respondInPasskeyPage":
                    Data(#"{"ticket":"x","assertion":{\#(Self.credential),\#(Self.assertion)}}"#.utf8)
                default: operation.method == .get || operation.method == .delete ? nil : Data("{}".utf8)
                }
            let headers = body == nil ? [:] : ["Content-Type": "application/json"]
            return try await server.ask(
                operation.method.rawValue, path, token: tokens[caller], headers: headers, body: body
            ).status
        }
    }

    @Test("Every operation answers each kind of caller as the table says", arguments: APIOperations.all.map(\.name))
    func matrix(name: String) async throws {
        let operation = try #require(APIOperations.all.first { $0.name == name })
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run(database: database) { server in
            let world = try await World(server, database)
            var statuses: [Int] = []
            for caller in Caller.allCases { statuses.append(try await world.status(operation, caller)) }
            #expect(statuses == Self.table[name], "\(name): the callers are \(Caller.allCases).")
        }
    }

    @Test("Every row of the table is an operation") func rows() {
        #expect(Set(Self.table.keys) == Set(APIOperations.all.map(\.name)))
    }
}
