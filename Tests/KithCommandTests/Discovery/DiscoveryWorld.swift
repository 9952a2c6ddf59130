import Foundation
import Kith
import KithModel
import KithServer
import Logging
import Synchronization
import Testing

/// A real server over a database in a file, at trace logging, with a clock in a test's hand; and devices that reach it
/// over HTTP.
struct DiscoveryWorld: Sendable {
    let server: URL
    let database: SQLiteDatabase
    let keys: DiscoveryKeys
    let folder: Folder
    let clock: TestClock
    let log: LogLines

    /// Serves while `body` runs.
    static func run(
        evaluationsADay: Int = 20_000, _ body: (DiscoveryWorld) async throws -> Void
    ) async throws {
        let (folder, clock, log) = (try Folder(), TestClock(), LogLines())
        let path = folder.file("server.sqlite").path()
        var configuration = ServerConfiguration()
        (configuration.port, configuration.logLevel) = (0, .trace)
        configuration.limits.evaluationsADay = evaluationsADay
        configuration.limits.session = Rate(perSecond: 100_000, burst: 100_000)
        let database = try SQLiteDatabase(path: path)
        let keys = DiscoveryKeys(file: folder.file("server.sqlite.discovery-key"))
        let server = KithServer(
            configuration, database: database, discoveryKeys: keys, clock: clock.server, logger: log.logger)
        try await server.serving { url in
            try await body(
                DiscoveryWorld(server: url, database: database, keys: keys, folder: folder, clock: clock, log: log))
        }
    }

    /// Somebody who joins, with these numbers and emails.
    @discardableResult
    func join(_ identities: String..., account: AccountID? = nil) async throws -> AccountID {
        let account =
            if let account { account } else {
                try await SessionService(database: database).open(at: clock.now).account
            }
        for text in identities {
            let identity = try #require(Identity(text))
            try await change { _ = try $0.add(identity, to: account, in: $1) }
        }
        return account
    }

    func change(_ body: @escaping @Sendable (IdentityRegister, any Transaction) throws -> Void) async throws {
        let directory = IdentityRegister(keys: try keys.all(), at: clock.now)
        try await database.write { try body(directory, $0) }
    }

    /// Does what the server does in the background.
    func keepUp() async throws { try await DiscoveryUpkeep(database: database, keys: keys).run(at: clock.now) }

    /// A device with these people in its address book, each a name and a number or email.
    func device(_ people: [(String, String)], _ name: String = "device") async throws -> Seeking {
        let transport = Line(URLSessionTransport(server: server))
        var configuration = KithConfiguration(storage: .inMemory)
        configuration.transport = transport
        configuration.region = Region("AT")
        configuration.postsNotifications = false
        let clock = clock
        configuration.surroundings = Surroundings(now: { clock.now }, random: RandomSource(SplitMix64(seed: 4)))
        let device = Seeking(
            client: try KithClient(configuration), line: transport, book: folder.file("\(name).vcf"))
        try device.write(people)
        try await device.client.addressBook.addSource(.vCardFile(device.book))
        return device
    }
}

/// A device that looks for people.
struct Seeking: Sendable {
    let client: KithClient
    let line: Line
    let book: URL

    var discovery: Discovery { client.discovery }

    /// Makes the address book anew.
    func write(_ people: [(String, String)]) throws {
        let cards = people.map { name, value in
            let line = value.contains("@") ? "EMAIL:\(value)" : "TEL:\(value)"
            return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\(name)\r\n\(line)\r\nEND:VCARD\r\n"
        }
        try Data(cards.joined().utf8).write(to: book, options: .atomic)
    }

    /// Makes the address book anew, and has it read.
    func setBook(_ people: [(String, String)]) async throws {
        try write(people)
        client.addressBook.reload()
        _ = try await client.addressBook.loaded()
    }

    /// The names of those who are shown as being on the service.
    var found: Set<String> {
        Set((client.addressBook.contacts ?? []).filter(\.isOnService).map(\.displayName))
    }
}

/// A way to the server that counts what goes over it, and breaks when a test says so.
final class Line: Transport {
    private struct State {
        var requests: [String] = []
        var intact = Int.max
    }

    private let transport: any Transport
    private let state = Mutex(State())

    init(_ transport: any Transport) { self.transport = transport }

    /// The paths that were asked for since this was last read.
    func taken() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests.filter { $0.hasPrefix("/v1/discovery") }
        }
    }

    /// Breaks after so many requests more.
    func breaks(after count: Int) { state.withLock { $0.intact = count } }

    func mend() { state.withLock { $0.intact = .max } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let isIntact = state.withLock { state in
            state.requests.append(request.path)
            state.intact -= 1
            return state.intact >= 0
        }
        guard isIntact else { throw KithError(.offline, "The line is broken.") }
        return try await transport.send(request)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        transport.events(request)
    }
}

/// A clock that moves when a test says so, for the server and its devices.
final class TestClock: Sendable {
    private let elapsed = Mutex(Duration.zero)

    var now: Timestamp { Timestamp(milliseconds: 1_800_014_400_000) + elapsed.withLock(\.self) }
    func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }
    var server: ServerClock {
        // What comes again and again comes once: a test does it by hand.
        ServerClock(
            time: { self.now }, uptime: { self.elapsed.withLock(\.self) },
            sleep: { _ in try await Task.sleep(for: .days(1)) })
    }
}

/// What a server logs, at any level.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            log.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}

/// A way to the server that keeps what is evaluated, as it travels.
final class Wiretap: Transport {
    private let transport: any Transport
    private let kept = Mutex<[Data]>([])

    init(_ transport: any Transport) { self.transport = transport }

    var bodies: [Data] { kept.withLock(\.self) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.path.hasSuffix("evaluations"), let body = request.body { kept.withLock { $0.append(body) } }
        return try await transport.send(request)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        transport.events(request)
    }
}
