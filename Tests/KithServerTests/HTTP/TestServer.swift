import Foundation
import InMemoryLogging
import KithModel
import KithServer
import Logging
import Synchronization
import Testing

#if canImport(FIDO)
    import FIDO
#endif

/// A server under test, on a free port over a database in memory, and the requests to it.
struct TestServer: Sendable {
    let url: URL
    let clock: HandClock
    let log: LogKeeper

    init(url: URL, clock: HandClock = HandClock(), log: LogKeeper = LogKeeper()) {
        self.url = url
        self.clock = clock
        self.log = log
    }

    /// Runs `body` against a server that stops afterwards.
    static func run<Value: Sendable>(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, database: (any Database)? = nil,
        _ body: (TestServer) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration.patient
        change(&configuration)
        let (clock, log) = (HandClock(), LogKeeper())
        let database = try database ?? SQLiteDatabase.inMemory()
        let server = KithServer(
            configuration, database: database, clock: clock.server, logger: log.logger,
            passkeyVerifier: Self.passkeyVerifier)
        return try await server.serving { url in
            try await body(TestServer(url: url, clock: clock, log: log))
        }
    }

    /// Verifies passkeys where the machine has libfido2.
    static var passkeyVerifier: (any PasskeyVerifier)? {
        #if canImport(FIDO)
            FIDOVerifier()
        #else
            nil
        #endif
    }

    /// Sends one request on a connection of its own and reads the whole answer.
    func ask(
        _ method: String, _ path: String, token: String? = nil, headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Reply {
        let wire = try Wire(url)
        try wire.send(request(method, path, token: token, headers: headers, length: body?.count) + (body ?? Data()))
        return try await reply(on: wire, isHeadOnly: method == "HEAD")
    }

    /// Sends a value as JSON.
    func ask(_ method: String, _ path: String, token: String? = nil, json: some Encodable) async throws -> Reply {
        try await ask(
            method, path, token: token, headers: ["Content-Type": "application/json"],
            body: try JSONEncoder().encode(json))
    }

    /// Sends a form.
    func submit(
        _ fields: [(String, String)], to path: String, headers: [String: String] = [:]
    ) async throws -> Reply {
        let type = ["Content-Type": "application/x-www-form-urlencoded"]
        let form = FormFields(fields.map { (name: $0.0, value: $0.1) })
        return try await ask("POST", path, headers: type.merging(headers) { $1 }, body: form.encoded)
    }

    func request(
        _ method: String, _ path: String, token: String? = nil, headers: [String: String] = [:], length: Int? = nil
    ) -> Data {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: kith\r\nConnection: close\r\n"
        if let token { text += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let length { text += "Content-Length: \(length)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    func reply(on wire: Wire, isHeadOnly: Bool = false) async throws -> Reply {
        let head = try await wire.head()
        let count = isHeadOnly ? 0 : head["content-length"].flatMap { Int($0) } ?? 0
        return Reply(head: head, body: try await wire.read(count: count))
    }

    func newSession() async throws -> NewSession {
        let reply = try await ask("POST", "/v1/sessions")
        try #require(reply.status == 201)
        return try reply.decoded()
    }

    /// Opens a live stream and reads its `hello`, and who is there.
    func live(_ session: NewSession, _ device: DeviceID) async throws -> Wire {
        try await meet(session, device).wire
    }

    /// The same, and says who is there.
    func meet(
        _ session: NewSession, _ device: DeviceID, as shown: Presence.State? = nil
    ) async throws -> (wire: Wire, event: PresenceEvent) {
        let wire = try Wire(url)
        let path = "/v1/live?device=\(device)" + (shown.map { "&presence=\($0.rawValue)" } ?? "")
        try wire.send(request("GET", path, token: session.token))
        let head = try await wire.head()
        try #require(head.status == 200)
        try #require(try await wire.event() == Data("event: hello\ndata: {}\n\n".utf8))
        let event = try await wire.presence()
        try #require(event.isWhole)
        return (wire, event)
    }
}

extension Wire {
    /// The next chunk of a live stream that is no heartbeat.
    func event() async throws -> Data {
        while true {
            let chunk = try await chunk()
            if chunk.first != UInt8(ascii: ":") { return chunk }
        }
    }

    /// The next event about people of a live stream. What another server has committed before can be told first.
    func presence() async throws -> PresenceEvent {
        while true {
            let event = try await event()
            try #require(!event.isEmpty)
            if let presence = try presence(in: event) { return presence }
        }
    }

    /// The people in the next event about people of a live stream; other events are skipped.
    func nextPeople() async throws -> [PresenceEvent.Person] {
        while true {
            let event = try await event()
            try #require(!event.isEmpty)
            guard let presence = try presence(in: event) else { continue }
            try #require(!presence.isWhole)
            return presence.people
        }
    }

    /// What an event says about people; nil if it is about something else.
    private func presence(in event: Data) throws -> PresenceEvent? {
        let text = String(decoding: event, as: UTF8.self)
        let head = "event: presence\ndata: "
        guard text.hasPrefix(head) else { return nil }
        try #require(text.hasSuffix("\n\n"))
        return try JSONDecoder().decode(PresenceEvent.self, from: Data(text.dropFirst(head.count).utf8))
    }
}

/// A clock that moves when a test says so.
final class HandClock: Sendable {
    private let elapsed = Mutex(Duration.zero)
    static let start = Timestamp(milliseconds: 1_800_000_000_000)

    func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }

    var now: Duration { elapsed.withLock { $0 } }
    var server: ServerClock { ServerClock(time: { Self.start + self.now }, uptime: { self.now }) }
}

/// Keeps what is logged, for a test to read.
struct LogKeeper: Sendable {
    private let handler = InMemoryLogHandler()

    var text: String {
        handler.entries.map { entry in
            let details = entry.metadata.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            return "\(entry.level) \(entry.message) \(details)"
        }.joined(separator: "\n")
    }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .debug
        return logger
    }
}

/// One device of a test: its numbers, and the rounds that it does.
struct TestDevice: Sendable {
    let id = DeviceID(UUID())
    let session: NewSession
    var acknowledged = Acknowledgement.none
    var token: SyncToken?

    init(_ session: NewSession) { self.session = session }

    func request(_ mutations: [Mutation] = []) -> SyncRequest {
        SyncRequest(
            account: session.account, device: id, acknowledged: acknowledged,
            sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: token)
    }

    func mutation(
        _ offset: Int64, _ collection: RecordCollection, _ record: UUID, in feed: ListID, set: Fields
    ) -> Mutation {
        Mutation(
            id: MutationID(UUID()), number: acknowledged.number + offset, feed: feed.retyped(), collection: collection,
            record: RecordID(record), seen: 0, change: .set(set))
    }

    /// Does one round, and keeps what it brings.
    @discardableResult
    mutating func sync(_ mutations: [Mutation] = [], with server: TestServer) async throws -> SyncAnswer {
        let reply = try await server.ask("POST", "/v1/sync", token: session.token, json: request(mutations))
        try #require(reply.status == 200)
        let answer: SyncAnswer = try reply.decoded()
        acknowledged = answer.acknowledged
        token = answer.token
        return answer
    }

    /// Makes a list of one's own.
    mutating func makeList(_ name: String, with server: TestServer) async throws -> ListID {
        let list = ListID(UUID())
        let answer = try await sync(
            [mutation(1, .lists, list.uuid, in: list, set: ["name": .text(name)])], with: server)
        try #require(answer.outcomes.isEmpty)
        return list
    }
}

extension ServerConfiguration {
    /// On a free port, and in no hurry: on a busy machine a test may stand still for a minute.
    static var patient: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.port = 0
        // Whoever waits for the end of a stream is not to hear a heartbeat instead.
        configuration.heartbeat = .seconds(3600)
        configuration.idle = .seconds(600)
        configuration.shutdownGrace = .seconds(600)
        configuration.limits.bodyTime = .seconds(600)
        configuration.limits.refusalPause = .zero
        // A test that waits for a metric asks as often as it can, while the clock may stand still.
        configuration.limits.operating = Rate(perSecond: 1_000_000, burst: 1_000_000)
        return configuration
    }
}
