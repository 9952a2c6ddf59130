import Foundation
import InMemoryLogging
import Kith
import KithAddressBook
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
        let (folder, clock, log) = (Folder(), TestClock(), LogLines())
        let path = folder.file("server.sqlite").path()
        var configuration = ServerConfiguration()
        (configuration.port, configuration.logLevel) = (0, .trace)
        configuration.limits.evaluationsADay = evaluationsADay
        configuration.limits.session = Rate(perSecond: 100_000, burst: 100_000)
        let database = try SQLiteDatabase(path: path)
        let keys = DiscoveryKeys(file: folder.file("server.sqlite.discovery-key"))
        let server = KithServer(
            ServerDependencies(
                configuration, ServerDatabase(database), discoveryKeys: keys, clock: clock.server, logger: log.logger))
        try await server.serving { url in
            try await body(
                DiscoveryWorld(server: url, database: database, keys: keys, folder: folder, clock: clock, log: log))
        }
    }

    /// Serves a backup of the database, restored as the operator's guide says, while `body` runs.
    func restored(_ backup: SQLiteDatabase, _ body: (DiscoveryWorld) async throws -> Void) async throws {
        try backup.newEpoch()
        var configuration = ServerConfiguration()
        configuration.port = 0
        let server = KithServer(
            ServerDependencies(
                configuration, ServerDatabase(backup), discoveryKeys: keys, clock: clock.server, logger: log.logger))
        try await server.serving { url in
            try await body(
                DiscoveryWorld(server: url, database: backup, keys: keys, folder: folder, clock: clock, log: log))
        }
    }

    /// Writes so many entries that nobody knows into the database, as if so many had joined.
    func crowd(_ count: Int) async throws {
        let now = clock.now
        try await database.write { transaction in
            var random = SplitMix64(seed: 7)
            let key = try transaction.query("SELECT id, sequence FROM discovery_key")[0]
            let (id, first) = (try key.text(0), try key.integer(1))
            try transaction.insert(
                into: "evaluation", ["discovery_key", "prefix", "tag", "masked", "sequence", "changed", "gone"],
                (1...count).map { index in
                    [
                        .text(id), .integer(Int64(bitPattern: random.next())),
                        .integer(Int64(bitPattern: random.next())),
                        .bytes(Data(repeating: 7, count: 16)), .integer(first + Int64(index)), .time(now), .flag(false),
                    ]
                })
            try transaction.execute("UPDATE discovery_key SET sequence = sequence + ?", [.integer(Int64(count))])
        }
    }

    /// Somebody who joins, with these numbers and emails.
    @discardableResult
    func join(_ identities: String..., account: AccountID? = nil) async throws -> AccountID {
        try await join(identities, account: account)
    }

    /// The same.
    @discardableResult
    func join(_ identities: [String], account: AccountID? = nil) async throws -> AccountID {
        let account =
            if let account { account } else {
                try await SessionService(database: database, signals: .none).open(at: clock.now).account
            }
        for text in identities {
            let identity = try #require(Identity(text))
            try await change { _ = try $0.add(identity, to: account, in: $1) }
        }
        return account
    }

    func change(_ body: @escaping @Sendable (IdentityRegister, any Transaction) throws -> Void) async throws {
        let directory = IdentityRegister(keys: keys, at: clock.now)
        try await database.write { try body(directory, $0) }
    }

    /// Does what the server does in the background.
    func keepUp() async throws { try await DiscoveryUpkeep(database: database, keys: keys).run(at: clock.now) }

    /// A device with these people in its address book, each a name and a number or email.
    func device(
        _ people: [(String, String)], _ name: String = "device",
        credentials: any CredentialStore = InMemoryCredentialStore()
    ) async throws -> Seeking {
        let transport = Line(SystemTransport(patient: server))
        var configuration = KithConfiguration(storage: .inMemory)
        configuration.transport = transport
        configuration.credentials = credentials
        configuration.region = Region("AT")
        configuration.postsNotifications = false
        let clock = clock
        configuration.dependencies = Dependencies(now: { clock.now }, random: RandomSource(SplitMix64(seed: 4)))
        let device = Seeking(
            client: try KithClient(configuration), line: transport, book: folder.file("\(name).vcf"))
        try device.write(people)
        try await device.client.addressBook.addSource(.vCardFile(device.book))
        return device
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
struct LogLines: Sendable {
    private let handler = InMemoryLogHandler()

    var text: String {
        handler.entries.map { "\($0.level) \($0.message) \($0.metadata)" }.joined(separator: "\n")
    }
    var logger: Logger {
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        return logger
    }
}

extension SystemTransport {
    /// A transport for tests with much work for the server: while all tests run, that can take longer than a device waits.
    init(patient server: URL) { self.init(server: server, silence: .seconds(600)) }
}
