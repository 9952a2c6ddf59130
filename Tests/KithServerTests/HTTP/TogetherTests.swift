import Foundation
import KithModel
import KithServer
import Testing

@Suite("All clients together, from any number of addresses,", .timeLimit(.minutes(15)))
struct TogetherTests {
    private static let proxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
    private static let cutOff = #"kith_connections_closed_total{reason="unwritten"}"#

    /// What a proxy says of the client of this number.
    private func forwarded(_ client: Int) -> [String: String] { ["X-Forwarded-For": "192.0.2.\(client)"] }

    @Test("may send a limited number of body bytes at once: beyond it a large body is refused, a small one is accepted")
    func bodies() async throws {
        try await TestServer.run({
            $0.limits.bodiesInAll = 1 << 20
            $0.trustedProxies = Self.proxies
        }) { server in
            var device = TestDevice(try await server.newSession())
            let token = device.session.token
            func headers(_ client: Int) -> [String: String] {
                forwarded(client).merging(["Content-Type": "application/json"]) { $1 }
            }
            func spaces(_ count: Int) -> Data { Data(repeating: UInt8(ascii: " "), count: count) }
            let lengths = [400_000, 100_000]
            var slow: [Wire] = []
            for (client, length) in lengths.enumerated() {
                let wire = try Wire(server.url)
                try wire.send(
                    server.request("POST", "/v1/sync", token: token, headers: headers(client), length: length))
                slow.append(wire)
            }
            try await server.wait(for: "kith_body_bytes", 500_000)

            let large = try JSONEncoder().encode(TestDevice(device.session).request()) + spaces(100_000)
            let refused = try await server.ask("POST", "/v1/sync", token: token, headers: headers(9), body: large)
            try problem(in: refused, 503, .busy)
            #expect(refused.head["retry-after"] == "1")
            _ = try await device.makeList("Groceries", with: server)

            for (wire, length) in zip(slow, lengths) {
                try wire.send(spaces(length))
                try problem(in: try await server.reply(on: wire), 400, .malformed)
            }
            while try await server.metric("kith_body_bytes") > 100_000 { await Task.yield() }
            let taken = try await server.ask("POST", "/v1/sync", token: token, headers: headers(9), body: large)
            #expect(taken.status == 200)
        }
    }

    @Test(
        "may leave a limited number of answer bytes unread: a client beyond the limit is disconnected, others are answered"
    )
    func unread() async throws {
        let most = 4 << 20
        try await TestServer.run({
            $0.limits.unwrittenInAll = most
            $0.trustedProxies = Self.proxies
        }) { server in
            var device = TestDevice(try await server.newSession())
            let path = try await server.publicList(of: 500, by: &device)
            let size = try await server.ask("GET", path).body.count
            #expect(size > 1_000_000)
            var readers: [Wire] = []
            for client in 1...20 {
                let reader = try Wire(server.url)
                try reader.send(server.request("GET", path, headers: forwarded(client)))
                readers.append(reader)
            }
            while try await server.metric(Self.cutOff) < 1 {
                #expect(try await server.metric("kith_unwritten_bytes") <= Double(most))
            }
            let session = try await server.ask(
                "GET", "/v1/session", token: device.session.token, headers: forwarded(100))
            #expect(session.status == 200)
            try await device.sync(with: server)

            var whole = 0
            for reader in readers {
                let reply = try? await server.reply(on: reader)
                if reply?.body.count == size { whole += 1 }
            }
            #expect((1..<readers.count).contains(whole))
            #expect(try await server.metric(Self.cutOff) >= Double(readers.count - whole))
            // There is room again, for an answer of any size.
            while try await server.metric("kith_unwritten_bytes") > 100_000 { await Task.yield() }
            let late = try await server.ask("GET", path, headers: forwarded(101))
            #expect(late.status == 200 && late.body.count == size)
        }
    }

    @Test("may have a limited number of unsent bytes on one connection: beyond it only this connection is closed")
    func unreadOfConnection() async throws {
        try await TestServer.run({
            $0.limits.unwrittenOfConnection = 600_000
        }) { server in
            var device = TestDevice(try await server.newSession())
            let path = try await server.publicList(of: 500, by: &device)
            let honest = try Wire(server.url)
            func isAnswered() async throws -> Bool {
                try honest.send("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n")
                return try await server.reply(on: honest).status == 200
            }
            #expect(try await isAnswered())
            let wire = try Wire(server.url)
            try wire.send(server.request("GET", path))
            try await server.wait(for: Self.cutOff, 1)
            await #expect(throws: Wire.Broken.self) { _ = try await server.reply(on: wire) }
            #expect(try await isAnswered())
            try await device.sync(with: server)
            // What it was to be sent takes up nothing any more.
            while try await server.metric("kith_unwritten_bytes") > 100_000 { await Task.yield() }
        }
    }

    @Test(
        "may open a limited number of connections: one address gets at most half, and others are refused until there is room"
    )
    func connections() async throws {
        try await TestServer.run({ $0.limits.connectionsAtOnce = 6 }) { server in
            func isRefused(_ number: UInt32) async throws -> Bool {
                let caller = try Caller(server.url, from: number)
                let status = await caller.health()
                return status == nil || status == 503
            }
            var inside: [Caller] = []
            for number: UInt32 in [2, 2, 2, 3, 4, 5] {
                let caller = try Caller(server.url, from: number)
                #expect(await caller.health() == 200)
                inside.append(caller)
                if inside.count == 3 { #expect(try await isRefused(2)) }
            }
            #expect(try await isRefused(6))
            for caller in inside { #expect(await caller.health() == 200) }
            inside.removeFirst()
            while try await isRefused(6) {}
        }
    }
}

/// A connection from one of the addresses of this machine itself, 127.0.0.2 and so on.
private final class Caller: Sendable {
    private let socket: Int32

    init(_ server: URL, from number: UInt32) throws {
        let port = try #require(server.port.flatMap { UInt16(exactly: $0) })
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let isBound = Self.at(0x7F00_0000 | number, 0) { bind(socket, $0, $1) } == 0
        try #require(isBound)
        let isConnected = Self.at(0x7F00_0001, port) { connect(socket, $0, $1) } == 0
        try #require(isConnected)
    }

    deinit { Glibc.close(socket) }

    /// The status with which the server says that it is alive; nil if the connection was closed without one.
    func health() async -> Int? {
        await withCheckedContinuation { continuation in
            // A blocking call belongs on a thread of its own, not on those that tasks share.
            Thread.detachNewThread { continuation.resume(returning: self.ask()) }
        }
    }

    private func ask() -> Int? {
        let request = Array("GET /health HTTP/1.1\r\nHost: kith\r\n\r\n".utf8)
        guard Glibc.send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var answer: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        // The answer's body is one JSON object; a refusal has none, and the connection ends.
        while answer.last != UInt8(ascii: "}") {
            let count = recv(socket, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            answer += bytes.prefix(count)
        }
        let words = String(decoding: answer, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }

    /// Calls the system with an address.
    private static func at(
        _ host: UInt32, _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
