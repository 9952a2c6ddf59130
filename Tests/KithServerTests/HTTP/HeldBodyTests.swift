import Foundation
import KithModel
import Testing

/// A token is checked when the head of a request has arrived. The body may arrive half a minute later.
@Suite("A request whose body is held back") struct HeldBodyTests {
    private let body = Data(#"{"languages":["en"]}"#.utf8)

    /// Sends a request with the first bytes of its body, and waits until the server has its head.
    private func hold(_ token: String, bytes: Int, at server: TestServer) async throws -> Wire {
        let held = try Wire(server.url)
        try held.send(
            server.request(
                "POST", "/v1/recovery-codes", token: token, headers: ["Content-Type": "application/json"],
                length: body.count))
        try held.send(Data(body.prefix(bytes)))
        while try await server.metric("kith_body_bytes") == 0 { await Task.yield() }
        return held
    }

    @Test(
        "What was closed before the body was complete gets nothing any more",
        arguments: [("/v1/sessions", Problem.Code.tokenInvalid), ("/v1/account", .accountClosed)])
    func closed(path: String, code: Problem.Code) async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let held = try await hold(session.token, bytes: 5, at: server)
            #expect(try await server.ask("DELETE", path, token: session.token).status == 204)
            server.clock.advance(.seconds(2))
            try held.send(Data(body.dropFirst(5)))
            try problem(in: try await server.reply(on: held), 401, code)
        }
    }

    @Test("Otherwise a slow body is answered as a fast one") func slow() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let held = try await hold(session.token, bytes: 0, at: server)
            server.clock.advance(.seconds(20))
            try held.send(body)
            #expect(try await server.reply(on: held).status == 201)
        }
    }
}
