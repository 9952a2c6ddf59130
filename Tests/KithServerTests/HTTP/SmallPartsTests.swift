import Foundation
import HTTPTypes
import KithModel
import KithServer
import Metrics
import Testing

@Suite("Paths lead to endpoints")
struct EndpointTests {
    private let list = ListID(UUID())
    private let link = LinkID(UUID())
    private let person = AccountID(UUID())

    @Test("Each operation of the protocol has its path")
    func paths() {
        let expected: [(HTTPRequest.Method, String, Endpoint)] = [
            (.post, "/v1/sessions", .openSession), (.get, "/v1/session", .showSession),
            (.delete, "/v1/session", .closeSession), (.post, "/v1/sync", .sync), (.get, "/v1/live", .live),
            (.put, "/v1/presence", .setPresence), (.get, "/v1/directory", .searchDirectory),
            (.post, "/v1/lists/\(list)/links", .createLink(list)), (.get, "/v1/lists/\(list)/links", .showLinks(list)),
            (.delete, "/v1/lists/\(list)/links/\(link)", .revokeLink(link, of: list)),
            (.get, "/v1/lists/\(list)/removed", .showRemoved(list)),
            (.delete, "/v1/lists/\(list)/removed/\(person)", .letIn(person, to: list)),
            (.get, "/v1/links/a-_9", .previewLink("a-_9")), (.post, "/v1/links/a/accept", .acceptLink("a")),
            (.get, "/v1/public/a", .showPublicList("a")), (.get, "/health", .health), (.head, "/ready", .ready),
            (.get, "/metrics", .metrics), (.get, "/openapi.json", .description),
        ]
        for (method, path, endpoint) in expected { #expect(Endpoint.find(method, path) == .endpoint(endpoint)) }
    }

    @Test(
        "What is only like a path is none",
        arguments: [
            "", "/", "//health", "/Health", "/health/", "/v1/links/", "/v1/links/a/b", "/v1/links/a%2Fb",
            "/v1/lists/1/links",
            "/v1/public/\(String(repeating: "a", count: 129))", "/v1/links/ä",
        ])
    func strays(path: String) {
        #expect(Endpoint.find(.get, path) == .nothing)
    }

    @Test("Every endpoint is described, under its name and with its method")
    func described() async throws {
        let description = try await TestServer.run { server in
            try await server.ask("GET", "/openapi.json").decoded(as: FieldValue.self)
        }
        guard case .object(let root) = description, case .object(let paths) = root["paths"] else {
            Issue.record("The description has no paths.")
            return
        }
        var count = 0
        for (path, operations) in paths {
            guard case .object(let operations) = operations else { continue }
            let concrete = path.replacing("{list}", with: "\(list)").replacing("{link}", with: "\(link)")
                .replacing("{token}", with: "abc").replacing("{account}", with: "\(list)")
                .replacing("{size}", with: "small").replacing("{sha256}", with: String(repeating: "a0", count: 32))
            for (method, operation) in operations where method != "parameters" {
                guard case .object(let operation) = operation, let name = operation["operationId"]?.text,
                    let method = HTTPRequest.Method(method.uppercased()),
                    case .endpoint(let endpoint) = Endpoint.find(method, concrete)
                else {
                    Issue.record("\(method) \(path) leads nowhere.")
                    continue
                }
                #expect(endpoint.name == name)
                count += 1
            }
        }
        #expect(count == 27)
    }
}

@Suite("Where a request comes from")
struct AddressTests {
    @Test(
        "A range holds what it says",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false), ("0.0.0.0/0", "203.0.113.9", true), ("10.0.0.0/8", "::1", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
            ("127.0.0.0/8", "::ffff:127.0.0.1", true),
        ])
    func ranges(range: String, address: String, isInside: Bool) throws {
        let (range, address) = (try #require(AddressRange(range)), try #require(IPAddress(address)))
        #expect(range.contains(address) == isInside)
    }

    @Test(
        "What is no address is none",
        arguments: ["", "1.2.3", "1.2.3.4.5", "::g", "localhost", "1.2.3.4/33", "1.2.3.4/x"])
    func strays(text: String) {
        #expect(AddressRange(text) == nil)
    }
}

@Suite("Metrics in Prometheus' text form")
struct PrometheusTests {
    @Test("Counters, gauges and histograms are written as Prometheus reads them")
    func text() {
        let registry = PrometheusRegistry()
        registry.describe("cups_total", "Cups of tea.")
        Counter(label: "cups", dimensions: [("kind", "a \"b\"\\\n")], factory: registry).increment(by: 3)
        Counter(label: "cups", dimensions: [("kind", "a \"b\"\\\n")], factory: registry).increment()
        Meter(label: "pot.level", factory: registry).set(0.5)
        let timer = Timer(label: "steep", factory: registry)
        timer.recordMilliseconds(2)
        timer.recordSeconds(99)
        let lines = registry.text.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(5) == [
                "# HELP cups_total Cups of tea.", "# TYPE cups_total counter",
                #"cups_total{kind="a \"b\"\\\n"} 4"#, "# TYPE pot_level gauge", "pot_level 0.5",
            ])
        #expect(lines.contains(#"steep_seconds_bucket{le="0.001"} 0"#))
        #expect(lines.contains(#"steep_seconds_bucket{le="0.0025"} 1"#))
        #expect(lines.contains(#"steep_seconds_bucket{le="10.0"} 1"#))
        #expect(lines.contains(#"steep_seconds_bucket{le="+Inf"} 2"#))
        #expect(lines.contains("steep_seconds_sum 99.002") && lines.contains("steep_seconds_count 2"))
    }

    @Test("What a server did can be read from it")
    func server() async throws {
        try await TestServer.run { server in
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Groceries", with: server)
            let stray = device.mutation(1, .items, UUID(), in: ListID(UUID()), set: ["title": "Tea", "position": "a0"])
            let good = device.mutation(2, .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
            try await device.sync([stray, good], with: server)
            let text = String(decoding: try await server.ask("GET", "/metrics").body, as: UTF8.self)
            for line in [
                #"kith_requests_total{operation="sync",status="200"} 2"#, #"kith_mutations_total{result="applied"} 2"#,
                #"kith_mutations_total{result="rejected"} 1"#, #"kith_sync_rounds_total{device="recognised"} 2"#,
                "kith_live_streams 0.0", "kith_database_errors_total 0",
            ] { #expect(text.contains(line + "\n"), "\(line)") }
        }
    }

    @Test("Every metric that Operations names is told") func named() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "Documentation/Operations.md"), encoding: .utf8)
        let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Metrics") })
        let names = section.matches(of: /`(kith_[a-z_]+)`/).map { String($0.1) }
        #expect(names.count >= 10)
        try await TestServer.run { server in
            var device = TestDevice(try await server.newSession())
            _ = try await device.makeList("Groceries", with: server)
            let text = String(decoding: try await server.ask("GET", "/metrics").body, as: UTF8.self)
            for name in names { #expect(text.contains("\n\(name)") || text.hasPrefix(name), "\(name)") }
        }
    }
}
