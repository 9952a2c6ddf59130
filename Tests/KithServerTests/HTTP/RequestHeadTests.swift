import Foundation
import KithModel
import KithServer
import Testing

@Suite("The head of a request") struct RequestHeadTests {
    @Test(
        "Trap: A request without Host, or with two – the answer is 400, and the connection ends",
        arguments: [
            "HTTP/1.1", "HTTP/1.1\r\nHost: kith\r\nHost: kith", "HTTP/1.1\r\nHost: kith\r\nhost: other",
            "HTTP/1.0\r\nHost: kith\r\nHost: other",
        ])
    func hosts(lines: String) async throws {
        try await TestServer.run { server in
            let wire = try Wire(server.url)
            // The answer to the request before is complete.
            try wire.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\nGET /health \(lines)\r\n\r\n")
            #expect(try await server.reply(on: wire).status == 200)
            #expect(try await wire.head().status == 400)
            #expect(try await wire.isAtEnd())
        }
    }

    @Test(
        "Trap: A head with many combining marks keeps the event loop busy – the answer is 400, and the connection ends",
        arguments: [
            "/ready?MARKS HTTP/1.1", "/ready?name=ESCAPES HTTP/1.1", "/s/ESCAPES HTTP/1.1",
            "/ready HTTP/1.1\r\nAccept: MARKS",
        ])
    func combiningMarks(lines: String) async throws {
        let marks = String(repeating: "\u{3099}\u{5B0}\u{334}\u{327}\u{31B}\u{301}\u{345}", count: 1_500)
        let lines = lines.replacing("MARKS", with: marks).replacing("ESCAPES", with: marks.percentEncoded)
        try await TestServer.run { server in
            let wire = try Wire(server.url)
            try wire.send("GET \(lines)\r\nHost: kith\r\n\r\n")
            #expect(try await wire.head().status == 400)
            #expect(try await wire.isAtEnd())
        }
    }

    @Test("Trap: A client of HTTP/1.0 – it gets one answer with nothing before it, and the connection ends")
    func oldVersion() async throws {
        try await TestServer.run { server in
            let wire = try Wire(server.url)
            try wire.send(
                "POST /v1/sessions HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 0\r\n\r\n")
            let reply = try await server.reply(on: wire)
            #expect(reply.status == 201 && reply.head["connection"] == "close")
            #expect(try await wire.isAtEnd())
        }
    }

    @Test("Trap: A client of HTTP/1.0 asks for a stream, which it could not read in chunks – the answer is a problem")
    func oldStream() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try wire.send(
                "GET /v1/live?device=\(DeviceID(UUID())) HTTP/1.0\r\nAuthorization: Bearer \(session.token)\r\n\r\n")
            let reply = try await server.reply(on: wire)
            #expect(try problem(in: reply, 400, .malformed).detail.contains("HTTP/1.1"))
            #expect(try await wire.isAtEnd())
            #expect(try await server.metric("kith_live_streams") == 0)
        }
    }

    @Test(
        "Trap: A request that opens no stream – it does not end the device's oldest one", arguments: ["GET", "HEAD"])
    func endsNoStream(method: String) async throws {
        try await TestServer.run({ $0.limits.streamsOfSession = 1 }) { server in
            let session = try await server.newSession()
            let device = DeviceID(UUID())
            let stream = try await server.live(session, device)
            server.clock.advance(LiveHub.young)
            let wire = try Wire(server.url)
            if method == "HEAD" {
                try wire.send(server.request("HEAD", "/v1/live?device=\(device)", token: session.token))
            } else {
                try wire.send(
                    "GET /v1/live?device=\(device) HTTP/1.0\r\nAuthorization: Bearer \(session.token)\r\n\r\n")
            }
            #expect(try await wire.head().status == (method == "HEAD" ? 200 : 400))
            var tablet = TestDevice(session)
            _ = try await tablet.makeList("Groceries", with: server)
            let event = String(decoding: try await stream.event(), as: UTF8.self)
            #expect(event.hasPrefix("event: moved"))
        }
    }

    @Test("Trap: A HEAD of a live stream – it says nothing of a length, opens no stream, and ends")
    func headOfStream() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try wire.send(server.request("HEAD", "/v1/live?device=\(DeviceID(UUID()))", token: session.token))
            let head = try await wire.head()
            #expect(head.status == 200 && head["content-type"] == "text/event-stream")
            #expect(head["content-length"] == nil)
            #expect(try await wire.isAtEnd())
            #expect(try await server.metric("kith_live_streams") == 0)
        }
    }
}
