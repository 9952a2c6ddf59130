import Foundation
import KithModel
import KithServer
import Testing

@Suite("No address can use up the resources of others", .timeLimit(.minutes(15)))
struct OverloadTests {
    /// The path of a public link to a list whose answer has about a megabyte.
    private func publicList(on server: TestServer) async throws -> String {
        var device = TestDevice(try await server.newSession())
        let list = try await device.makeList("Large", with: server)
        let comment = String(repeating: "unread ", count: 280)
        let items = (1...500).map { index in
            device.mutation(
                Int64(index), .items, UUID(), in: list,
                set: ["title": "Item", "position": "a0", "comment": .text(comment)])
        }
        #expect(try await device.sync(items, with: server).outcomes.isEmpty)
        let reply = try await server.ask(
            "POST", "/v1/lists/\(list)/links", token: device.session.token,
            json: LinkRequest(role: .viewer, isPublic: true))
        let url = try #require(try reply.decoded(as: ListLink.self).url.flatMap { URL(string: $0) })
        return url.path()
    }

    @Test("Answers that are never read take a bounded amount of memory, and are given up")
    func unread() async throws {
        let most = 4 << 20
        try await TestServer.run({
            $0.limits.unwrittenOfAddress = most
            $0.limits.readingWindow = .seconds(2)
        }) { server in
            let path = try await publicList(on: server)
            var readers: [Wire] = []
            for _ in 0..<20 {
                let reader = try Wire(server.url)
                // A body that is announced and trickles keeps the request from ending.
                try reader.send("GET \(path) HTTP/1.1\r\nHost: kith\r\nContent-Length: 1000\r\n\r\n")
                readers.append(reader)
            }
            var seen = 0
            // The time goes on until the last of them is given up: answers are made one after another.
            while true {
                let waiting = try await server.metric("kith_unwritten_bytes")
                #expect(waiting <= Double(most))
                seen = max(seen, Int(waiting))
                if seen > 0, try await server.metric("kith_requests_running") == 0 { break }
                for reader in readers { try? reader.send("x") }
                server.clock.advance(.milliseconds(500))
            }
            #expect(try await server.ask("GET", path).status == 200)
        }
    }

    @Test("A reader that is slow, but not too slow, gets its whole answer")
    func slowReader() async throws {
        try await TestServer.run({ $0.limits.readingWindow = .seconds(2) }) { server in
            let path = try await publicList(on: server)
            let wire = try Wire(server.url)
            try wire.send(server.request("GET", path))
            let length = try #require(try await wire.head()["content-length"].flatMap { Int($0) })
            var left = length
            while left > 0 {
                let part = min(left, 60_000)
                #expect(try await wire.read(count: part).count == part)
                left -= part
                try await Task.sleep(for: .milliseconds(300))
                server.clock.advance(.milliseconds(300))
            }
            #expect(length > 900_000)
        }
    }

    @Test("A request counts as running until its answer is written")
    func runsUntilWritten() async throws {
        // One address has at most half of the places.
        try await TestServer.run({ $0.limits.requestsAtOnce = 2 }) { server in
            let path = try await publicList(on: server)
            let slow = try Wire(server.url)
            try slow.send(server.request("GET", path))
            let head = try await slow.head()
            #expect(try await server.metric("kith_requests_running") == 1)
            try problem(in: try await server.ask("GET", path), 503, .busy)
            _ = try await slow.read(count: try #require(head["content-length"].flatMap { Int($0) }))
            try await server.waitUntilRunning(0)
            #expect(try await server.ask("GET", path).status == 200)
        }
    }

    @Test("Small answers, and those without a body, give back their places when they are written")
    func smallAnswers() async throws {
        // One address has at most half of the places.
        try await TestServer.run({ $0.limits.requestsAtOnce = 2 }) { server in
            let wire = try Wire(server.url)
            for index in 0..<9 {
                let (method, path, status) = [
                    ("GET", "/v1/countries", 200), ("HEAD", "/v1/countries", 200), ("GET", "/nothing", 404),
                ][index % 3]
                try wire.send("\(method) \(path) HTTP/1.1\r\nHost: kith\r\n\r\n")
                #expect(try await server.reply(on: wire, isHeadOnly: method == "HEAD").status == status)
            }
            try await server.waitUntilRunning(0)
        }
    }

    @Test("Pipelined requests whose answers are not read wait for each other")
    func pipelined() async throws {
        try await TestServer.run({ $0.limits.readingWindow = .seconds(1) }) { server in
            let path = try await publicList(on: server)
            let wire = try Wire(server.url)
            try wire.send(String(repeating: "GET \(path) HTTP/1.1\r\nHost: kith\r\n\r\n", count: 50))
            var most = 0.0
            while try await server.metric(#"kith_connections_closed_total{reason="slowReader"}"#) < 1 {
                most = max(most, try await server.metric("kith_unwritten_bytes"))
                server.clock.advance(.milliseconds(250))
            }
            #expect(most < Double(4 << 20), "One answer of fifty waits.")
            while try await server.metric("kith_unwritten_bytes") >= 100_000 { await Task.yield() }
        }
    }

    @Test(
        "A request that trickles in is given up after its time, even if it was already answered",
        arguments: [
            "POST /v1/sync HTTP/1.1\r\nHost: kith\r\nContent-Length: 100000\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: kith\r\nContent-Length: 100000\r\n\r\n",
            "GET /nothing HTTP/1.1\r\nHost: kith\r\nContent-Length: 100000\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: kith\r\nX-Endless: ",
        ])
    func trickle(request: String) async throws {
        try await TestServer.run({ $0.limits.bodyTime = .seconds(1) }) { server in
            try await trickle(request, to: server)
        }
    }

    @Test("After a refusal for asking too fast, a body that trickles in is not waited for")
    func trickleBehindRefusal() async throws {
        try await TestServer.run({
            $0.limits.bodyTime = .seconds(1)
            $0.limits.address = Rate(perSecond: 0.001, burst: 1)
            $0.limits.refusalPause = .milliseconds(100)
        }) { server in
            #expect(try await server.ask("GET", "/nothing").status == 404)
            try await trickle("GET /nothing HTTP/1.1\r\nHost: kith\r\nContent-Length: 100000\r\n\r\n", to: server)
        }
    }

    private func trickle(_ request: String, to server: TestServer) async throws {
        let wire = try Wire(server.url)
        try wire.send(request)
        let dripping = Task {
            while !Task.isCancelled {
                try wire.send("x")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        try await server.wait(
            for: #"kith_connections_closed_total{reason="slowRequest"}"#, 1, passing: .milliseconds(100))
        dripping.cancel()
        #expect(try await server.ask("GET", "/health").status == 200)
    }

    @Test("One address has at most half of the live streams, and another still gets one")
    func streams() async throws {
        let hub = LiveHub(streamsOfSession: 8, streamsAtOnce: 10)
        let (greedy, other) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("192.0.2.2")))
        func open(_ session: String, _ address: IPAddress) throws -> LiveStream {
            try hub.open(AccountID(UUID()), DeviceID(UUID()), session: session, from: address)
        }
        var streams: [LiveStream] = []
        for index in 0..<5 { streams.append(try open("session \(index)", greedy)) }
        #expect(throws: ServerError.self) { try open("sixth", greedy) }
        let beside = try open("other", other)
        streams.removeLast()
        #expect(hub.count == 5)
        streams.append(try open("again", greedy))
        withExtendedLifetime((streams, beside)) {}
    }

    @Test(
        "Trap: All streams are taken – a device whose own oldest stream ends gets its place, and no stream ends in vain"
    )
    func ownPlace() throws {
        let clock = HandClock()
        let (home, away) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("198.51.100.1")))
        let (account, device) = (AccountID(UUID()), DeviceID(UUID()))
        func open(_ session: String, at address: IPAddress, in hub: LiveHub) throws -> LiveStream {
            try hub.open(account, device, session: session, from: address)
        }

        let small = LiveHub(streamsOfSession: 1, streamsAtOnce: 1, clock: clock.server)
        var first: LiveStream? = try open("ada", at: home, in: small)
        clock.advance(LiveHub.young)
        #expect(throws: ServerError.self) { try open("ben", at: home, in: small) }
        let second = try open("ada", at: away, in: small)
        let hasEnded = first?.take() == nil
        #expect(hasEnded && small.count == 2)
        first = nil
        #expect(small.count == 1)
        // The place is that of the second stream now, and was not given back twice.
        #expect(throws: ServerError.self) { try open("ben", at: home, in: small) }

        let large = LiveHub(streamsOfSession: 1, streamsAtOnce: 4, clock: clock.server)
        let others = [try open("ben", at: away, in: large), try open("cleo", at: away, in: large)]
        let kept = try open("ada", at: home, in: large)
        clock.advance(LiveHub.young)
        // The other address has all the streams that it may have.
        #expect(throws: ServerError.self) { try open("ada", at: away, in: large) }
        #expect(kept.take() != nil)
        withExtendedLifetime((second, others)) {}
    }

    @Test("Requests for the description of the API count against the rate of the address")
    func description() async throws {
        try await TestServer.run({ $0.limits.address = Rate(perSecond: 1, burst: 2) }) { server in
            for _ in 0..<2 { #expect(try await server.ask("GET", "/openapi.json").status == 200) }
            try problem(in: try await server.ask("GET", "/openapi.json"), 429, .tooFast)
        }
    }

    @Test("After an early answer only a limited part of the body is read")
    func longBody() async throws {
        try await TestServer.run({ $0.limits.drained = 10_000 }) { server in
            let wire = try Wire(server.url)
            try wire.send("POST /v1/sync HTTP/1.1\r\nHost: kith\r\nContent-Length: 1000000000\r\n\r\n")
            #expect(try await wire.head().status == 401)
            let flood = Task { while !Task.isCancelled { try wire.send(String(repeating: "x", count: 5_000)) } }
            try await server.wait(for: #"kith_connections_closed_total{reason="longBody"}"#, 1)
            flood.cancel()
        }
    }

    @Test("Trap: A client sends requests without end during its live stream – the connection is closed")
    func requestsDuringStream() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try wire.send(
                "GET /v1/live?device=\(DeviceID(UUID())) HTTP/1.1\r\nHost: kith\r\n"
                    + "Authorization: Bearer \(session.token)\r\n\r\n")
            #expect(try await wire.head().status == 200)
            let requests = String(repeating: "GET /health HTTP/1.1\r\nHost: kith\r\n\r\n", count: 100)
            let flood = Task { while !Task.isCancelled { try wire.send(requests) } }
            try await server.wait(for: #"kith_connections_closed_total{reason="longBody"}"#, 1)
            flood.cancel()
            _ = try? await flood.value
        }
    }

    @Test("One address has a limited number of connections; a trusted proxy has no limit", arguments: [false, true])
    func connections(isTrusted: Bool) async throws {
        try await TestServer.run({
            $0.limits.connectionsOfAddress = 3
            if isTrusted { $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self) }
        }) { server in
            var wires: [Wire] = []
            for _ in 0..<3 {
                let wire = try Wire(server.url)
                try wire.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n")
                #expect(try await wire.head().status == 200)
                wires.append(wire)
            }
            let fourth = try Wire(server.url)
            try? fourth.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n")
            let status = try? await fourth.head().status
            #expect(isTrusted ? status == 200 : status == nil || status == 503)
        }
    }

    @Test(
        "A session with much recent work waits, and a second one of the address does not; a third waits for the address"
    )
    func work() async throws {
        try await TestServer.run({
            $0.limits.sessionWork = Rate(perSecond: 1, burst: 100)
            $0.limits.addressWork = Rate(perSecond: 1, burst: 250)
        }) { server in
            var devices: [TestDevice] = []
            for _ in 0..<3 { devices.append(TestDevice(try await server.newSession())) }
            for index in 0..<2 {
                let list = try await devices[index].makeList("Work", with: server)
                let items = (1...120).map {
                    devices[index].mutation(
                        Int64($0), .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
                }
                try await devices[index].sync(items, with: server)
                let refused = try await server.ask("GET", "/v1/session", token: devices[index].session.token)
                try problem(in: refused, 429, .tooFast)
            }
            let refused = try await server.ask("GET", "/v1/session", token: devices[2].session.token)
            try problem(in: refused, 429, .tooFast)
            server.clock.advance(.seconds(60))
            #expect(try await server.ask("GET", "/v1/session", token: devices[2].session.token).status == 200)
            #expect(!server.log.text.contains("info Too many"), "They are counted, and not logged one by one.")
            let metrics = String(decoding: try await server.ask("GET", "/metrics").body, as: UTF8.self)
            #expect(metrics.contains(#/kith_requests_total\{.*status="429".*\} 3/#))
        }
    }

    @Test("A few records count as large work, too, if they are large")
    func heavyRecords() async throws {
        try await TestServer.run({ $0.limits.sessionWork = Rate(perSecond: 1, burst: 20) }) { server in
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Work", with: server)
            let comment = FieldValue.text(String(repeating: "x", count: 2_000))
            for _ in 0..<10 {
                server.clock.advance(.seconds(60))
                let items = (1...10).map {
                    device.mutation(
                        Int64($0), .items, UUID(), in: list,
                        set: ["title": "Tea", "position": "a0", "comment": comment])
                }
                try await device.sync(items, with: server)
            }
            server.clock.advance(.seconds(60))
            var tablet = TestDevice(device.session)
            // 200 KB. The first 64 KiB are a small answer; the rest are some 34 units.
            while try await tablet.sync(with: server).more {}
            let refused = try await server.ask("GET", "/v1/session", token: device.session.token)
            try problem(in: refused, 429, .tooFast)
        }
    }
}

extension TestServer {
    /// The value of a metric.
    func metric(_ name: String) async throws -> Double {
        let text = String(decoding: try await ask("GET", "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) } ?? 0
    }

    /// Waits until a metric has reached a value, while time passes on the server's clock.
    func wait(for name: String, _ value: Double, passing time: Duration = .zero) async throws {
        while try await metric(name) < value {
            clock.advance(time)
            await Task.yield()
        }
    }
}
