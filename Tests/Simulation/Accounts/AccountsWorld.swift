import Foundation
import Kith
import KithModel
import KithServer

/// The world of one seed in which people change accounts and servers.
///
/// Real clients talk to two real servers, one call at a time. Whereas ``World`` simulates a disordered network, this
/// world simulates everything that can hide a store.
final class AccountsWorld {
    var random: SplitMix64
    let internet: SimulatedInternet
    let auditor = AccountsAuditor()
    private(set) var devices: [AccountsDevice] = []
    /// What each device showed when it was last read. Only calls on the device itself change it.
    private var known: [Int: DeviceContents] = [:]
    private(set) var step = 0
    /// The tokens of sessions that somebody has ended on a device.
    var loggedOut: Set<String> = []
    private(set) var timeline: [String] = []
    private let seed: UInt64
    /// Whether servers are restored from backups. A restored server has forgotten which codes it has sent.
    private let hasRestores: Bool
    /// Whether people sign in.
    private let hasSignIn: Bool
    /// The codes that each device has requested.
    var requested: [Int: [SentCode]] = [:]
    /// The stores of each device that a sign-in or a new session has hidden, and about which nobody has decided.
    var undecided: [Int: Set<AccountScope>] = [:]

    init(seed: UInt64, hasSignIn: Bool = false, storage: ServerStorage = .memory) throws {
        self.seed = seed
        self.hasSignIn = hasSignIn
        random = SplitMix64(world: seed ^ (hasSignIn ? 0x516E : 0xACC0))
        hasRestores = random.oneIn(4) && !hasSignIn
        let hasIDs = !random.oneIn(4)
        let servers = try ["one", "two"].enumerated().map { index, name in
            try SimulatedServer(
                name: "server \(name)", version: .newest, hasID: hasIDs, seed: seed &* 13 &+ UInt64(index),
                storage: storage)
        }
        internet = try SimulatedInternet(servers: servers, isLossy: random.oneIn(2), seed: seed ^ 0x10)
        if hasSignIn { try internet.startSignIn(seed: seed &* 31) }
        for index in 0..<2 {
            devices.append(
                try AccountsDevice(
                    index, ["phone", "tablet"][index], address: SimulatedInternet.address(), on: internet,
                    seed: seed &* 57 &+ UInt64(index)))
        }
    }

    // MARK: The run

    func run(steps: Int = 50) async throws {
        while step < steps {
            step += 1
            internet.time = internet.time + .milliseconds(Int64.random(in: 1...20_000, using: &random))
            guard let device = devices.randomElement(using: &random) else { return }
            try await happen(to: device)
            try await judge(device)
        }
        try await heal()
        for device in devices { try await judge(device) }
    }

    private func happen(to device: AccountsDevice) async throws {
        if hasSignIn && random.oneIn(2) { return try await signInDeed(on: device) }
        switch Int.random(in: 0..<122, using: &random) {
        case 110..<115: try await setPicture(on: device)
        case 115..<122: try await lookForPeople(on: device)
        case 0..<32: try await edit(device, in: nil)
        case 32..<54: try await call(device, "syncs") { try await device.client.syncNow() }
        case 54..<60: try await changeAddress(of: device)
        case 60..<64: try await activate(on: device)
        case 64..<67: try await openSession(on: device)
        case 67..<72: try await select(on: device)
        case 72..<76: try await logOut(of: device)
        case 76..<84: try await move(on: device)
        case 84..<88: try await editElsewhere(on: device)
        case 88..<90: try await drop(on: device)
        case 90..<91: try await dropEverything(on: device)
        case 91..<93: try await deleteAccount(of: device)
        case 93..<95: try await deleteAccountInOneStore(of: device)
        case 95..<97: try await logOutInOneStore(of: device)
        case 97..<100: try await loseSession(of: device)
        case 100..<104: try await endSomething()
        case 104..<106: note(internet.switchNetwork(of: device))
        case 106..<107: try moveServer()
        case 107..<108 where hasRestores: try await backUpOrRestore()
        default: try restart(device)
        }
    }

    private func restart(_ device: AccountsDevice) throws {
        try device.restart(at: device.address)
        note("\(device.name): is restarted")
    }

    // MARK: Checking

    func judge(_ device: AccountsDevice) async throws {
        if let fault = internet.fault { throw fail(fault) }
        if let fault = internet.signInFault() { throw fail(fault, law: .signingIn) }
        let contents = try await self.contents(of: device)
        if let fault = undecidedFault(in: contents, of: device) { throw fail("\(device.name): \(fault)") }
        if let fault = auditor.fault(in: contents, of: device, internet) {
            throw fail("\(device.name): \(fault)")
        }
        try await judgePicture(on: device)
        try await judgeMatches(on: device)
    }

    func contents(of device: AccountsDevice) async throws -> DeviceContents {
        if let contents = known[device.index] { return contents }
        return try await look(at: device)
    }

    /// Reads everything that a device shows.
    func look(at device: AccountsDevice) async throws -> DeviceContents {
        let contents = try await DeviceContents(device)
        known[device.index] = contents
        return contents
    }

    func note(_ line: String) { timeline.append("\(step)\t\(line)") }

    func fail(_ detail: String, law: Law = .nothingStranded) -> LawBroken {
        LawBroken(seed: seed, step: step, law: law, detail: detail, timeline: timeline)
    }

    // MARK: Servers

    /// Gives a server a new address, and in some cases its old address to another server. Requires that all servers
    /// have ids, because others cannot be recognised after that.
    private func moveServer() throws {
        guard internet.servers.allSatisfy(\.hasID),
            let address = internet.places.keys.sorted(by: Self.order).randomElement(using: &random),
            let server = internet.places[address]
        else { return }
        internet.breakLines()
        if random.oneIn(2) {
            internet.places = internet.places.mapValues { 1 - $0 }
            return note("the servers change their addresses")
        }
        internet.places[address] = nil
        let new = try SimulatedInternet.address(step + 100)
        internet.places[new] = server
        note("\(internet.servers[server].name): moves to \(new)")
    }

    static func order(_ one: URL, _ other: URL) -> Bool { one.absoluteString < other.absoluteString }

    /// Deletes an account or ends a session, as an operator does.
    private func endSomething() async throws {
        let tokens = internet.grants.keys.filter { !internet.deadTokens.contains($0) }.sorted()
        guard let token = tokens.randomElement(using: &random), let grant = internet.grants[token] else { return }
        let server = internet.servers[grant.server]
        guard try server.hasAccount(grant.account) else { return }
        if random.oneIn(3) {
            try internet.delete(grant.account, on: grant.server)
            note("\(server.name): deletes \(grant.account)")
        } else {
            try await internet.end(token, on: grant.server)
            note("\(server.name): ends a session of \(grant.account)")
        }
    }

    private func backUpOrRestore() async throws {
        guard let index = internet.servers.indices.randomElement(using: &random) else { return }
        let server = internet.servers[index]
        guard server.hasBackup else {
            try server.backUp()
            return note("\(server.name): is backed up")
        }
        try server.restore()
        for (token, grant) in internet.grants where grant.server == index {
            if try await !server.accepts(token) { internet.ended.insert(grant.account) }
        }
        note("\(server.name): is restored from its backup")
    }
}
