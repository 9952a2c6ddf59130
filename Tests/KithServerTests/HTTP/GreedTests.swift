import Foundation
import KithModel
import KithServer
import Testing

@Suite("Clients that request too much") struct GreedTests {
    @Test("Requests for missing resources are counted by address, and not logged one by one")
    func stray() async throws {
        try await TestServer.run({ $0.limits.address = Rate(perSecond: 1, burst: 2) }) { server in
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await server.ask("GET", "/wp-login.php").status) }
            statuses.append(try await server.ask("DELETE", "/v1/sync").status)
            // Operators are counted apart.
            statuses.append(try await server.ask("GET", "/health").status)
            #expect(statuses == [404, 404, 429, 429, 200])
            #expect(!server.log.text.contains("info There is nothing here"))
        }
        try await TestServer.run({ $0.limits.operating = Rate(perSecond: 1, burst: 2) }) { server in
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await server.ask("GET", "/health").status) }
            #expect(statuses == [200, 200, 429])
        }
    }

    @Test("A client that asks too fast is answered after a pause, and occupies no place meanwhile")
    func holdingBack() async throws {
        try await TestServer.run({
            $0.limits.address = Rate(perSecond: 1, burst: 1)
            $0.limits.requestsAtOnce = 1
            $0.limits.refusalPause = .seconds(1)
        }) { server in
            #expect(try await server.ask("GET", "/v1/links/none").status == 404)
            let wire = try Wire(server.url)
            let start = ContinuousClock.now
            try wire.send(server.request("GET", "/v1/links/none"))
            // The one place is free for somebody else.
            try await server.waitUntilRunning(0)
            #expect(try await server.reply(on: wire).status == 429)
            #expect(ContinuousClock.now - start >= .seconds(1))
        }
    }

    @Test("Bodies use a limited amount of the server's memory")
    func bodies() async throws {
        try await TestServer.run({ $0.limits.bodiesOfAddress = 1 << 20 }) { server in
            let session = try await server.newSession()
            let headers = ["Content-Type": "application/json"]
            let slow = try Wire(server.url)
            try slow.send(
                server.request("POST", "/v1/sync", token: session.token, headers: headers, length: 1_000_000))
            try slow.send("{")
            try await server.waitUntilRunning(1)
            let refused = try await server.ask(
                "POST", "/v1/sync", token: session.token, headers: headers,
                body: Data(repeating: UInt8(ascii: " "), count: 100_000))
            try problem(in: refused, 503, .busy)
            try slow.send(Data(repeating: UInt8(ascii: " "), count: 999_999))
            #expect(try await server.reply(on: slow).status == 400)
            // The room is free again.
            var device = TestDevice(session)
            _ = try await device.makeList("Groceries", with: server)
        }
    }
}
