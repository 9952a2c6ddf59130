import Foundation
import KithModel
import KithServer
import Processes
import Testing

/// A server with a list, a link to it, and the messages that the server has sent.
struct PageServer: Sendable {
    let server: TestServer
    let gateway: MemoryGateway
    let database: any Database
    let owner: NewSession
    let list: ListID
    let link: ListLink

    /// What a browser sends with a navigation.
    static let browser = [
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Sec-Fetch-Site": "same-origin",
    ]

    /// Runs `body` against a server that stops afterwards.
    static func run<Value: Sendable>(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, name: String = "Groceries",
        _ body: (PageServer) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration.patient
        change(&configuration)
        let (clock, log, gateway) = (HandClock(), LogKeeper(), MemoryGateway())
        let database = try SQLiteDatabase.inMemory()
        let server = KithServer(
            ServerDependencies(
                configuration, ServerDatabase(database), discoveryKeys: DiscoveryKeys(),
                gateways: MessageGateways(email: gateway, sms: gateway), clock: clock.server, logger: log.logger))
        return try await server.serving { url in
            let server = TestServer(url: url, clock: clock, log: log)
            var device = TestDevice(try await server.newSession())
            let list: ListID = try await device.makeList(name, with: server).retyped()
            let link: ListLink = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: device.session.token, json: LinkRequest(role: .editor)
            ).decoded()
            return try await body(
                PageServer(
                    server: server, gateway: gateway, database: database, owner: device.session, list: list,
                    link: link))
        }
    }

    var path: String { "/v1/links/\(link.token ?? "")" }

    /// Another link of the list.
    func newLink(_ request: LinkRequest) async throws -> ListLink {
        try await server.ask("POST", "/v1/lists/\(list)/links", token: owner.token, json: request).decoded()
    }

    /// Opens an address in a browser.
    func open(_ path: String, _ headers: [String: String] = [:]) async throws -> PageReply {
        PageReply(try await server.ask("GET", path, headers: Self.browser.merging(headers) { $1 }))
    }

    /// Sends a form as a browser does.
    func send(
        _ path: String, _ fields: [(String, String)], _ headers: [String: String] = [:]
    ) async throws -> PageReply {
        PageReply(try await server.submit(fields, to: path, headers: Self.browser.merging(headers) { $1 }))
    }

    /// Opens the link, and asks for a code for an email.
    func requestCode(_ email: String) async throws -> PageReply {
        let page = try await open(path)
        return try await send(path, [("ticket", page.ticket), ("email", email)])
    }

    /// The code in the message of this index; waits for the message.
    func code(_ index: Int = 0) async throws -> String {
        let gateway = gateway
        try await Limit("Message \(index) is sent").until { gateway.delivered.count > index }
        return try #require(gateway.delivered[index].text.firstMatch(of: #/\b\d{6}\b/#).map { String($0.0) })
    }

    /// Accepts the link with an email.
    func accept(_ email: String, code index: Int = 0) async throws -> PageReply {
        let page = try await requestCode(email)
        return try await send(
            path, [("ticket", page.ticket), ("email", email), ("code", try await code(index))])
    }

    /// The number of people in the list.
    func members() async throws -> Int {
        try await (server.ask("GET", path).decoded() as LinkPreview).members
    }

    /// The account that has an email: a new session signs in with it.
    func account(_ email: String, code index: Int) async throws -> ProvedIdentity {
        let session = try await server.newSession()
        let id = CodeID(UUID())
        let request = CodeRequest(id: id, identity: try #require(Identity("mailto:\(email)")))
        try #require(try await server.ask("POST", "/v1/codes", token: session.token, json: request).status == 202)
        return try await server.ask(
            "POST", "/v1/codes/\(id)/check", token: session.token, json: CodeCheck(code: try await code(index))
        ).decoded()
    }
}

/// What a browser has received.
struct PageReply: Sendable {
    let reply: Reply

    init(_ reply: Reply) { self.reply = reply }

    var status: Int { reply.status }
    var head: Wire.Head { reply.head }
    var text: String { String(decoding: reply.body, as: UTF8.self) }
    var heading: String { text.firstMatch(of: /<h1>(.*)<\/h1>/).map { String($0.output.1) } ?? "" }
    var error: String? { text.firstMatch(of: /role="alert">(.*)<\/p>/).map { String($0.output.1) } }
    /// The first ticket of the page.
    var ticket: String { text.firstMatch(of: /name="ticket" value="([^"]*)"/).map { String($0.output.1) } ?? "" }
    /// The ticket for another code, on the page for a code.
    var nextTicket: String {
        text.matches(of: /name="ticket" value="([^"]*)"/).last.map { String($0.output.1) } ?? ""
    }
    var isPage: Bool { head["content-type"] == "text/html; charset=utf-8" }
}
