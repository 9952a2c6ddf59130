package import GRDB
package import Kith
package import KithModel

/// One device: a real replica and real rounds over a database that outlives them.
package final class SimulatedDevice {
    let name: String
    package let queue: DatabaseQueue
    /// What the Kith on this device knows.
    let version: Version
    /// The device's clock, in milliseconds.
    let clock: Shared<Timestamp>
    let crash = Shared(Crash.Point.none)
    private let kind: SimulatedKind?
    private let random: RandomSource
    package private(set) var replica: Replica
    package private(set) var rounds: Rounds
    /// What someone who only listens believes to be there.
    let mirror = Mirror()
    /// Counts restarts: an answer to a device that was restarted meanwhile finds nobody.
    private(set) var life = 0
    /// The accounts that this device has tokens of.
    var sessions: [AccountID] = []
    var engine = SimulatedEngine()
    /// The live stream that it hears.
    var stream: Int?
    /// Who is online, as that tells.
    var board = PresenceBoard()
    /// What was removed last, as long as the app runs.
    var removal: RemovedHere?
    /// What the stores of other accounts showed when they were left.
    var left: [AccountID: Replica.Look] = [:]
    /// Whether it lies at the bottom of a lake. What was only on it is gone.
    var isLost = false

    package init(
        name: String, queue: DatabaseQueue, version: Version, time: Timestamp, seed: UInt64, kind: SimulatedKind? = nil
    ) throws {
        self.name = name
        self.queue = queue
        self.version = version
        self.kind = kind
        clock = Shared(time)
        random = RandomSource(SplitMix64(world: seed))
        replica = try Self.open(queue, clock, crash, random, kind)
        rounds = Rounds(replica: replica)
        try mirror.begin(with: replica)
    }

    private static func open(
        _ queue: DatabaseQueue, _ clock: Shared<Timestamp>, _ crash: Shared<Crash.Point>, _ random: RandomSource,
        _ kind: SimulatedKind?
    ) throws -> Replica {
        var faults = Replica.Faults()
        faults.beforeCommit = { if crash.now == .beforeCommit { throw Crash() } }
        faults.afterCommit = { if crash.now == .afterCommit { throw Crash() } }
        return try Replica(
            .open(queue),
            dependencies: Dependencies(
                now: { clock.now }, random: random, collections: kind?.onDevices ?? .standard), faults: faults)
    }

    /// Whatever was only in memory is gone.
    package func restart() throws {
        crash.now = .none
        life += 1
        removal = nil
        engine = SimulatedEngine()
        (stream, board) = (nil, PresenceBoard())
        replica = try Self.open(queue, clock, crash, random, kind)
        rounds = Rounds(replica: replica)
        try mirror.begin(with: replica)
    }

    /// A copy of this device as a backup would restore it onto another.
    func copy(name: String, seed: UInt64) throws -> SimulatedDevice {
        let copy = try DatabaseQueue()
        try queue.backup(to: copy)
        let device = try SimulatedDevice(
            name: name, queue: copy, version: version, time: clock.now, seed: seed, kind: kind)
        device.sessions = sessions
        return device
    }

    /// Whether it still has an account's store.
    func hasStore(of account: AccountID?) throws -> Bool {
        try queue.read { db in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE id = ?)", arguments: [account])
                ?? false
        }
    }
}
