import Foundation
import KithModel
import KithServer
import Testing

@Suite("A server that stops finishes what it has begun", .timeLimit(.minutes(15)))
struct ShutdownTests {
    private let folder = Folder()

    @Test("Live streams end, a running round is answered, new requests are refused, and the database closes last")
    func graceful() async throws {
        let configuration = ServerConfiguration.patient
        let order = Order()
        let server = KithServer(
            configuration, database: try SQLiteDatabase.inMemory(), whenStopped: { await order.add("closed") })
        try await server.serving { url in
            let test = TestServer(url: url)
            let session = try await test.newSession()
            let device = TestDevice(session)
            let stream = try await test.live(session, device.id)
            let body = try JSONEncoder().encode(device.request())
            let slow = try Wire(url)
            let headers = ["Content-Type": "application/json"]
            try slow.send(test.request("POST", "/v1/sync", token: session.token, headers: headers, length: body.count))
            try slow.send(body.prefix(10))
            try await test.waitUntilRunning(1)
            await server.stop()
            #expect(try await stream.chunk().isEmpty)
            #expect(try await stream.isAtEnd())
            await order.add("ended")
            while (try? Wire(url)) != nil { await Task.yield() }
            await order.add("deaf")
            // Until its rest is sent the round is under way; once it is answered, nobody can say who hears of it first.
            await order.add("sent")
            try slow.send(Data(body.dropFirst(10)))
            let reply = try await test.reply(on: slow)
            #expect(reply.status == 200)
            #expect(try reply.decoded(as: SyncAnswer.self).account == session.account)
        }
        #expect(await order.all == ["ended", "deaf", "sent", "closed"])
    }

    @Test("Requests that do not end in the grace period are cut off, and the database still closes")
    func shutdownGrace() async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.shutdownGrace = .milliseconds(100)
        let (order, log) = (Order(), LogKeeper())
        let server = KithServer(
            configuration, database: try SQLiteDatabase.inMemory(), logger: log.logger,
            whenStopped: { await order.add("closed") })
        try await server.serving { url in
            let test = TestServer(url: url)
            let session = try await test.newSession()
            let body = try JSONEncoder().encode(TestDevice(session).request())
            let endless = try Wire(url)
            let headers = ["Content-Type": "application/json"]
            try endless.send(
                test.request("POST", "/v1/sync", token: session.token, headers: headers, length: body.count))
            try endless.send(body.prefix(10))
            try await test.waitUntilRunning(1)
            await server.stop()
            // The rest never comes, so neither does an answer, unless it says that it is none.
            let status = try? await test.reply(on: endless).status
            #expect(status.map { $0 >= 500 } ?? true)
        }
        #expect(await order.all == ["closed"])
        #expect(!log.text.contains("code=internal"), "\(log.text)")
    }

    @Test("A server with a wrong setting does not start, and closes its database") func wrongSetting() async throws {
        var configuration = ServerConfiguration.patient
        // The address of the provider is missing.
        configuration.messages.smsAccount = "kith"
        let order = Order()
        let server = KithServer(
            configuration, database: try SQLiteDatabase.inMemory(), whenStopped: { await order.add("closed") })
        let error = await #expect(throws: ServerError.self) { try await server.run() }
        #expect(error?.code == .malformed)
        #expect(await order.all == ["closed"])
    }

    @Test("Idle connections are closed, except for live streams, which have heartbeats")
    func idle() async throws {
        #expect(ServerConfiguration().idle == .seconds(60))
        try await TestServer.run({
            $0.idle = .seconds(2)
            $0.heartbeat = .milliseconds(100)
        }) { server in
            let session = try await server.newSession()
            let stream = try await server.live(session, DeviceID(UUID()))
            let (silent, half) = (try Wire(server.url), try Wire(server.url))
            try half.send("POST /v1/sync HTTP/1.1\r\nHost: kith\r\n")
            let passing = Task {
                while !Task.isCancelled {
                    server.clock.advance(.milliseconds(500))
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            defer { passing.cancel() }
            #expect(try await silent.isAtEnd())
            await #expect(throws: Wire.Broken.self) { try await half.head() }
            for _ in 0..<25 { #expect(try await stream.chunk() == Data(": still here\n\n".utf8)) }
        }
    }

    @Test("While it closes it is not ready, and lets no request in")
    func closing() async throws {
        let gate = Gate(ServerLimits(), clock: .system)
        let address = try #require(IPAddress("192.0.2.1"))
        let place = try gate.enter(address)
        gate.close()
        #expect(throws: ServerError.self) { try gate.enter(address) }
        #expect(gate.isClosing && gate.running == 1)
        place.leave()
        place.leave()
        #expect(gate.running == 0)
        let hub = LiveHub(streamsOfSession: 8, streamsAtOnce: 8)
        hub.close()
        #expect(throws: ServerError.self) {
            try hub.open(AccountID(UUID()), DeviceID(UUID()), session: "s", from: address)
        }
    }

    @Test("The error about a port in use is one sentence with advice")
    func portInUse() async throws {
        try await TestServer.run { first in
            var configuration = ServerConfiguration()
            configuration.port = try #require(first.url.port)
            let second = KithServer(configuration, database: try SQLiteDatabase.inMemory())
            let error = await #expect(throws: ServerError.self) { try await second.serving { _ in } }
            #expect(error?.code.rawValue == "cannotListen")
            #expect(error?.sentence.contains("Port \(configuration.port) is already in use") == true)
            #expect(try await first.ask("GET", "/health").status == 200)
        }
    }

    @Test("The error about a missing database folder is one sentence that names the folder")
    func noFolder() async {
        var configuration = ServerConfiguration()
        configuration.database = "/nowhere/to/be/found/kith.sqlite"
        let error = await #expect(throws: ServerError.self) { try await KithServer.open(configuration) }
        #expect(error?.sentence.contains("/nowhere/to/be/found") == true)
    }

    @Test("Acknowledged edits exist after a restart")
    func restart() async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.database = folder.database
        let (session, list) = try await KithServer.open(configuration).serving { url in
            let test = TestServer(url: url)
            var device = TestDevice(try await test.newSession())
            let list = try await device.makeList("Groceries", with: test)
            return (device.session, list)
        }
        try await KithServer.open(configuration).serving { url in
            let test = TestServer(url: url)
            var device = TestDevice(session)
            let answer = try await device.sync(with: test)
            #expect(answer.feeds.contains { $0.feed == list.retyped() })
        }
    }

    private actor Order {
        var all: [String] = []
        func add(_ word: String) { all.append(word) }
    }
}
