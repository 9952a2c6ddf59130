import Foundation
import KithModel
import KithServer
import Testing

@Suite("Bodies are compressed if the client accepts that")
struct GzipTests {
    @Test("Compressed data is decompressed to the same bytes", arguments: [0, 1, 1_000, 100_000, 3_000_000])
    func roundTrip(size: Int) throws {
        var random = SplitMix64(seed: UInt64(size))
        let data = Data((0..<size).map { _ in UInt8.random(in: 0..<20, using: &random) })
        let compressed = try Gzip.compress(data)
        #expect(compressed.starts(with: [0x1F, 0x8B]))
        #expect(try Gzip.expand(compressed, limit: size) == data)
        if size > 0 { #expect(throws: Gzip.Fault.tooLarge) { try Gzip.expand(compressed, limit: size - 1) } }
        for cut in [0, 5, compressed.count / 2, compressed.count - 1] {
            #expect(throws: Gzip.Fault.damaged) { try Gzip.expand(compressed.prefix(cut), limit: size + 1) }
        }
    }

    @Test(
        "An answer is compressed if it is large and the client accepts it",
        arguments: [
            ("gzip", true), ("deflate, gzip;q=0.5, br", true), ("GZIP", true), ("gzip;q=0", false), ("br", false),
            (nil, false),
        ] as [(String?, Bool)])
    func answers(accepted: String?, isCompressed: Bool) async throws {
        try await TestServer.run { server in
            let headers = accepted.map { ["Accept-Encoding": $0] } ?? [:]
            let plain = try await server.ask("GET", "/openapi.json")
            let large = try await server.ask("GET", "/openapi.json", headers: headers)
            #expect((large.head["content-encoding"] == "gzip") == isCompressed)
            #expect(large.head["vary"] == "Accept-Encoding")
            let body = isCompressed ? try Gzip.expand(large.body, limit: 1_000_000) : large.body
            #expect(body == plain.body)
            if isCompressed { #expect(large.body.count * 3 < plain.body.count) }
            let small = try await server.ask("GET", "/health", headers: headers)
            #expect(small.head["content-encoding"] == nil)
        }
    }

    @Test("Bytes after the end of gzip data are refused") func trailing() async throws {
        let compressed = try Gzip.compress(Data("{}".utf8))
        #expect(throws: Gzip.Fault.trailing) { try Gzip.expand(compressed + [0], limit: 100) }
        #expect(throws: Gzip.Fault.trailing) { try Gzip.expand(compressed + compressed, limit: 100) }
        try await TestServer.run { server in
            let session = try await server.newSession()
            let body = try Gzip.compress(try JSONEncoder().encode(TestDevice(session).request())) + Data("{}".utf8)
            let headers = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
            let reply = try await server.ask("POST", "/v1/sync", token: session.token, headers: headers, body: body)
            let problem = try problem(in: reply, 400, .malformed)
            #expect(problem.path == "$" && problem.detail.contains("after the end of the gzip data"))
        }
    }

    @Test(
        "A large body is charged by its bytes; a few that expand to many, as what they expand to",
        arguments: [true, false])
    func large(isCompressed: Bool) async throws {
        try await TestServer.run({ $0.limits.sessionWork = Rate(perSecond: 1, burst: 400) }) { server in
            let session = try await server.newSession()
            let json = #"{"x":["# + String(repeating: "{},", count: 300_000) + "{}]}"
            let body = isCompressed ? try Gzip.compress(Data(json.utf8)) : Data(json.utf8)
            #expect(!isCompressed || body.count < 4_000)
            var headers = ["Content-Type": "application/json"]
            if isCompressed { headers["Content-Encoding"] = "gzip" }
            var statuses: [Int] = []
            for _ in 0..<3 {
                statuses.append(
                    try await server.ask("PUT", "/v1/session", token: session.token, headers: headers, body: body)
                        .status)
            }
            #expect(statuses == [204, 204, 429])
        }
    }

    @Test("A round may be sent compressed")
    func requests() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let body = try Gzip.compress(try JSONEncoder().encode(TestDevice(session).request()))
            let headers = ["Content-Type": "application/json; charset=utf-8", "Content-Encoding": "gzip"]
            let reply = try await server.ask("POST", "/v1/sync", token: session.token, headers: headers, body: body)
            #expect(reply.status == 200)
        }
    }
}
