import Foundation
import Kith
import KithModel
import KithServer

/// The world of one seed: devices, servers, network and time.
///
/// One thing happens at a time, chosen by the seed alone. After each step the auditors check the world. A replay must
/// repeat the timeline exactly.
final class World {
    var random: SplitMix64
    let hazards: Hazards
    let auditor: Auditor
    let itemOrderAuditor = ItemOrderAuditor()
    let peopleAuditor = PeopleAuditor()
    var time = Timestamp(milliseconds: 1_790_000_000_000)
    var devices: [SimulatedDevice] = []
    var servers: [SimulatedServer] = []
    var network: [Envelope] = []
    private(set) lazy var listLinks = ListLinks(in: self)
    private(set) lazy var liveStreams = LiveStreams(in: self)
    /// The server on which each account was opened.
    var homes: [AccountID: Int] = [:]
    /// All accounts that were opened, in order.
    var accounts: [AccountID] = []
    var step = 0
    /// The account whose mutations a server has processed in this step.
    var author: AccountID?
    /// The server whose records may have changed in this step.
    var changed: Int?
    /// The devices that this step has affected.
    var touched: Set<Int> = []
    /// Lists of which a device has lost records.
    var damaged: Set<ListID> = []
    /// Whether all hazards have ended and the world comes to rest.
    var isAtPeace = false
    private(set) var timeline: [String] = []
    let seed: UInt64
    /// A kind of record in addition to Kith's own.
    let kind: SimulatedKind?
    /// The schemas of all collections in this world.
    let schemas: [RecordCollection: Schema]
    /// The versions of every second device and of the server; nil if they are random.
    let versions: VersionPair?
    /// What these devices have exchanged with the server.
    var exchange = Exchange()

    init(
        seed: UInt64, kind: SimulatedKind? = nil, versions: VersionPair? = nil, storage: ServerStorage = .memory
    ) throws {
        self.seed = seed
        self.kind = kind
        self.versions = versions
        let all = Schema.all + (kind.map { [$0.schema] } ?? [])
        schemas = Dictionary(uniqueKeysWithValues: all.map { ($0.collection, $0) })
        auditor = Auditor(schemas: schemas)
        random = SplitMix64(world: seed)
        hazards = Hazards(using: &random)
        note("seed \(seed): \(hazards.summary)")
        let isOld = versions == nil && hazards.versions && random.oneIn(3)
        let version =
            isOld ? Version(olderThanPeople: random.oneIn(4), using: &random) : versions?.serverVersion ?? .newest
        servers.append(
            try SimulatedServer(
                name: "server", version: version, seed: seed ^ 0xABCD, kind: kind, storage: storage,
                page: hazards.page, part: hazards.part))
        for index in 0..<Int.random(in: 2...4, using: &random) {
            let isOld = versions == nil && hazards.versions && random.oneIn(2)
            let fixed = index.isMultiple(of: 2) ? versions?.clientVersion : nil
            let version = isOld ? Version(olderThanPeople: random.oneIn(2), using: &random) : fixed ?? .newest
            let device = try SimulatedDevice(
                name: ["phone", "tablet", "laptop", "watch"][index], queue: EmptyReplica.queue(), version: version,
                time: time, seed: seed &* 31 &+ UInt64(index), kind: kind)
            devices.append(device)
            // Devices beyond the second may share an account with an earlier one.
            if hazards.neverReached && random.oneIn(3) { continue }
            let account = index > 1 && random.oneIn(2) ? accounts.randomElement(using: &random) : nil
            try signIn(index, account: try account ?? openAccount(on: 0))
        }
        if accounts.isEmpty { try signIn(0, account: openAccount(on: 0)) }
    }

    /// Nothing of a world runs after it, unlike the clients of the other worlds. So later worlds may use its databases.
    deinit {
        for device in devices { EmptyReplica.databases.giveBack(device.queue) }
        for server in servers { server.end() }
    }

    func note(_ line: String) {
        timeline.append("\(step)\t\(line)")
    }

    /// Whether a device is of the client version that ``exchange`` is about.
    func countsInExchange(_ device: Int) -> Bool { versions?.clientVersion == devices[device].version }

    /// The devices that were not lost.
    var living: [Int] { devices.indices.filter { !devices[$0].isLost } }

    // MARK: Servers

    /// The server of an account, or of a device that has no account yet.
    func home(of account: AccountID?) -> SimulatedServer { servers[account.flatMap { homes[$0] } ?? 0] }

    /// The server that has a list.
    func server(of list: ListID) throws -> SimulatedServer? {
        try servers.first { try $0.database.fields(of: list.retyped(), in: list.retyped()) != nil }
    }

    func time(on server: SimulatedServer) -> Timestamp { time + server.offset }

    func accountExists(_ account: AccountID) throws -> Bool { try home(of: account).hasAccount(account) }

    // MARK: Collections

    /// Whether people create and edit the records of a collection in lists. The auditor tracks these records.
    func follows(_ collection: RecordCollection) -> Bool {
        schemas[collection].map { $0.home == .list && $0.creator != .server } ?? false
    }

    func createsFeed(_ collection: RecordCollection) -> Bool { schemas[collection]?.createsFeed ?? false }

    /// The records of lists that a device shows.
    func records(on device: SimulatedDevice, _ content: Replica.Content) throws -> [ShownRecord] {
        let items = content.items.map(ShownRecord.init)
        guard let kind else { return items }
        return try items
            + device.replica.records(of: kind.schema.collection).map { key, fields in
                let shown = kind.schema.fields.map { ($0.name, $0.shown(fields[$0.name])) }
                return ShownRecord(
                    collection: key.collection, id: key.id, list: key.list, fields: Fields(uniqueKeysWithValues: shown))
            }
    }

    // MARK: Time

    func pass(_ duration: Duration) {
        time = time + duration
        for device in devices { device.clock.now = device.clock.now + duration }
    }

    // MARK: The run

    /// Runs the steps, then ends all hazards and lets the world come to rest.
    func run(steps: Int = 120) async throws {
        while step < steps {
            step += 1
            pass(.milliseconds(Int64.random(in: 1...20_000, using: &random)))
            touched = []
            (author, changed) = (nil, nil)
            try await happen()
            try runEngines()
            if let changed { try auditor.noteAccess(on: servers[changed]) }
            if hazards.people, let changed { try judgePeople(on: servers[changed]) }
            if hazards.people { try liveStreams.carry() }
            // Only the devices that the step has affected can have changed.
            for index in touched.sorted() where !devices[index].isLost { try judge(index) }
        }
        try await heal()
        for server in servers { try auditor.noteAccess(on: server) }
        for index in living { try judge(index) }
        try auditor.judgeTheEnd(of: self)
        try peopleAuditor.judgeTheEnd(of: self)
        if auditor.wasCopied { try await letEachSpeak() }
    }

    /// Checks what one device shows.
    private func judge(_ index: Int) throws {
        try auditor.judge(index, in: self)
        try itemOrderAuditor.judge(index, in: self)
    }

    private func happen() async throws {
        guard let device = living.randomElement(using: &random) else { return }
        touched.insert(device)
        if let kind, random.oneIn(3) { return try KindMoves(kind: kind, world: self).edit(device) }
        if hazards.people && random.oneIn(4) { return try PeopleMoves(world: self).move(device) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: try ItemMoves(world: self).edit(device)
        case 38..<60 where !hazards.engine || random.oneIn(4): try beginRound(device)
        case 60..<88: try await deliver()
        case 88..<91: try listLinks.use(device)
        case 91..<92 where hazards.clientCrashes: try crash(device)
        case 92..<93 where hazards.clockJumps: jump(device)
        case 93..<94 where hazards.serverCrashes: crashServer()
        case 94..<95 where hazards.accountSwitches: try switchAccount(device)
        case 95..<96 where hazards.revocation: try revoke(device)
        case 96..<97 where hazards.copies: try copyOrLose(device)
        case 97..<98 where hazards.restore: try backUpOrRestore()
        case 97..<98 where hazards.damage: try damage(device)
        case 98..<99 where hazards.versions: try upgrade(device)
        case 98..<99 where hazards.ages: try await age()
        case 98..<99: pass(.minutes(Int64.random(in: 1...300, using: &random)))
        default: try await deliver()
        }
    }

    /// Checks that only permitted changes of contacts were made in this step.
    private func judgePeople(on server: SimulatedServer) throws {
        let now = try server.database.contacts()
        try peopleAuditor.judge(server.contacts, now, by: author, in: self)
        peopleAuditor.noteConnections(now, in: self)
        server.contacts = now
    }

    /// Passes on everything that waits. Returns whether there was anything.
    func tellAll() throws -> Bool {
        var hasTold = false
        for server in servers {
            let time = time(on: server)
            while try server.database.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
                let step = try server.database.writeNow { try ProfileFanout.take(at: time, in: $0) }
                liveStreams.ask(step.circles, on: server)
                hasTold = true
            }
        }
        return hasTold
    }

    /// Creates the error for a broken law, with all information for a replay.
    func fail(_ law: Law, _ detail: String) -> LawBroken {
        LawBroken(seed: seed, step: step, law: law, detail: detail, timeline: timeline)
    }
}
