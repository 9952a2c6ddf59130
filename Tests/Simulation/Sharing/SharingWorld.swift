import Foundation
import Kith
import KithModel
import KithServer

/// The world of one seed in which people share with each other, and are rewarded.
///
/// Four people with six devices use one server with two programmes. They make links and choose codes, use the codes of
/// others, repeatedly and crossing, sign up early or late, and go on with new accounts. The operator decides about what
/// is held.
final class SharingWorld: ClientWorld {
    static let law = Law.sharing
    private static let programmes = ["friends", "shop"]
    private static let names = ["Ada", "Ben", "Cleo", "Dan"]
    /// The codes that people choose. Some of them are equal.
    private static let words = ["TEA-TIME", "tea_time", "ADA-TEA", "Green-Tea", "0OLONG", "oolong", "BEST-TEA"]

    let seed: UInt64
    var random: SplitMix64
    let internet: SimulatedInternet
    let auditor = SharingAuditor()
    let hazards: ClientHazards
    /// Whether accounts are deleted.
    private let hasDeletion: Bool
    /// Whether people log out, and go on with new accounts.
    private let hasNewAccounts: Bool
    /// Whether the operator pauses programmes.
    private let hasPauses: Bool
    private(set) var people: [SharingPerson] = []
    var step = 0
    var timeline: [String] = []
    /// What the server has got and processed.
    private var history = SharingHistory()
    var requested: [Int: [(sent: SentCode, identity: Identity)]] = [:]
    /// The programmes that are paused.
    private var paused: Set<String> = []

    init(seed: UInt64, storage: ServerStorage = .memory) throws {
        self.seed = seed
        random = SplitMix64(world: seed ^ 0x54A2)
        hazards = ClientHazards(using: &random)
        hasDeletion = random.oneIn(2)
        hasNewAccounts = random.oneIn(2)
        hasPauses = random.oneIn(3)
        let server = try SimulatedServer(name: "server", version: .newest, seed: seed &* 19, storage: storage)
        internet = try SimulatedInternet(servers: [server], seed: seed ^ 0x11)
        try internet.startSignIn(seed: seed &* 37)
    }

    // MARK: The run

    /// The operator makes the programmes, and the people open their accounts.
    func settle() async throws {
        for programme in Self.programmes {
            let file = file(of: programme)
            _ = try await part.programmes.create(Data(file.utf8), at: internet.time)
            note("operator: \(file)")
        }
        for (index, name) in Self.names.enumerated() {
            let devices = try newDevices(index < 2 ? 2 : 1, of: name, seed: seed &* 59)
            people.append(
                SharingPerson(
                    name: name, devices: devices, account: try await openAccount(on: devices, called: name)))
        }
    }

    /// A programme with rules of its own in each world.
    private func file(of programme: String) -> String {
        let event = programme == "shop" ? "order" : "joined"
        let reward = "{\"name\":\"voucher\",\"title\":{\"en\":\"A voucher\"},\"event\":\"\(event)\"}"
        let rule = random.oneIn(2) ? Attribution.Rule.first : .newest
        let (duplicate, selfReferral) = (random.oneIn(2), random.oneIn(2))
        let (aDay, soonest) = (random.oneIn(2) ? "1" : "null", random.oneIn(2) ? "60" : "null")
        let limit = random.oneIn(3) ? 1 : nil
        let holding = random.oneIn(2) ? 1 : 0
        auditor.sets(SharingTerms(rule: rule, window: .days(2), event: event, limit: limit), of: programme)
        return """
            {"name":"\(programme)","title":{"en":"Bring a friend"},"text":{"en":"Both of you get a voucher."},\
            "rewards":{"advocate":\(reward),"friend":\(reward)},\
            "attribution":{"rule":"\(rule.rawValue)","window-days":2},\
            "guards":{"duplicate":\(duplicate),"self-referral":\(selfReferral),\
            "referrals-a-day":\(aDay),"soonest-seconds":\(soonest),\
            "rewards":\(limit.map(String.init) ?? "null"),"holding-days":\(holding),"review-days":1}}
            """
    }

    func happen(to person: SharingPerson, on device: AccountsDevice) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: try await makeShareable(device)
        case 8..<15: try await chooseCode(person, device)
        case 15..<25: try await share(person, device)
        case 25..<40: try await useCode(person, device)
        case 40..<47: try await recordEvent(person, device)
        case 47..<55: try await proveEmail(person, device)
        case 55..<68: try await sync(device)
        case 68..<79: try await workInBackground()
        case 79..<82: await deliverMail()
        case 82..<85: note(internet.switchNetwork(of: device))
        case 85..<89: try await review()
        case 89..<91: if hasPauses { try await pause() }
        case 91..<93: if hasDeletion { try await delete(person) }
        case 93..<95: if hasNewAccounts { try await logOut(person) }
        default: passTime()
        }
        try look()
    }

    func email(of person: SharingPerson) -> String? { person.email }

    func tries(toProve identity: Identity, _ person: SharingPerson) { auditor.proves(identity, person.account) }

    func hasProved(_ person: SharingPerson) { auditor.signs(up: person.account) }

    // MARK: Links and codes

    private func makeShareable(_ device: AccountsDevice) async throws {
        let key = random.oneIn(3) ? "recipe" : nil
        guard let programme = Self.programmes.randomElement(using: &random) else { return }
        try await call(device, "takes its link in \(programme)\(key.map { ", for a \($0)" } ?? "")") {
            try await device.client.sharing.shareable(in: programme, key: key)
        }
    }

    private func chooseCode(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let sharing = device.client.sharing
        guard let shareable = try await sharing.shareables().randomElement(using: &random),
            let word = Self.words.randomElement(using: &random)
        else { return try await makeShareable(device) }
        if random.oneIn(10) {
            try await call(device, "removes the link \(shareable.code)") { try await sharing.remove(shareable.id) }
        } else {
            try await call(device, "chooses \(word) instead of \(shareable.code)") {
                try await sharing.setCode(word, of: shareable.id)
            }
        }
    }

    /// Shares with a sheet or an email, perhaps with somebody whose email is known.
    private func share(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let sharing = device.client.sharing
        guard let shareable = try await sharing.shareables().randomElement(using: &random) else {
            return try await makeShareable(device)
        }
        guard let name = Self.names.randomElement(using: &random),
            let recipient = Identity("mailto:" + SharingPerson.email(of: name, random.oneIn(3) ? 1 : 0))
        else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try await call(device, "shares \(shareable.code)") { try await sharing.share(shareable.id, by: .sheet) }
        case 1...2:
            auditor.shares(with: recipient, person.account)
            try await call(device, "shares \(shareable.code) with \(recipient.shown)") {
                try await sharing.share(shareable.id, by: .sheet, to: recipient)
            }
        default:
            auditor.shares(with: recipient, person.account)
            auditor.orders(emailTo: recipient)
            try await call(device, "shares \(shareable.code) by an email to \(recipient.shown)") {
                try await sharing.email(shareable.id, to: recipient)
            }
        }
    }

    /// Uses a code that somebody has or has had, in another spelling, or one that nobody has.
    private func useCode(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let known = auditor.wanted.keys.sorted()
        let key = random.oneIn(12) ? "N0B0DY" : known.randomElement(using: &random) ?? "N0B0DY"
        let typed = random.oneIn(2) ? key.lowercased() : "https://0.example/s/\(key)?c=message"
        auditor.uses(key, person.account)
        try await call(device, "uses \(typed)") { try await device.client.sharing.use(code: typed) }
    }

    /// Records an order, some of them again, or an event that nothing rewards.
    private func recordEvent(_ person: SharingPerson, _ device: AccountsDevice) async throws {
        let number = Int.random(in: 0..<3, using: &random)
        let name = random.oneIn(5) ? "visit" : "order"
        let id = SharingEventID(stable: "\(person.account) \(name) \(number)", in: "com.example.shop")
        try await call(device, "records “\(name)” \(number)") {
            try await device.client.sharing.record(event: name, in: "shop", id: id)
        }
    }

    // MARK: New accounts

    /// The operator deletes the account of a person, who opens a new one.
    private func delete(_ person: SharingPerson) async throws {
        try internet.delete(person.account, on: 0)
        auditor.deletes(person.account)
        note("\(person.name): the account is deleted")
        try await withoutHazards {
            for device in person.devices {
                _ = try? await device.client.syncNow()
                requested[device.index] = nil
                // An anonymous account is replaced, and what was not sent goes on with the next one.
                if let fault = auditor.fault(in: try await SharingLook(device)) {
                    throw fail("\(device.name), after the account was deleted: \(fault)")
                }
            }
            person.changes(to: try await openAccount(on: person.devices, called: person.name))
        }
    }

    /// A person logs out on all devices, and somebody goes on with a new account. It must show nothing of the old one.
    private func logOut(_ person: SharingPerson) async throws {
        try await withoutHazards {
            for device in person.devices {
                _ = try await device.client.session.logOut()
                requested[device.index] = nil
                try await judgeEmpty(device, "after the log-out")
            }
            note("\(person.name): logs out of \(person.account)")
            person.changes(to: try await openAccount(on: person.devices, called: person.name))
            for device in person.devices { try await judgeEmpty(device, "with a new account") }
        }
    }

    private func judgeEmpty(_ device: AccountsDevice, _ time: String) async throws {
        let look = try await SharingLook(device)
        let count = look.made.count + look.given.count
        if count > 0 { throw fail("\(device.name): \(time), it shows \(count) records of the previous user") }
    }

    // MARK: The server and time

    /// The server does its work in the background. It can die in the middle.
    private func workInBackground() async throws {
        let isDone = try await part.workOnSharing(dying: death)
        note(isDone ? "server: works on sharing" : "server: dies while it works on sharing")
    }

    private func passTime() {
        let minutes: ClosedRange<Int64> = random.oneIn(3) ? 300...1_500 : 1...90
        pass(minutes: Int64.random(in: minutes, using: &random))
    }

    // MARK: The operator

    /// The operator releases or refuses a referral, also one that was decided before.
    private func review() async throws {
        let (referrals, time) = (part.referrals, internet.time)
        guard let one = try await referrals.list().randomElement(using: &random) else { return }
        let isReleasing = random.oneIn(2)
        let what = "\(isReleasing ? "releases" : "refuses") “\(one.event)” of \(one.friend) in \(one.programme)"
        let crash = internet.servers[0].crash
        crash.now = death
        defer { crash.now = .none }
        do {
            let ids = random.oneIn(3) ? [one.id, one.id] : [one.id]
            let decisions = try await isReleasing ? referrals.release(ids, at: time) : referrals.refuse(ids, at: time)
            note("operator: \(what): \(decisions.map(\.result.rawValue).joined(separator: ", "))")
        } catch let error where Crash.isCause(of: error) {
            note("operator: \(what): the server dies")
        }
    }

    /// The operator pauses a programme, or ends its pause.
    private func pause() async throws {
        guard let programme = Self.programmes.randomElement(using: &random) else { return }
        try await setPaused(!paused.contains(programme), programme)
    }

    private func setPaused(_ isPaused: Bool, _ programme: String) async throws {
        _ = try await part.programmes.setPaused(isPaused, programme, at: internet.time)
        if isPaused { paused.insert(programme) } else { paused.remove(programme) }
        note("operator: \(programme) is \(isPaused ? "paused" : "resumed")")
    }

    // MARK: The end

    func heal() async throws {
        makePeace()
        for programme in paused.sorted() { try await setPaused(false, programme) }
        // Longer than everything that is held.
        try await comeToRest(5, ofHours: 13) {
            // Nothing arrives while the server works.
            try look()
            _ = try await part.workOnSharing()
            try look()
        }
        try look()
        let ledger = try SharingLedger(internet.servers[0].database)
        if let fault = auditor.fault(in: ledger) { throw fail(fault) }
        if let fault = auditor.omission(in: ledger, after: history) { throw fail(fault) }
        for person in people {
            var looks: [SharingLook] = []
            for device in person.devices {
                try await judge(device)
                looks.append(try await SharingLook(device))
            }
            if let fault = auditor.differenceFault(looks) { throw fail("\(person.name): \(fault)") }
            if let look = looks.first, let fault = auditor.fault(in: look, ledger) {
                throw fail("\(person.name): \(fault)")
            }
        }
    }

    // MARK: Judging

    /// Looks at what the server has got and processed in the step.
    private func look() throws {
        try history.look(at: internet.servers[0].database, time: internet.time, paused: paused)
    }

    func judge(_ device: AccountsDevice) async throws {
        try judgeServer()
        if let fault = auditor.fault(in: part.mail) { throw fail(fault) }
        if let fault = auditor.fault(in: try await SharingLook(device)) { throw fail("\(device.name): \(fault)") }
    }
}
