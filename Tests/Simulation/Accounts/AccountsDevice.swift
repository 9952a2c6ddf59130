import Foundation
import GRDB
import Kith
import KithModel

/// One device with a real client over a database that survives restarts.
final class AccountsDevice {
    let index: Int
    let name: String
    let credentials = InMemoryCredentialStore()
    /// Where the device crashes. A crash is over when the client is restarted.
    let crash = Shared(Crash.Point.none)
    private let queue: DatabaseQueue
    private let internet: SimulatedInternet
    private let random: RandomSource
    /// The address that is set as the server's.
    private(set) var address: URL
    private(set) var client: KithClient
    /// The query of ``filledTables()``, once it was made.
    private var query: String?

    init(_ index: Int, _ name: String, address: URL, on internet: SimulatedInternet, seed: UInt64) throws {
        (self.index, self.name, self.address, self.internet) = (index, name, address, internet)
        queue = try EmptyReplica.queue()
        random = RandomSource(SplitMix64(world: seed))
        client = try Self.open(queue, index, credentials, random, crash, address, nil, internet)
    }

    /// Restarts the client with this address of the server.
    func restart(at address: URL) throws {
        self.address = address
        crash.now = .none
        client = try Self.open(queue, index, credentials, random, crash, address, nil, internet)
    }

    /// The tables with rows that the user of a store could miss, by store. It reads the database itself, and asks Kith nothing:
    /// so a kind of content that Kith forgets is noticed. Lists are not among them.
    func filledTables() throws -> [AccountScope: Set<String>] {
        // GRDB's `read` would make SQLite prepare all statements again.
        try queue.unsafeRead { db in
            let rows = try Row.fetchAll(db.cachedStatement(sql: filledTablesQuery(db)))
            var tables: [AccountScope: Set<String>] = [:]
            for row in rows { tables[AccountScope(row["id"] as AccountID?), default: []].insert(row["name"]) }
            return tables
        }
    }

    /// The query of ``filledTables()``. A table counts unless ``uncountedTables`` has it.
    private func filledTablesQuery(_ db: Database) throws -> String {
        if let query { return query }
        var parts: [String] = []
        for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            let columns = try db.columns(in: table).map(\.name)
            guard columns.contains("account"), !Self.uncountedTables.contains(table) else { continue }
            let condition = Self.conditions[table] ?? (columns.contains("removed") ? "NOT removed" : "1")
            parts.append("SELECT DISTINCT account, '\(table)' AS name FROM \(table) WHERE \(condition)")
        }
        let all = parts.joined(separator: " UNION ALL ")
        let new = "SELECT account.id, filled.name FROM (\(all)) AS filled JOIN account ON account.key = filled.account"
        query = new
        return new
    }

    /// Tables with nothing that a user could miss.
    private static let uncountedTables: Set = [
        // Read with the SDK; a list that is not shown has rows for a while. The others are parts of lists.
        "list", "item", "member", "membership",
        // The server counts them, and nobody sees them.
        "event",
        // How far a feed was read.
        "feed",
        // Identities of removed items, against their return by an import.
        "removedIdentity",
        // Copies of what the server has, which are fetched again.
        "details", "picture", "programme", "lookup", "discovery",
    ]

    /// The conditions for rows that count, by table. Nothing of a profile but its picture is ever set in a world.
    private static let conditions = [
        "mutation": "taken IS NULL", "rejection": "NOT isDismissed", "parked": "feed = zeroblob(16)",
        "profile": "NOT removed AND pictureSmall IS NOT NULL AND pictureLarge IS NOT NULL",
    ]

    /// A pinned client.
    func client(in scope: AccountScope, at address: URL? = nil) throws -> KithClient {
        try Self.open(queue, index, credentials, random, crash, address ?? self.address, scope, internet)
    }

    private static func open(
        _ queue: DatabaseQueue, _ index: Int, _ credentials: InMemoryCredentialStore, _ random: RandomSource,
        _ crash: Shared<Crash.Point>, _ address: URL, _ scope: AccountScope?, _ internet: SimulatedInternet
    ) throws -> KithClient {
        let dependencies = Dependencies(now: { internet.time }, random: random)
        return try KithClient(
            replica: try Replica(.open(queue), dependencies: dependencies, faults: Crash.faults(crash), scope: scope),
            transport: internet.line(from: index, to: address), server: address,
            credentials: credentials)
    }
}
