import Foundation
import KithModel
import KithServer
import Processes
import Testing

/// A server with a list, its people, a programme, and one session for each kind of caller. The owner of the list owns
/// everything else that a request names, too.
struct AuthorizationWorld {
    static let address = SoftAuthenticator.origin
    static let email = "ada@example.com"

    let server: TestServer
    private let database: any Database
    let gateway: MemoryGateway
    let issuer: TestIssuer
    let list: ListID
    let link: ListLink
    let passkey = SoftAuthenticator()
    /// The owner's device.
    var owner: TestDevice
    private(set) var sessions: [CallerKind: NewSession] = [:]
    private(set) var tokens: [CallerKind: String] = [:]
    /// Keeps the owner's live stream open.
    var stream: Wire?

    /// Runs `body` in a new world.
    static func run<Value: Sendable>(_ body: (inout AuthorizationWorld) async throws -> Value) async throws -> Value {
        let secret = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
        let isWritten = FileManager.default.createFile(
            atPath: secret.path(), contents: Data("secret".utf8), attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
        defer { try? FileManager.default.removeItem(at: secret) }
        let (clock, log, gateway) = (HandClock(), LogKeeper(), MemoryGateway())
        let (issuer, database) = (TestIssuer(clock: clock), try SQLiteDatabase.inMemory())
        let server = KithServer(
            ServerDependencies(
                configuration(secret), ServerDatabase(database), discoveryKeys: DiscoveryKeys(),
                gateways: MessageGateways(email: gateway, sms: gateway), issuerTransport: issuer, clock: clock.server,
                logger: log.logger, passkeyVerifier: TestServer.passkeyVerifier))
        return try await server.serving { url in
            var world = try await AuthorizationWorld(
                TestServer(url: url, clock: clock, log: log), database, gateway: gateway, issuer: issuer)
            return try await body(&world)
        }
    }

    /// Everything that an operator can configure, so that each operation has something to show.
    private static func configuration(_ secret: URL) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.publicURL = address
        configuration.trustedProxies = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        configuration.issuers = [
            IssuerSettings(
                name: "example", displayName: "Example", url: "https://issuer.example", clientID: "kith app",
                clientSecret: "s:cret")
        ]
        configuration.apps.appleIDs = ["ABCDE12345.com.example.groceries"]
        configuration.apps.androidPackage = "com.example.groceries"
        configuration.apps.androidCertificates = [Array(repeating: "AB", count: 32).joined(separator: ":")]
        configuration.messages.smsURL = "http://127.0.0.1:9/2010"
        configuration.messages.smsAccount = "AC1"
        configuration.messages.smsSecretFile = secret.path()
        configuration.messages.smsSender = "Kith"
        return configuration
    }

    private init(
        _ server: TestServer, _ database: any Database, gateway: MemoryGateway, issuer: TestIssuer
    ) async throws {
        (self.server, self.database, self.gateway, self.issuer) = (server, database, gateway, issuer)
        try await Self.addProgramme(to: database)
        owner = TestDevice(try await server.newSession())
        list = try await owner.makeList("Work", with: server)
        let path = "/v1/lists/\(list)/links"
        let token = owner.session.token
        link = try await server.ask("POST", path, token: token, json: LinkRequest(role: .viewer)).decoded()
        for caller in CallerKind.allCases where caller.isSignedIn && caller != .owner {
            sessions[caller] = try await server.newSession()
        }
        sessions[.owner] = owner.session
        tokens = sessions.mapValues(\.token)
        for (caller, role) in [(CallerKind.viewer, Role.viewer), (.editor, .editor), (.formerMember, .editor)] {
            try await join(try session(caller), as: role)
        }
        try await prove("stranger@example.com", by: .stranger)
        try await edit(.contacts, try account(.blocked).uuid, in: home, ["isBlocked": true])
        try await edit(.contacts, try account(.editor).uuid, in: home, ["wish": "connect"])
        try await accept(by: .editor)
        try await edit(.members, try account(.formerMember).uuid, in: list, .delete)
        tokens[.unknown] = RandomBytes.system.token()
        let closed = try await server.newSession().token
        try #require(try await server.ask("DELETE", "/v1/session", token: closed).status == 204)
        tokens[.loggedOut] = closed
    }

    /// The owner's own feed.
    var home: ListID { owner.session.account.retyped() }

    func session(_ caller: CallerKind) throws -> NewSession { try #require(sessions[caller]) }
    func account(_ caller: CallerKind) throws -> AccountID { try session(caller).account }

    // MARK: What the owner does

    /// Sends a value as the owner, who must get this status.
    func ask<Value: Decodable>(
        _ method: String, _ path: String, json: some Encodable, expecting status: Int = 200
    ) async throws -> Value {
        let reply = try await server.ask(method, path, token: owner.session.token, json: json)
        try #require(reply.status == status, "\(path): \(String(decoding: reply.body, as: UTF8.self))")
        return try reply.decoded()
    }

    /// Reads something as the owner.
    func get<Value: Decodable>(_ path: String) async throws -> Value {
        let reply = try await server.ask("GET", path, token: owner.session.token)
        try #require(reply.status == 200)
        return try reply.decoded()
    }

    /// Makes a link of the list.
    func newLink(_ request: LinkRequest) async throws -> ListLink {
        try await ask("POST", "/v1/lists/\(list)/links", json: request, expecting: 201)
    }

    /// Lets a session join the list.
    func join(_ session: NewSession, as role: Role) async throws {
        let token = try await newLink(LinkRequest(role: role)).token ?? ""
        let reply = try await server.ask("POST", "/v1/links/\(token)/accept", token: session.token)
        try #require(reply.status == 200)
    }

    /// Edits a record, which must succeed.
    mutating func edit(
        _ collection: RecordCollection, _ record: UUID, in feed: ListID, _ change: Mutation.Change
    ) async throws {
        var mutation = owner.mutation(1, collection, record, in: feed, set: [:])
        mutation.change = change
        let outcomes = try await owner.sync([mutation], with: server).outcomes
        try #require(outcomes.isEmpty, "\(outcomes)")
    }

    mutating func edit(
        _ collection: RecordCollection, _ record: UUID, in feed: ListID, _ fields: Fields
    ) async throws { try await edit(collection, record, in: feed, .set(fields)) }

    /// Invites somebody.
    ///
    /// - Returns: The id of the invitation, and the secret in its link.
    mutating func invite(_ purpose: Invitation.Purpose) async throws -> (id: UUID, secret: String) {
        let (id, secret) = (UUID(), RandomBytes.system.token())
        let fields: Fields = [
            "recipient": "mailto:guest@example.com", "delivery": "device",
            "secret": .text(Hex.text(Secret.sha256(secret))),
        ]
        try await edit(.invitations, id, in: home, fields.merging(purpose.fields) { $1 })
        return (id, secret)
    }

    /// Shares in the programme.
    ///
    /// - Returns: The code.
    mutating func share() async throws -> String {
        try await edit(.shareables, UUID(), in: home, ["programme": "friends", "code": "ADA-TEA"])
        return "ada-tea"
    }

    /// A friend joins with the owner's code, and both get a reward.
    mutating func bringFriend() async throws {
        let code = try await share()
        // Somebody who joins sooner waits for the operator.
        server.clock.advance(.seconds(60))
        var friend = TestDevice(try await server.newSession())
        let used = FieldValue.integer(server.clock.server.time().milliseconds)
        let claim = friend.mutation(
            1, .claims, UUID(), in: friend.session.account.retyped(), set: ["code": .text(code), "used": used])
        let outcomes = try await friend.sync([claim], with: server).outcomes
        try #require(outcomes.isEmpty, "\(outcomes)")
        try await prove("friend@example.com", with: friend.session)
    }

    /// The record of a collection that the server has made in the owner's feed; waits until there is one.
    func record(madeIn collection: RecordCollection) async throws -> UUID {
        let (database, home) = (database, home)
        let find: @Sendable () async throws -> RecordID<Never>? = {
            try await database.read { transaction in
                try transaction.query(
                    "SELECT id FROM record WHERE feed = ? AND collection = ?",
                    [.id(home), .text(collection.rawValue)]
                ).first?.id(0, of: Never.self)
            }
        }
        try await Limit("The server makes a \(collection.rawValue) of the owner").until { try await find() != nil }
        return try #require(try await find()).uuid
    }

    /// The programme in which everybody shares.
    private static func addProgramme(to database: any Database) async throws {
        let reward = #"{"name":"voucher-5","title":{"en":"5 € voucher"},"event":"joined"}"#
        let file = """
            {"name":"friends","title":{"en":"Tea"},"text":{"en":"Join us."},\
            "rewards":{"advocate":\(reward),"friend":\(reward)}}
            """
        let picture = try ProgrammePicture(AuthorizationRequests.picture)
        _ = try await ProgrammeService(database: database).create(
            Data(file.utf8), picture: .set(picture), at: HandClock.start)
    }

    /// Adds an operator, who signs in.
    ///
    /// - Returns: The password, and the token of the session.
    func addOperator() async throws -> (password: String, token: String) {
        let service = OperatorService(database: database)
        let password = try await service.add(try #require(OperatorName("root")), at: HandClock.start)
        let token = try await service.signIn(
            "root", password: password, from: ClientNetwork("198.51.100.0"), at: HandClock.start)
        return (password, try #require(token))
    }

    /// The link with which the recipient of an invitation unsubscribes.
    mutating func unsubscribeToken() async throws -> String {
        let fields: Fields = [
            "recipient": "mailto:cleo@example.com", "purpose": "join",
            "requested": .integer(HandClock.start.milliseconds),
        ]
        try await edit(.invitations, UUID(), in: home, fields)
        let message = try await message(to: "cleo@example.com")
        return try #require(message.unsubscribe?.split(separator: "/").last.map(String.init))
    }

    // MARK: What others do

    /// The last message to somebody; waits until there is one.
    private func message(to recipient: String) async throws -> StoredMessage {
        let gateway = gateway
        try await Limit("A message to \(recipient) is sent").until {
            gateway.delivered.contains { $0.recipient == recipient }
        }
        return try #require(gateway.delivered.last { $0.recipient == recipient })
    }

    /// Requests a code for an email.
    ///
    /// - Returns: The id of the request, and the code.
    func requestCode(_ email: String, by caller: CallerKind) async throws -> (id: CodeID, code: String) {
        try await requestCode(email, with: try session(caller))
    }

    private func requestCode(_ email: String, with session: NewSession) async throws -> (id: CodeID, code: String) {
        let request = CodeRequest(id: CodeID(UUID()), identity: try #require(Identity("mailto:\(email)")))
        let sent = try await server.ask("POST", "/v1/codes", token: session.token, json: request)
        try #require(sent.status == 202)
        let text = try await message(to: email).text
        return (request.id, try #require(text.firstMatch(of: #/\b\d{6}\b/#).map { String($0.0) }))
    }

    /// Proves an email.
    func prove(_ email: String, by caller: CallerKind) async throws {
        try await prove(email, with: try session(caller))
    }

    private func prove(_ email: String, with session: NewSession) async throws {
        let (id, code) = try await requestCode(email, with: session)
        let proved = try await server.ask(
            "POST", "/v1/codes/\(id)/check", token: session.token, json: CodeCheck(code: code))
        try #require(proved.status == 200)
    }

    /// Accepts the owner's request to connect.
    private func accept(by caller: CallerKind) async throws {
        var device = TestDevice(try session(caller))
        try await device.sync(with: server)
        let wish = device.mutation(
            1, .contacts, owner.session.account.uuid, in: device.session.account.retyped(), set: ["wish": "accept"])
        try #require(try await device.sync([wish], with: server).outcomes.isEmpty)
    }
}
