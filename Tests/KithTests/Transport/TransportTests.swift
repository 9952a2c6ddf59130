import Foundation
import Kith
import KithModel
import Testing

@Suite("HTTP to the server")
struct TransportTests {
    @Test("A request ends, whenever it is cancelled", .timeLimit(.minutes(15)))
    func cancelledAtEveryMoment() async throws {
        let server = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        let transport = SystemTransport(server: server.url())
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let count = 200
        for attempt in 0..<count {
            // A task of its own: one that never ended would hold up a group, and with it the time limit.
            let request = Task {
                do {
                    _ = try await transport.send(TransportRequest(method: "GET", path: "/ready"))
                } catch {
                    #expect(error is CancellationError)
                }
                end.yield()
            }
            // The cancellation is to meet every step of the exchange.
            try await Task.sleep(for: .microseconds(attempt * 12))
            request.cancel()
        }
        var ended = 0
        for await _ in ends {
            ended += 1
            if ended == count { break }
        }
        #expect(ended == count)
    }

    @Test("A server that cannot be reached is offline")
    func unreachable() async throws {
        let transport = SystemTransport(server: try #require(URL(string: "http://127.0.0.1:1")))
        let thrown = await #expect(throws: KithError.self) {
            try await transport.send(TransportRequest(method: "GET", path: "/ready"))
        }
        let error = try #require(thrown)
        #expect(error.code == .offline && error.isUnreachable)
        // Its sentence does not make an error one of these.
        #expect(!KithError(.offline, error.sentence).isUnreachable)
    }

    /// Whether requests go straight to their hosts. A proxy would look up the names.
    private static let isDirect = ["http_proxy", "all_proxy", "ALL_PROXY"].allSatisfy {
        ProcessInfo.processInfo.environment[$0, default: ""].isEmpty
    }

    @Test(
        "Trap: A mistyped host is said to be a server that is away – the error says that it cannot be found",
        .enabled(if: TransportTests.isDirect, "A proxy looks up the host."))
    func unknownHost() async throws {
        // No resolver is asked for a label of more than 63 letters.
        let host = String(repeating: "a", count: 64) + ".example"
        let transport = SystemTransport(server: try #require(URL(string: "http://\(host)")))
        let error = await #expect(throws: KithError.self) {
            try await transport.send(TransportRequest(method: "GET", path: "/ready"))
        }
        #expect(error?.code == .offline && error?.isUnreachable == false)
        #expect(error?.sentence == "The host \(host) cannot be found. Check the address and the network.")
    }

    @Test(
        "Trap: A server without TLS is said to be away if its address begins with https: – the error says what is wrong"
    )
    func withoutTLS() async throws {
        let listener = try ListeningSocket()
        Thread.detachNewThread {
            let connection = LoopbackServer.Connection(descriptor: accept(listener.descriptor, nil, nil))
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let address = "https://127.0.0.1:\(listener.port)"
        let transport = SystemTransport(server: try #require(URL(string: address)))
        let error = await #expect(throws: KithError.self) {
            try await transport.send(TransportRequest(method: "GET", path: "/ready", token: "secret"))
        }
        #expect(error?.code == .offline && error?.isUnreachable == false)
        #expect(
            error?.sentence.hasPrefix("The server at \(address) does not answer with TLS, so nothing was sent.") == true
        )
    }

    @Test("A refused stream ends with the reason, however long the refusal is")
    func refusedStream() async throws {
        let head = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try LoopbackServer(head + "2\r\n{}\r\n")
        let transport = SystemTransport(server: server.url())
        let error = await #expect(throws: KithError.self) {
            for try await _ in transport.events(TransportRequest(method: "GET", path: "/v1/live")) {}
        }
        #expect(error?.code == .busy && error?.retryAfter == .seconds(7))
    }

    @Test("A stream yields events as they arrive, and ends when nobody listens any more", .timeLimit(.minutes(15)))
    func stream() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\nevent: changed\n")
            connection.write("data: {\"feeds\":[]}\n\n")
            // The client hangs up.
            if connection.hearsAnything(within: 600_000) { end.yield() }
            return false
        }
        let transport = SystemTransport(server: server.url())
        for try await event in transport.events(TransportRequest(method: "GET", path: "/v1/live")) {
            #expect(event.name == "changed" && event.data == "{\"feeds\":[]}")
            break
        }
        for await _ in ends { break }
    }

    @Test("Trap: A token follows a redirect to another server – the error names the address instead")
    func redirect() async throws {
        let elsewhere = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        let target = elsewhere.url("/ready")
        let server = try LoopbackServer(
            "HTTP/1.1 308 Permanent Redirect\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
        let transport = SystemTransport(server: server.url())
        let error = await #expect(throws: KithError.self) {
            try await transport.send(TransportRequest(method: "POST", path: "/v1/sync", token: "secret"))
        }
        #expect(error?.code == .malformed && error?.description.contains("\(target)") == true)
        #expect(elsewhere.asked.isEmpty)
    }

    @Test("The address that a redirect leads to is that of the server, without the path of the request")
    func redirectedServer() async throws {
        for location in ["https://kith.example/base/v1/sync", "//kith.example/base/v1/sync"] {
            let server = try LoopbackServer(
                "HTTP/1.1 301 Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
            let transport = SystemTransport(server: server.url())
            let error = await #expect(throws: KithError.self) {
                try await transport.send(TransportRequest(method: "POST", path: "/v1/sync", token: "secret"))
            }
            #expect(error?.description.contains("://kith.example/base. Use that address") == true)
        }
    }

    @Test(
        "Trap: A network redirects to its page to sign in – the page is not recommended as the server's address",
        arguments: ["https://portal.example/", "https://portal.example/login?for=http://kith.example/v1/sync"])
    func redirectedToPage(location: String) async throws {
        let server = try LoopbackServer("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        let transport = SystemTransport(server: server.url())
        let error = await #expect(throws: KithError.self) {
            try await transport.send(TransportRequest(method: "POST", path: "/v1/sync", token: "secret"))
        }
        #expect(error?.sentence.contains("redirects to \(location). Check the address") == true)
    }
}
