import Foundation
import HTTPTypes
import KithModel
import KithServer
import Metrics
import Testing

@Suite("The address of a request")
struct AddressTests {
    @Test(
        "A range contains exactly its addresses",
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

@Suite("The network of an address") struct AddressNetworkTests {
    @Test(
        "Limits apply to 24 bits of IPv4 and 56 bits of IPv6; an IPv4 address inside IPv6 is an IPv4 address",
        arguments: [
            ("203.0.113.0", "203.0.113.0"), ("203.0.113.255", "203.0.113.0"), ("203.0.114.1", "203.0.114.0"),
            ("::ffff:203.0.113.77", "203.0.113.0"), ("::ffff:cb00:714d", "203.0.113.0"),
            ("2001:db8:1:2ff:a:b:c:d", "2001:db8:1:200::"), ("2001:db8:1:200::1", "2001:db8:1:200::"),
            ("2001:db8:1:300::1", "2001:db8:1:300::"), ("2001:db8:1:1ff::1", "2001:db8:1:100::"),
            ("fe80::1%eth0", "fe80::"), ("::1", "::"), ("127.0.0.1", "127.0.0.0"),
        ])
    func network(address: String, network: String) throws {
        #expect(try #require(IPAddress(address)).network.text == network)
    }

    @Test("Requests are limited by the whole IPv4 address, and by 64 bits of IPv6")
    func limitedAddress() throws {
        func limited(_ text: String) throws -> IPAddress { try #require(IPAddress(text)).limitedAddress }
        #expect(try limited("203.0.113.1") != limited("203.0.113.2"))
        #expect(try limited("::ffff:203.0.113.1") == limited("203.0.113.1"))
        #expect(try limited("2001:db8:1:2::1") == limited("2001:db8:1:2:ffff::9"))
        #expect(try limited("2001:db8:1:2::1") != limited("2001:db8:1:3::1"))
    }
}

@Suite("Metrics in Prometheus' text form")
struct PrometheusTests {
    @Test("Counters, gauges and histograms are written in Prometheus' format")
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

    @Test("The metrics show what a server has done")
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

    @Test("The server reports every metric that Operations names") func named() async throws {
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
