package import GRDB
import GRDBSQLite
package import Kith
package import KithModel

/// One device: a real replica and real rounds over a database that survives restarts.
package final class SimulatedDevice {
    let name: String
    package let queue: DatabaseQueue
    /// The version of Kith on this device.
    let version: Version
    /// The device's clock, in milliseconds.
    let clock: Shared<Timestamp>
    let crash = Shared(Crash.Point.none)
    /// The connection of the queue.
    private let connection: SQLiteConnection?
    private let kind: SimulatedKind?
    private let random: RandomSource
    package private(set) var replica: Replica
    package private(set) var rounds: Rounds
    /// The content that follows from the device's signals alone.
    let mirror = Mirror()
    private var read: (content: Replica.Content, items: [[ListItem]], life: Int, changes: CInt)?
    private var readProfile: (fields: Fields, reading: Int)?
    /// How often ``content()`` has read the database. What was checked of a reading need not be checked again.
    private(set) var readings = 0
    /// The number of restarts. An answer from before a restart is lost.
    private(set) var life = 0
    /// The accounts whose tokens this device has.
    var sessions: [AccountID] = []
    var engine = SimulatedEngine()
    /// The live stream that the device has open.
    var stream: Int?
    /// The presence of other people, as the stream has reported it.
    var board = PresenceBoard()
    /// The last removal. It can be undone until the app restarts.
    var removal: RemovedHere?
    /// What the stores of other accounts showed when the device left them.
    var left: [AccountID: Replica.Content] = [:]
    /// Whether the device was lost, with all data that only it had.
    var isLost = false

    package init(
        name: String, queue: DatabaseQueue, version: Version, time: Timestamp, seed: UInt64, kind: SimulatedKind? = nil
    ) throws {
        self.name = name
        self.queue = queue
        connection = queue.unsafeRead { $0.sqliteConnection }
        self.version = version
        self.kind = kind
        clock = Shared(time)
        random = RandomSource(SplitMix64(world: seed))
        replica = try Self.open(queue, clock, crash, random, kind)
        rounds = Rounds(replica: replica)
        try mirror.begin(with: replica) { try content() }
    }

    /// What the getters show. It is read again only after a change of the database or a restart.
    func content() throws -> Replica.Content {
        // SQLite itself is asked, because an access through the queue takes much longer. Nothing else uses it meanwhile.
        let changes = sqlite3_total_changes(connection)
        if let read, read.life == life, read.changes == changes { return read.content }
        let (content, items) = try replica.contentWithItems()
        read = (content, items, life, changes)
        readings += 1
        return content
    }

    /// The items of each list of ``content()``, as the getter of one list shows them.
    func itemsOfLists() throws -> [[ListItem]] {
        _ = try content()
        return read?.items ?? []
    }

    /// What the getter of the profile shows. It is read again only after ``content()`` had to be.
    func profile() throws -> Fields {
        _ = try content()
        if let readProfile, readProfile.reading == readings { return readProfile.fields }
        let fields = try replica.profile().fields
        readProfile = (fields, readings)
        return fields
    }

    private static func open(
        _ queue: DatabaseQueue, _ clock: Shared<Timestamp>, _ crash: Shared<Crash.Point>, _ random: RandomSource,
        _ kind: SimulatedKind?
    ) throws -> Replica {
        let dependencies = Dependencies(now: { clock.now }, random: random, collections: kind?.onDevices ?? .standard)
        return try Replica(.open(queue), dependencies: dependencies, faults: Crash.faults(crash))
    }

    /// Restarts the app. Everything that was only in memory is lost.
    package func restart() throws {
        crash.now = .none
        life += 1
        removal = nil
        engine = SimulatedEngine()
        (stream, board) = (nil, PresenceBoard())
        replica = try Self.open(queue, clock, crash, random, kind)
        rounds = Rounds(replica: replica)
        try mirror.begin(with: replica) { try content() }
    }

    /// Restarts the app on a replica of an earlier version, which the app upgrades.
    ///
    /// The device keeps its own database and gets the rows of the upgraded one: in new tables, SQLite would have to prepare
    /// all statements again.
    ///
    /// - Returns: What the getters show of the upgraded replica.
    func upgrade(from earlier: DatabaseQueue) throws -> Replica.Content {
        // The restart below draws from the device's own random numbers.
        let upgraded = try Self.open(earlier, clock, crash, RandomSource(SplitMix64(seed: 0)), kind)
        let content = try upgraded.content()
        try EmptyReplica.databases.moveContent(from: earlier, to: queue)
        try restart()
        return content
    }

    /// Notes a removal that its person can undo.
    func noteRemoval(_ removal: Removal, of items: [ListItem]) throws {
        self.removal = RemovedHere(account: try content().account.id, removal: removal, items: Set(items.map(\.id)))
    }

    /// A copy of this device, as if its backup was restored on another device.
    func copy(name: String, seed: UInt64) throws -> SimulatedDevice {
        let device = try SimulatedDevice(
            name: name, queue: EmptyReplica.databases.copy(of: queue), version: version, time: clock.now, seed: seed,
            kind: kind)
        device.sessions = sessions
        return device
    }

    /// Whether the device has a store of the account.
    func hasStore(of account: AccountID?) throws -> Bool {
        // GRDB's `read` would make SQLite prepare all statements again.
        try queue.unsafeRead { db in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE id = ?)", arguments: [account])
                ?? false
        }
    }
}
