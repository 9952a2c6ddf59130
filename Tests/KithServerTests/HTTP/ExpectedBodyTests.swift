import Foundation
import KithModel
import KithServer
import Testing

@Suite("A client that asks before it sends a body") struct ExpectedBodyTests {
    private let headers = ["Content-Type": "application/json", "Expect": "100-continue"]
    private let body = Data(#"{"languages":["en"]}"#.utf8)

    @Test("is told at once to go on, and then gets its answer") func goesOn() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try wire.send(
                server.request(
                    "POST", "/v1/recovery-codes", token: session.token, headers: headers, length: body.count))
            #expect(try await wire.head().status == 100)
            try wire.send(body)
            #expect(try await server.reply(on: wire).status == 201)
        }
    }

    @Test("is told to go on after a small answer to an earlier request") func afterSmallAnswer() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try wire.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n")
            #expect(try await server.reply(on: wire).status == 200)
            try wire.send(
                server.request(
                    "POST", "/v1/recovery-codes", token: session.token, headers: headers, length: body.count))
            #expect(try await wire.head().status == 100)
            try wire.send(body)
            #expect(try await server.reply(on: wire).status == 201)
        }
    }

    @Test("gets nothing within the answer to an earlier request") func pipelined() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            let first = "GET /openapi.json HTTP/1.1\r\nHost: kith\r\n\r\n"
            let second = server.request(
                "POST", "/v1/recovery-codes", token: session.token, headers: headers, length: body.count)
            try wire.send(Data(first.utf8) + second + body)
            let description = try await server.reply(on: wire)
            #expect(description.status == 200)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: description.body) }
            #expect(try await server.reply(on: wire).status == 201)
        }
    }
}
