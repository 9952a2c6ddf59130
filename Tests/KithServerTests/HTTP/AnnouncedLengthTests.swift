import Foundation
import KithModel
import KithServer
import Testing

@Suite("A body with a too large Content-Length is refused at once", .timeLimit(.minutes(15)))
struct AnnouncedLengthTests {
    /// The requests that bring a body.
    enum Target: String, CaseIterable, CustomTestStringConvertible {
        case sync, picture, link, evaluations, buckets, presence

        var testDescription: String { rawValue }

        fileprivate var line: String {
            switch self {
            case .sync: "POST /v1/sync"
            case .picture: "PUT /v1/pictures/\(String(repeating: "ab", count: Secret.size))"
            case .link: "POST /v1/lists/\(UUID().uuidString)/links"
            case .evaluations: "POST /v1/discovery/evaluations"
            case .buckets: "POST /v1/discovery/buckets"
            case .presence: "PUT /v1/presence?device=\(UUID().uuidString)"
            }
        }

        fileprivate var type: String { self == .picture ? "image/png" : "application/json" }

        fileprivate var limit: Int { self == .picture ? Limits.largePicture : Limits.body }
    }

    /// A head without its body. The connection stays open for further requests.
    private static func head(_ line: String, token: String? = nil, type: String, length: String) -> String {
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return "\(line) HTTP/1.1\r\nHost: kith\r\n\(bearer)Content-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Has less room for bodies than the least that is too large, and looks often for requests that take too long.
    private static func restrict(_ configuration: inout ServerConfiguration) {
        configuration.limits.bodiesInAll = 1 << 20
        configuration.limits.bodyTime = .seconds(30)
        configuration.limits.readingWindow = .seconds(1)
    }

    private static let slow = #"kith_connections_closed_total{reason="slowRequest"}"#

    @Test("It gets 413 at once, uses no memory, and its connection is closed", arguments: Target.allCases)
    func refusedAtOnce(target: Target) async throws {
        try await TestServer.run(Self.restrict) { server in
            var device = TestDevice(try await server.newSession())
            var wires: [Wire] = []
            for length in [target.limit + 1, 1 << 40, Int.max] {
                let wire = try Wire(server.url)
                try wire.send(
                    Self.head(
                        target.line, token: device.session.token, type: target.type, length: String(length)))
                try problem(in: try await server.reply(on: wire), 413, .tooLarge)
                #expect(try await server.bodyBytes() == 0)
                wires.append(wire)
            }
            // While these connections wait, others have the whole room.
            _ = try await device.makeList("Groceries", with: server)
            try await server.wait(for: Self.slow, Double(wires.count), passing: .seconds(10))
            for wire in wires { #expect(try await wire.isAtEnd()) }
            #expect(try await server.bodyBytes() == 0)
        }
    }

    @Test(
        "A request without a session is answered before its body, uses no memory, and its connection is closed",
        arguments: [
            ("POST /v1/sync", 401), ("PUT /v1/presence?device=x", 401), ("POST /v1/sessions", 201),
            ("GET /v1/links/none", 404), ("POST /nothing", 404), ("GET /health", 200),
        ])
    func withoutSession(line: String, status: Int) async throws {
        try await TestServer.run(Self.restrict) { server in
            let wire = try Wire(server.url)
            try wire.send(Self.head(line, type: "application/json", length: String(Limits.body + 1)))
            #expect(try await server.reply(on: wire).status == status)
            #expect(try await server.bodyBytes() == 0)
            try await server.wait(for: Self.slow, 1, passing: .seconds(10))
            #expect(try await wire.isAtEnd())
        }
    }

    @Test("A length that is too large for a signed number of 64 bits is refused at once, too")
    func beyondSigned() async throws {
        try await TestServer.run({ $0.limits.bodyTime = .seconds(2) }) { server in
            let session = try await server.newSession()
            let wire = try Wire(server.url)
            try wire.send(
                Self.head(
                    "POST /v1/sync", token: session.token, type: "application/json", length: "9223372036854775808"))
            let status = try await server.reply(on: wire).status
            #expect([400, 413].contains(status))
        }
    }

    @Test("A body within the limit reserves memory while it arrives, and releases it when its client disconnects")
    func counted() async throws {
        try await TestServer.run(Self.restrict) { server in
            let session = try await server.newSession()
            var wire: Wire? = try Wire(server.url)
            try wire?.send(
                Self.head("POST /v1/sync", token: session.token, type: "application/json", length: "1000") + "{")
            try await server.wait(for: "kith_body_bytes", 1_000)
            #expect(try await server.bodyBytes() == 1_000)
            wire = nil
            while try await server.bodyBytes() > 0 { await Task.yield() }
        }
    }
}

extension TestServer {
    /// How many bytes of bodies the server says that it has room taken for.
    fileprivate func bodyBytes() async throws -> Double {
        let text = String(decoding: try await ask("GET", "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("kith_body_bytes ") }
        return try #require(line?.split(separator: " ").last.flatMap { Double($0) })
    }
}
