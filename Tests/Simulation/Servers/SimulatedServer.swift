import Kith
package import KithModel
package import KithServer

/// One server: a real database, with simulated crashes and restores.
package final class SimulatedServer {
    let name: String
    /// The version of Kith on this server.
    let version: Version
    /// Whether it tells its id. Servers of older versions do not.
    let hasID: Bool
    /// The collections that it knows.
    package let collections: Collections
    /// The maximum number of records in one answer.
    private let page: Int
    /// The maximum number of mutations that it applies in one transaction.
    private let part: Int
    private let store: any ServerStore
    /// By how much its clock is ahead of the world's.
    var offset = Duration.zero
    let crash = Shared(Crash.Point.none)
    let random: RandomBytes
    let discoveryKeys = DiscoveryKeys()
    private(set) var discovery: DiscoveryService
    private(set) var accounts: [AccountID] = []
    /// The deleted accounts.
    private(set) var deleted: Set<AccountID> = []
    /// The open live streams.
    var presence = PresenceRegister()
    /// The contact records of all accounts when they were last checked.
    var contacts: [Pair: Fields] = [:]

    package init(
        name: String, version: Version, hasID: Bool = true, seed: UInt64, kind: SimulatedKind? = nil,
        storage: ServerStorage = .memory, page: Int = Limits.page, part: Int = .max
    ) throws {
        self.name = name
        self.version = version
        self.hasID = hasID
        self.page = page
        self.part = part
        collections = kind?.onServers ?? .standard
        let secrets = Shared(SplitMix64(world: seed))
        let random = RandomBytes {
            var generator = secrets.now
            defer { secrets.now = generator }
            return (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        store = try storage.store(random, crash: crash)
        self.random = random
        discovery = DiscoveryService(database: store.database, keys: discoveryKeys)
    }

    package var database: any ImmediateDatabase { store.database }

    /// Lets later worlds use what the database consists of. Nothing may use the server any more.
    func end() { store.end() }

    // MARK: Rounds

    /// Performs a round as a server does, but nothing waits.
    package func sync(
        _ request: SyncRequest, as account: AccountID, kind: String? = nil, at time: Timestamp
    ) async throws -> Synced {
        let service = SyncService(
            database: database, page: page, smallPush: min(part, SyncService.smallPush),
            part: min(part, RoundPusher.part))
        return try await service.sync(
            request, as: account, kind: kind, at: time, under: SyncRound.Terms(collections: collections),
            through: AtOnce())
    }

    // MARK: Accounts

    /// The service over the current database.
    var sessions: SessionService { SessionService(database: database, signals: .none, random: random) }

    package func openAccount(at time: Timestamp) throws -> NewSession {
        let session = try sessions.openNow(at: time, on: database)
        accounts.append(session.account)
        return session
    }

    /// Changes the links of lists.
    func changeLinks<Value: Sendable>(
        at time: Timestamp, _ body: @escaping @Sendable (LinkTransaction) throws -> Value
    ) throws -> Value {
        try database.writeNow { [server = database.server, random] transaction in
            try body(LinkTransaction(transaction, at: time, on: server, random: random))
        }
    }

    func hasAccount(_ account: AccountID) throws -> Bool {
        try database.readNow { try !$0.query("SELECT 1 FROM account WHERE id = ?", [.id(account)]).isEmpty }
    }

    /// Whether a token belongs to an account that exists.
    func accepts(_ token: String) async throws -> Bool {
        do {
            return try await sessions.verify(token) != nil
        } catch let error as ServerError where error.code == .accountClosed {
            return false
        }
    }

    func delete(_ account: AccountID, at time: Timestamp) throws {
        try database.writeNow { try AccountService.delete(account, at: time, in: $0) }
        deleted.insert(account)
    }

    // MARK: Backups

    private(set) var wasRestored = false

    var hasBackup: Bool { store.hasBackup }

    func backUp() throws { try store.backUp() }

    /// Restores the backup, which starts a new epoch.
    func restore() throws {
        guard hasBackup else { return }
        try store.restore()
        discovery = DiscoveryService(database: database, keys: discoveryKeys)
        wasRestored = true
        contacts = try database.contacts()
    }
}
