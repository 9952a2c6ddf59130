import Foundation
import Kith
import KithModel
import KithServer

/// The world of one seed in which people invite each other.
///
/// Three people with five devices use one server. They invite by email and SMS, one or several at once, offline and online,
/// and with messages that they send themselves. They answer by the record, or by the link in the delivered message.
final class InvitationsWorld {
    var random: SplitMix64
    let internet: SimulatedInternet
    let auditor = InvitationAuditor()
    let hazards: InvitationHazards
    private(set) var people: [SimulatedPerson] = []
    private(set) var step = 0
    private(set) var timeline: [String] = []
    private let seed: UInt64
    /// The codes that each device has requested, with their emails.
    var requested: [Int: [(sent: SentCode, identity: Identity)]] = [:]
    /// The number of invitations that people have tried to make.
    var made = 0
    /// The messages that people have composed, and may have sent themselves.
    var composed: [InvitationMessage] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(world: seed ^ 0x1417)
        hazards = InvitationHazards(using: &random)
        let server = try SimulatedServer(name: "server", version: .newest, seed: seed &* 17)
        internet = SimulatedInternet(
            servers: [server], isLossy: false, time: Timestamp(milliseconds: 1_790_000_000_000), seed: seed ^ 0x10)
        internet.places[try Self.address()] = 0
        internet.signIn = [try SimulatedSignIn(server, seed: seed &* 31) { [internet] in internet.time }]
        internet.signInAuditors = internet.signIn.map { SignInAuditor($0.limits) }
    }

    /// The part of the server that sends emails.
    var part: SimulatedSignIn { internet.signIn[0] }

    static func address() throws -> URL {
        guard let url = URL(string: "https://0.example") else { throw CocoaError(.fileReadInvalidFileName) }
        return url
    }

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
            try await judge(device)
        }
        try await heal()
    }

    /// The people open their accounts, and say how they are called.
    private func settle() async throws {
        let emails = [
            ["ada@example.com"], ["ben@example.com", "ben.later@example.com"], ["cleo@example.com"],
        ]
        var number = 0
        for (index, name) in ["Ada", "Ben", "Cleo"].enumerated() {
            let devices = try ["phone", "tablet"].prefix(name == "Cleo" ? 1 : 2).map { kind in
                defer { number += 1 }
                return try AccountsDevice(
                    number, "\(name)’s \(kind)", address: Self.address(), on: internet,
                    seed: seed &* 57 &+ UInt64(number))
            }
            people.append(
                SimulatedPerson(
                    name: name, devices: devices, emails: emails[index], number: "+43664100000\(index)",
                    account: try await openAccount(on: devices, called: name)))
        }
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

    private func happen(to person: SimulatedPerson, on device: AccountsDevice) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: try await invite(person, device)
        case 8..<10: try await inviteSeveral(person, device)
        case 10..<12: try await compose(person, device)
        case 12..<27: try await changeSent(person, device)
        case 27..<45: try await answer(person, device)
        case 45..<50: try await openLetter(person, device)
        case 50..<54: try await proveEmail(person, device)
        case 54..<55: try registerNumber(of: person)
        case 55..<58: try await makeList(person, device)
        case 58..<61: if hazards.partings { try await part(person, device) }
        case 61..<76: try await sync(device)
        case 76..<85: try await workInBackground()
        case 85..<89: await deliverMail()
        case 89..<92: setOffline(device)
        case 92..<93: if hazards.deletion { try await delete(person) }
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

    func judge(_ device: AccountsDevice) async throws {
        if let fault = internet.fault { throw fail(fault) }
        for auditor in internet.signInAuditors {
            auditor.judge(part.mail.letters)
            if let fault = auditor.fault { throw fail(fault) }
        }
        if let fault = auditor.fault(in: part.mail) { throw fail(fault) }
        if let fault = auditor.fault(in: try await InvitationLook(device)) { throw fail("\(device.name): \(fault)") }
    }

    func note(_ line: String) { timeline.append("\(step)\t\(line)") }

    func fail(_ detail: String) -> LawBroken {
        LawBroken(seed: seed, step: step, law: "Invitations", detail: detail, timeline: timeline)
    }
}
