import Foundation
import Kith
import KithModel
import KithServer

/// The world of one seed in which people share with each other, and are rewarded.
///
/// Four people with six devices use one server with two programmes. They make links and choose codes, use the codes of
/// others, repeatedly and crossing, sign up early or late, and go on with new accounts. The operator decides about what is
/// held.
final class SharingWorld {
    var random: SplitMix64
    let internet: SimulatedInternet
    let auditor = SharingAuditor()
    let hazards: SharingHazards
    private(set) var people: [SharingPerson] = []
    private(set) var step = 0
    private(set) var timeline: [String] = []
    private let seed: UInt64
    /// What the server has got and processed.
    private(set) var history = SharingHistory()
    /// The codes for emails that each device has requested.
    var requested: [Int: [(sent: SentCode, identity: Identity)]] = [:]
    /// The programmes that are paused.
    var paused: Set<String> = []

    static let programmes = ["friends", "shop"]
    static let names = ["Ada", "Ben", "Cleo", "Dan"]

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(world: seed ^ 0x54A2)
        hazards = SharingHazards(using: &random)
        let server = try SimulatedServer(name: "server", version: .newest, seed: seed &* 19)
        internet = SimulatedInternet(
            servers: [server], isLossy: false, time: Timestamp(milliseconds: 1_790_000_000_000), seed: seed ^ 0x11)
        internet.places[try InvitationsWorld.address()] = 0
        internet.signIn = [try SimulatedSignIn(server, seed: seed &* 37) { [internet] in internet.time }]
        internet.signInAuditors = internet.signIn.map { SignInAuditor($0.limits) }
    }

    /// The part of the server that sends emails.
    var part: SimulatedSignIn { internet.signIn[0] }

    // MARK: The run

    func run(steps: Int = 150) async throws {
        try await settle()
        startHazards()
        while step < steps {
            step += 1
            internet.time = internet.time + .milliseconds(Int64.random(in: 1...20_000, using: &random))
            guard let person = people.randomElement(using: &random),
                let device = person.devices.randomElement(using: &random)
            else { return }
            try await happen(to: person, on: device)
            try look()
            try await judge(device)
        }
        try await heal()
    }

    /// The operator makes the programmes, and the people open their accounts.
    private func settle() async throws {
        for programme in Self.programmes {
            let file = file(of: programme)
            _ = try await part.programmes.create(Data(file.utf8), at: internet.time)
            note("operator: \(file)")
        }
        var number = 0
        for (index, name) in Self.names.enumerated() {
            let devices = try ["phone", "tablet"].prefix(index < 2 ? 2 : 1).map { kind in
                defer { number += 1 }
                return try AccountsDevice(
                    number, "\(name)’s \(kind)", address: InvitationsWorld.address(), on: internet,
                    seed: seed &* 59 &+ UInt64(number))
            }
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

    /// Opens a new account, and takes it to all devices.
    func openAccount(on devices: [AccountsDevice], called name: String) async throws -> AccountID {
        _ = try await devices[0].client.session.open()
        guard let account = try await devices[0].client.session.account(),
            let token = try devices[0].credentials.token(for: account)
        else { throw fail("no account opens") }
        for device in devices.dropFirst() {
            internet.typedToken = token
            defer { internet.typedToken = nil }
            _ = try await device.client.session.activate(token: token)
        }
        try await devices[0].client.network.updateProfile { $0.given = name }
        for device in devices { try await device.client.syncNow() }
        note("\(name): is \(account)")
        return account
    }

    func startHazards() {
        internet.isLossy = hazards.loss
        internet.isDoubling = hazards.doubling
        internet.hasCrashes = hazards.serverCrashes
        part.mail.isReliable = !hazards.badMail
    }

    func stopHazards() {
        internet.isLossy = false
        internet.isDoubling = false
        internet.hasCrashes = false
        part.mail.isReliable = true
    }

    private func happen(to person: SharingPerson, on device: AccountsDevice) async throws {
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
        case 82..<85: setOffline(device)
        case 85..<89: try await review()
        case 89..<91: if hazards.pauses { try await pause() }
        case 91..<93: if hazards.deletion { try await delete(person) }
        case 93..<95: if hazards.newAccounts { try await logOut(person) }
        default: passTime()
        }
    }

    // MARK: Calling

    /// Calls the SDK. The device can crash in the middle, and is restarted then.
    ///
    /// - Returns: What the call has returned; nil if it was refused or interrupted.
    @discardableResult
    func call<Outcome>(
        _ device: AccountsDevice, _ what: String, crashes: Bool = true, _ body: () async throws -> Outcome
    ) async throws -> Outcome? {
        let isCrashing = crashes && hazards.deviceCrashes && random.oneIn(15)
        if isCrashing { device.crash.now = random.oneIn(2) ? .beforeCommit : .afterCommit }
        var outcome: Outcome?
        do {
            outcome = try await body()
            note("\(device.name): \(what)")
        } catch let error as KithError {
            note("\(device.name): \(what): \(error.code)")
        } catch is Crash {
            note("\(device.name): \(what): crashes")
        }
        if isCrashing {
            try device.restart(at: device.address)
            note("\(device.name): is restarted")
        }
        return outcome
    }

    // MARK: Checking

    /// Looks at what the server has got and processed in the step.
    func look() throws {
        try history.look(at: internet.servers[0].database, time: internet.time, paused: paused)
    }

    func judge(_ device: AccountsDevice) async throws {
        if let fault = internet.fault { throw fail(fault) }
        for auditor in internet.signInAuditors {
            auditor.judge(part.mail.letters)
            if let fault = auditor.fault { throw fail(fault) }
        }
        if let fault = auditor.fault(in: part.mail) { throw fail(fault) }
        if let fault = auditor.fault(in: try await SharingLook(device)) { throw fail("\(device.name): \(fault)") }
    }

    func note(_ line: String) { timeline.append("\(step)\t\(line)") }

    func fail(_ detail: String) -> LawBroken {
        LawBroken(seed: seed, step: step, law: "Sharing", detail: detail, timeline: timeline)
    }
}
