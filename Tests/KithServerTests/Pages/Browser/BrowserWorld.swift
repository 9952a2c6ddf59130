import Foundation
import KithModel
import KithServer
import Processes
import Testing

/// A server with the programme `friends`, and the messages that it has sent.
struct BrowserWorld: Sendable {
    let server: TestServer
    let gateway: MemoryGateway
    let database: any Database

    /// Runs `body` against a server that stops afterwards.
    static func run<Value: Sendable>(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, database: (any Database)? = nil,
        _ body: (BrowserWorld) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration.patient
        change(&configuration)
        let (clock, log, gateway) = (HandClock(), LogKeeper(), MemoryGateway())
        let database = try database ?? SQLiteDatabase.inMemory()
        let file = """
            {"name":"friends","title":{"en":"Bring a friend"},"text":{"en":"Both of you get a voucher."},\
            \(SharingWorld.rewards)}
            """
        _ = try await ProgrammeService(database: database).create(Data(file.utf8), at: HandClock.start)
        let server = KithServer(
            ServerDependencies(
                configuration, ServerDatabase(database), discoveryKeys: DiscoveryKeys(),
                gateways: MessageGateways(email: gateway, sms: gateway), clock: clock.server, logger: log.logger,
                passkeyVerifier: TestServer.passkeyVerifier))
        return try await server.serving { url in
            try await body(
                BrowserWorld(
                    server: TestServer(url: url, clock: clock, log: log), gateway: gateway, database: database))
        }
    }

    /// The newest code that was sent to somebody, if `count` were; waits for it.
    func code(to recipient: String, _ count: Int = 1) async throws -> String {
        let gateway = gateway
        @Sendable func codes() -> [String] {
            gateway.delivered.filter { $0.kind == .code && $0.recipient == recipient }
                .compactMap { $0.text.firstMatch(of: #/\b\d{6}\b/#).map { String($0.0) } }
        }
        try await Limit("Code \(count) is sent to \(recipient)").until { codes().count >= count }
        return try #require(codes().last)
    }

    /// Makes a share link of the account of a browser.
    func share(_ code: String, by browser: TestBrowser) async throws {
        var device = try await device(try #require(browser.token))
        let home: ListID = device.session.account.retyped()
        let mutation = device.mutation(
            1, .shareables, UUID(), in: home, set: ["programme": "friends", "code": .text(code)])
        try #require(try await device.sync([mutation], with: server).outcomes.isEmpty)
    }

    /// Whether a session is open.
    func isOpen(_ token: String) async throws -> Bool {
        try await server.ask("GET", "/v1/session", token: token).status == 200
    }

    /// The account with a session.
    func account(of token: String) async throws -> SessionDescription {
        try await server.ask("GET", "/v1/session", token: token).decoded()
    }

    /// A device that uses a session.
    func device(_ token: String) async throws -> TestDevice {
        TestDevice(NewSession(account: try await account(of: token).account, token: token))
    }

    /// The number of rows of a table.
    func count(_ table: String) async throws -> Int {
        try await database.read { transaction in
            Int(try transaction.query("SELECT count(*) FROM \(table)").first?.integer(0) ?? 0)
        }
    }
}
