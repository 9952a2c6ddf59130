import Foundation
import KithModel
import KithServer
import Testing

@Suite("Rates and limits", .timeLimit(.minutes(15)))
struct LimitTests {
    @Test("A bucket gives its burst at once, then as fast as it fills")
    func bucket() {
        var buckets = TokenBuckets<String>(Rate(perSecond: 20, burst: 200))
        for _ in 0..<200 { #expect(buckets.take(from: "ada", at: .zero) == nil) }
        #expect(buckets.take(from: "ada", at: .zero) == .milliseconds(50))
        #expect(buckets.take(from: "grace", at: .zero) == nil)
        #expect(buckets.take(from: "ada", at: .milliseconds(50)) == nil)
        #expect(buckets.take(from: "ada", at: .milliseconds(50)) != nil)
        for _ in 0..<200 { #expect(buckets.take(from: "ada", at: .seconds(100)) == nil) }
        #expect(buckets.take(from: "ada", at: .seconds(100)) != nil)
    }

    @Test("In any period, no more requests pass than burst and rate allow", arguments: 0..<50 as Range<UInt64>)
    func bound(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var buckets = TokenBuckets<Int>(Rate(perSecond: 3, burst: 7))
        var (now, passed) = (Duration.zero, 0)
        for _ in 0..<500 {
            now += .milliseconds(Int64.random(in: 0..<400, using: &random))
            if buckets.take(from: 1, at: now) == nil { passed += 1 }
        }
        let most = 7 + Int(now / .seconds(1) * 3) + 1
        #expect(passed <= most && passed >= most - 8)
    }

    @Test("The number of buckets is limited, and the emptiest are kept")
    func capacity() {
        var buckets = TokenBuckets<Int>(Rate(perSecond: 1, burst: 10), capacity: 100)
        for _ in 0..<10 { _ = buckets.take(from: -1, at: .zero) }
        for caller in 0..<1_000 {
            _ = buckets.take(from: caller, at: .zero)
            #expect(buckets.count <= 100)
        }
        #expect(buckets.take(from: -1, at: .zero) != nil)
    }

    @Test("A session that asks too fast waits for Retry-After; others do not")
    func sessions() async throws {
        try await TestServer.run({ $0.limits.session = Rate(perSecond: 0.5, burst: 3) }) { server in
            let (ada, grace) = (try await server.newSession(), try await server.newSession())
            for _ in 0..<3 { #expect(try await server.ask("GET", "/v1/session", token: ada.token).status == 200) }
            let refused = try await server.ask("GET", "/v1/session", token: ada.token)
            try problem(in: refused, 429, .tooFast)
            #expect(refused.head["retry-after"] == "2")
            #expect(try await server.ask("GET", "/v1/session", token: grace.token).status == 200)
            server.clock.advance(.seconds(2))
            #expect(try await server.ask("GET", "/v1/session", token: ada.token).status == 200)
        }
    }

    @Test("One address opens sixty sessions at once, then one a second")
    func newSessions() async throws {
        try await TestServer.run { server in
            for _ in 0..<60 { _ = try await server.newSession() }
            let refused = try await server.ask("POST", "/v1/sessions")
            try problem(in: refused, 429, .tooFast)
            #expect(refused.head["retry-after"] == "1")
            server.clock.advance(.seconds(1))
            _ = try await server.newSession()
        }
    }

    @Test("Guessing tokens is slowed down")
    func guessing() async throws {
        try await TestServer.run({ $0.limits.address = Rate(perSecond: 1, burst: 2) }) { server in
            let session = try await server.newSession()
            for _ in 0..<2 { #expect(try await server.ask("GET", "/v1/session", token: "guess").status == 401) }
            try problem(in: try await server.ask("GET", "/v1/session", token: "guess"), 429, .tooFast)
            try problem(in: try await server.ask("GET", "/v1/links/guess"), 429, .tooFast)
            #expect(try await server.ask("GET", "/v1/session", token: session.token).status == 200)
        }
    }

    @Test("The tokens of a deleted account have the rate of an address without a token") func closedAccount()
        async throws
    {
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run({ $0.limits.address = Rate(perSecond: 1, burst: 2) }, database: database) { server in
            let session = try await server.newSession()
            try await AccountService(database: database, signals: .none).delete(session.account, at: HandClock.start)
            for _ in 0..<2 {
                let reply = try await server.ask("GET", "/v1/session", token: session.token)
                try problem(in: reply, 401, .accountClosed)
            }
            try problem(in: try await server.ask("GET", "/v1/session", token: session.token), 429, .tooFast)
        }
    }

    @Test("X-Forwarded-For counts only from a trusted proxy")
    func forwarded() async throws {
        let one = Rate(perSecond: 1, burst: 1)
        for isTrusted in [false, true] {
            try await TestServer.run({
                $0.limits.newSessions = one
                if isTrusted { $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self) }
            }) { server in
                var statuses: [Int] = []
                for client in ["192.0.2.1", "192.0.2.2", "198.51.100.9, 192.0.2.2"] {
                    let headers = ["X-Forwarded-For": client]
                    statuses.append(try await server.ask("POST", "/v1/sessions", headers: headers).status)
                }
                #expect(statuses == (isTrusted ? [201, 201, 429] : [201, 429, 429]))
                // Who runs the server is told, once, that all clients of the proxy share one address's limits.
                let warnings = server.log.text.components(separatedBy: "--trusted-proxy 127.0.0.1").count - 1
                #expect(warnings == (isTrusted ? 0 : 1))
            }
        }
    }

    @Test("Trap: one address for all – a proxy may add ports to the addresses; it is named if it sends none")
    func ports() async throws {
        try await TestServer.run({
            $0.limits.newSessions = Rate(perSecond: 1, burst: 1)
            $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { server in
            func open(for client: String) async throws -> Int {
                try await server.ask("POST", "/v1/sessions", headers: ["X-Forwarded-For": client]).status
            }
            for client in ["192.0.2.1:5555", "[2001:db8:1::1]:443", "[2001:db8:2::1]", "2001:db8:3::1"] {
                #expect(try await open(for: client) == 201)
            }
            // It is the same client with another port, and no other part of an entry counts as a port.
            #expect(try await open(for: "192.0.2.1:5556") == 429)
            #expect(!server.log.text.contains("X-Forwarded-For"))
            let statuses = [try await open(for: "192.0.2.9:port"), try await open(for: "unknown")]
            #expect(statuses == [201, 429])
            #expect(server.log.text.components(separatedBy: "sends “192.0.2.9:port” in X-Forwarded-For").count == 2)
            #expect(!server.log.text.contains("unknown"))
        }
    }

    @Test("A request beyond the limit of concurrent requests gets 503; the others are not affected")
    func crowd() async throws {
        try await TestServer.run({ $0.limits.requestsAtOnce = 1 }) { server in
            let session = try await server.newSession()
            try await server.waitUntilRunning(0)
            let body = try JSONEncoder().encode(TestDevice(session).request())
            let slow = try Wire(server.url)
            let headers = ["Content-Type": "application/json"]
            try slow.send(
                server.request("POST", "/v1/sync", token: session.token, headers: headers, length: body.count))
            try slow.send(body.prefix(10))
            try await server.waitUntilRunning(1)

            let refused = try await server.ask("GET", "/v1/session", token: session.token)
            try problem(in: refused, 503, .busy)
            #expect(refused.head["retry-after"] == "1")
            #expect(try await server.ask("GET", "/health").status == 200)
            try slow.send(Data(body.dropFirst(10)))
            #expect(try await server.reply(on: slow).status == 200)
        }
    }

    @Test("A body that takes too long loses its place, even if it trickles in")
    func slowBody() async throws {
        try await TestServer.run({
            $0.limits.requestsAtOnce = 1
            $0.limits.bodyTime = .milliseconds(500)
        }) { server in
            let session = try await server.newSession()
            try await server.waitUntilRunning(0)
            let body = try JSONEncoder().encode(TestDevice(session).request())
            let slow = try Wire(server.url)
            var head = String(
                decoding: server.request(
                    "POST", "/v1/sync", token: session.token, headers: ["Content-Type": "application/json"],
                    length: body.count), as: UTF8.self)
            head.replace("Connection: close\r\n", with: "")
            try slow.send(head)
            let dripping = Task {
                for byte in body.prefix(20) {
                    try slow.send(Data([byte]))
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            let refused = try await server.reply(on: slow)
            try problem(in: refused, 408, .tooSlow)
            #expect(refused.head["connection"] == "close")
            dripping.cancel()
            try await server.waitUntilRunning(0)
            #expect(try await server.ask("GET", "/v1/session", token: session.token).status == 200)
        }
    }
}

extension TestServer {
    /// Waits until the server says that so many requests are under way.
    func waitUntilRunning(_ count: Int) async throws {
        while true {
            let metrics = String(decoding: try await ask("GET", "/metrics").body, as: UTF8.self)
            if metrics.contains("kith_requests_running \(count).0") { return }
        }
    }
}
