import Foundation
import GRDB
import Kith
import KithModel
import KithServer

/// The whole world of one seed: devices, server, network, and time.
///
/// One thing happens at a time, chosen by the seed alone. After each, the
/// auditor judges. The timeline is what a replay must repeat to the byte.
final class World {
    /// A message on its way.
    enum Message {
        case request(SyncRequest)
        case answer(SyncAnswer, to: SyncRequest)
        case refusal(KithError, to: SyncRequest)
    }

    struct Envelope {
        let device: Int
        let life: Int
        let message: Message
        /// The step before which it does not arrive.
        var notBefore: Int
    }

    var random: SplitMix64
    let hazards: Hazards
    let auditor = Auditor()
    var time = Timestamp(milliseconds: 1_790_000_000_000)
    var serverOffset = Duration.zero
    var devices: [SimulatedDevice] = []
    var network: [Envelope] = []
    var server: SQLiteDatabase
    var backup: SQLiteDatabase?
    var accounts: [AccountID] = []
    /// Those that were deleted.
    var deleted: Set<AccountID> = []
    let sessions: SessionService
    let links: LinkService
    let serverCrash = Shared(SimulatedDevice.CrashPoint.none)
    var step = 0
    /// Whose mutations the server has taken in this step.
    var author: AccountID?
    /// Whether the server may hold other records than before this step.
    var hasServerChanged = false
    /// What people were to each other when that was last judged.
    var contacts: [Pair: Fields] = [:]
    /// The devices that something has happened to in this step.
    var touched: Set<Int> = []
    private(set) var timeline: [String] = []
    let seed: UInt64

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(world: seed)
        hazards = Hazards(using: &random)
        let secrets = Shared(SplitMix64(world: seed ^ 0xABCD))
        let draw: @Sendable () -> [UInt8] = {
            var generator = secrets.now
            defer { secrets.now = generator }
            return (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        server = try SQLiteDatabase.inMemory(random: draw)
        sessions = SessionService(database: server, random: draw)
        links = LinkService(database: server, random: draw)
        note("seed \(seed): \(hazards.summary)")
        for index in 0..<Int.random(in: 2...4, using: &random) {
            let device = try SimulatedDevice(
                name: ["phone", "tablet", "laptop", "watch"][index], queue: DatabaseQueue(), time: time,
                seed: seed &* 31 &+ UInt64(index))
            devices.append(device)
            // Devices beyond the second may share an account with an earlier one.
            if hazards.neverReached && random.oneIn(3) { continue }
            let account = index > 1 && random.oneIn(2) ? accounts.randomElement(using: &random) : nil
            try signIn(index, account: try account ?? openAccount())
        }
        if accounts.isEmpty { try signIn(0, account: openAccount()) }
        armServer()
    }

    func note(_ line: String) {
        timeline.append("\(step)\t\(line)")
    }

    var serverTime: Timestamp { time + serverOffset }

    func armServer() {
        let crash = serverCrash
        server.onCommit = { moment in
            switch (moment, crash.now) {
            case (.before, .beforeCommit), (.after, .afterCommit): throw Crash()
            default: break
            }
        }
    }

    // MARK: Time

    func pass(_ duration: Duration) {
        time = time + duration
        for device in devices { device.clock.now = device.clock.now + duration }
    }

    // MARK: The run

    /// Lets things happen, then heals everything and lets the world come to rest.
    func run(steps: Int = 120) throws {
        while step < steps {
            step += 1
            pass(.milliseconds(Int64.random(in: 1...20_000, using: &random)))
            touched = []
            (author, hasServerChanged) = (nil, false)
            try happen()
            if hazards.people && hasServerChanged { try judgePeople() }
            // What nothing has happened to has not changed.
            for index in touched.sorted() { try auditor.judge(devices[index], in: self) }
        }
        try heal()
        for device in devices { try auditor.judge(device, in: self) }
        try auditor.judgeTheEnd(of: self)
    }

    private func happen() throws {
        let device = Int.random(in: devices.indices, using: &random)
        touched.insert(device)
        if hazards.people && random.oneIn(4) { return try people(device) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: try edit(device)
        case 38..<60: try beginRound(device)
        case 60..<88: try deliver()
        case 88..<90: try share(device)
        case 90..<92 where hazards.clientCrashes: try crash(device)
        case 92..<93 where hazards.clockJumps: jump(device)
        case 93..<94 where hazards.serverCrashes:
            serverCrash.now = Bool.random(using: &random) ? .beforeCommit : .afterCommit
            note("server: will crash at its next commit")
        case 94..<95 where hazards.accountSwitches: try switchAccount(device)
        case 95..<96 where hazards.revocation: try revoke(device)
        case 96..<97 where hazards.copies && devices.count < 6: try copy(device)
        case 97..<98 where hazards.restore: try backUpOrRestore()
        case 98..<99: pass(.minutes(Int64.random(in: 1...300, using: &random)))
        default: try deliver()
        }
    }

    /// The failure of a law, with all that is needed to see it again.
    func fail(_ law: String, _ detail: String) -> LawBroken {
        LawBroken(seed: seed, step: step, law: law, detail: detail, timeline: timeline)
    }
}

/// A law that did not hold.
struct LawBroken: Error, CustomStringConvertible {
    let seed: UInt64
    let step: Int
    let law: String
    let detail: String
    let timeline: [String]

    var description: String {
        """
        Seed \(seed), step \(step): \(law)
        \(detail)
        Replay: ./test simulate --seeds \(seed)..\(seed)
        \(timeline.suffix(Int(ProcessInfo.processInfo.environment["KITH_TIMELINE"] ?? "") ?? 40).joined(separator: "\n"))
        """
    }
}
