import Foundation
import GRDB
import Kith
import KithModel
import Synchronization
import Testing

/// A clock that stands until a test moves it.
final class Clock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ time: Timestamp = Timestamp(milliseconds: 1_800_000_000_000)) { self.time = Mutex(time) }

    var now: Timestamp { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// One device: a client with a clock, randomness and a server that a test controls.
struct Phone {
    let client: KithClient
    let server: FakeServer
    let clock: Clock
    let credentials: any CredentialStore
    /// The halves of a round, to be driven by hand.
    let rounds: Rounds

    /// In memory without a `file`; by the server's clock without a clock of its own; with real pauses without `pauses`.
    init(
        _ server: FakeServer = FakeServer(), file: URL? = nil, database: (any DatabaseWriter)? = nil,
        clock: Clock? = nil, seed: UInt64 = 1, credentials: any CredentialStore = InMemoryCredentialStore(),
        postsNotifications: Bool = false, unreadChanges: Int = KithClient.unreadChanges,
        pictureBytes: Int = Network.pictureBytes, faults: Replica.Faults = Replica.Faults(), address: String? = nil,
        elsewhere: [String: FakeServer]? = nil, account: AccountScope? = nil, pauses: Pauses? = nil
    ) throws {
        let clock = clock ?? server.clock
        let dependencies =
            pauses?.dependencies(clock, seed: seed)
            ?? Dependencies(now: { clock.now }, random: RandomSource(SplitMix64(seed: seed)))
        let location: Replica.Location =
            database.map { .open($0) } ?? file.map { .file($0) } ?? .inMemory
        let replica = try Replica(
            location, dependencies: dependencies, postsNotifications: postsNotifications, faults: faults, scope: account
        )
        self.client = try KithClient(
            replica: replica, transport: server, server: address.flatMap { URL(string: $0) }, credentials: credentials,
            elsewhere: Self.way(to: elsewhere),
            unreadChanges: unreadChanges, pictureBytes: pictureBytes)
        self.server = server
        self.clock = clock
        self.credentials = credentials
        self.rounds = Rounds(replica: replica)
    }

    private static func way(to servers: [String: FakeServer]?) -> (@Sendable (URL) -> any Transport)? {
        guard let servers else { return nil }
        return { servers[$0.absoluteString] ?? FakeServer.gone }
    }

    var lists: Lists { client.lists }

    func titles(in list: ListID) async throws -> [String] { try await lists.items(in: list).map(\.title) }

    func waiting() async throws -> Int { try await client.status().waiting }

    /// Someone else writes these fields of an item, or removes the item.
    func othersWrite(_ item: ItemID, _ fields: Fields, in list: ListID) {
        server.change { $0.write(.items, item.retyped(), fields, in: list.retyped(), at: clock.now) }
    }

    func othersRemove(_ item: ItemID, in list: ListID) {
        server.change { $0.write(.items, item.retyped(), nil, in: list.retyped(), at: clock.now) }
    }

    /// Makes a new account of the server the current one.
    @discardableResult
    func switchAccount() async throws -> AccountID {
        let session = server.change { $0.openSession(at: clock.now) }
        _ = try await client.session.activate(token: session.token)
        return session.account
    }

    /// What the next request carries. It is in flight from here on.
    func mutations() throws -> [Mutation] { try rounds.begin()?.mutations ?? [] }

    /// One round over a wire that loses nothing, the request and the answer in hand.
    @discardableResult
    func round() throws -> Rounds.Next {
        guard let request = try rounds.begin() else { return .done }
        return try rounds.finish(request, server.answer(request))
    }

    /// The account's row of the replica, for what no getter tells.
    func account() throws -> ReplicaAccount { try client.replica.readNow { $0.account } }

    /// Reads the replica's tables with plain SQL.
    func query(_ sql: String) throws -> [Row] { try client.replica.database.read { try Row.fetchAll($0, sql: sql) } }

    func execute(_ sql: String) throws { try client.replica.database.write { try $0.execute(sql: sql) } }

    /// A signed-in device with one synced list.
    static func withList(
        _ server: FakeServer = FakeServer(), file: URL? = nil, seed: UInt64 = 1, clock: Clock? = nil,
        faults: Replica.Faults = Replica.Faults()
    ) async throws -> (Phone, ListID) {
        let phone = try Phone(server, file: file, clock: clock, seed: seed, faults: faults)
        let list = try await phone.lists.create("Groceries").id
        try await phone.client.syncNow()
        return (phone, list)
    }

    /// The same with a synced item, “Milk”.
    static func withItem() async throws -> (Phone, ListID, ListItem) {
        let (phone, list) = try await withList()
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        return (phone, list, item)
    }
}

/// A folder for one test, gone when it is no longer held.
final class TemporaryFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
        do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
            Issue.record(error)
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var replica: URL { url.appending(path: "kith.sqlite") }
}

/// The code of the error that `work` throws; nil if it throws none.
func code(of work: () async throws -> Void) async -> KithError.Code? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? KithError)?.code ?? KithError.Code(rawValue: "\(error)")
    }
}
