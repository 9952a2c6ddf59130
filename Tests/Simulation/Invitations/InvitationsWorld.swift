import Kith
import KithModel
import KithServer

/// The world of one seed in which people invite each other.
///
/// Three people with five devices use one server. They invite by email and SMS, one or several at once, offline and
/// online, and with messages that they send themselves. They answer by the record, or by the link in the delivered
/// message.
final class InvitationsWorld: ClientWorld {
    static let law = Law.invitations

    let seed: UInt64
    var random: SplitMix64
    let internet: SimulatedInternet
    let auditor = InvitationAuditor()
    let hazards: ClientHazards
    /// Whether accounts are deleted.
    private let hasDeletion: Bool
    /// Whether people block or remove each other, leave lists, or remove others from them.
    private let hasPartings: Bool
    /// Whether days pass, so that declined invitations can be sent again, and others expire.
    private let hasAges: Bool
    private(set) var people: [SimulatedPerson] = []
    var step = 0
    var timeline: [String] = []
    var requested: [Int: [(sent: SentCode, identity: Identity)]] = [:]
    /// The number of invitations that people have tried to make.
    var made = 0
    /// The messages that people have composed, and may have sent themselves.
    var composed: [InvitationMessage] = []

    init(seed: UInt64, storage: ServerStorage = .memory) throws {
        self.seed = seed
        random = SplitMix64(world: seed ^ 0x1417)
        hazards = ClientHazards(using: &random)
        hasDeletion = random.oneIn(3)
        hasPartings = random.oneIn(3)
        hasAges = random.oneIn(3)
        let server = try SimulatedServer(name: "server", version: .newest, seed: seed &* 17, storage: storage)
        internet = try SimulatedInternet(servers: [server], seed: seed ^ 0x10)
        try internet.startSignIn(seed: seed &* 31)
    }

    // MARK: The run

    /// The people open their accounts, and say how they are called.
    func settle() async throws {
        let emails = [
            ["ada@example.com"], ["ben@example.com", "ben.later@example.com"], ["cleo@example.com"],
        ]
        for (index, name) in ["Ada", "Ben", "Cleo"].enumerated() {
            let devices = try newDevices(name == "Cleo" ? 1 : 2, of: name, seed: seed &* 57)
            people.append(
                SimulatedPerson(
                    name: name, devices: devices, emails: emails[index], number: "+43664100000\(index)",
                    account: try await openAccount(on: devices, called: name)))
        }
    }

    func happen(to person: SimulatedPerson, on device: AccountsDevice) async throws {
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
        case 58..<61: if hasPartings { try await partWays(person, device) }
        case 61..<76: try await sync(device)
        case 76..<85: try await workInBackground()
        case 85..<89: await deliverMail()
        case 89..<92: note(internet.switchNetwork(of: device))
        case 92..<93: if hasDeletion { try await delete(person) }
        default: passTime()
        }
    }

    func email(of person: SimulatedPerson) -> String? { person.emails.randomElement(using: &random) }

    func tries(toProve identity: Identity, _ person: SimulatedPerson) {
        auditor.proves(identity, person.account, at: internet.time)
    }

    func hasProved(_ person: SimulatedPerson) {}

    // MARK: The server and time

    /// The server does its work in the background. It can die in the middle.
    private func workInBackground() async throws {
        try passOnProfiles()
        let isDone = try await part.work(dying: death)
        note(isDone ? "server: works on invitations" : "server: dies while it works on invitations")
        if isDone { try await noteDead() }
    }

    private func passOnProfiles() throws {
        let (server, time) = (internet.servers[0], internet.time)
        while try server.database.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
            _ = try server.database.writeNow { try ProfileFanout.take(at: time, in: $0) }
        }
    }

    /// Notes the invitations that the server has revoked for good: every device of the inviter shows that, and nothing
    /// of it waits.
    private func noteDead() async throws {
        for person in people {
            let ended = auditor.stories.filter {
                $0.value.inviter == person.account && $0.value.dead == nil
                    && ($0.value.course == .revoked || $0.value.course == .removed)
            }
            if ended.isEmpty { continue }
            var looks: [InvitationLook] = []
            for device in person.devices { looks.append(try await InvitationLook(device)) }
            for number in ended.keys.sorted() {
                let isKnown = looks.allSatisfy {
                    $0.waiting == 0 && $0.invitation(number, .sent)?.status ?? .cancelled == .cancelled
                }
                if isKnown { auditor.died(number, after: part.mail.attempts.count) }
            }
        }
    }

    private func passTime() {
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<2: pass(minutes: Int64.random(in: 1...30, using: &random))
        case 2..<5: pass(minutes: Int64.random(in: 50...200, using: &random))
        default: pass(minutes: hasAges ? Int64.random(in: 1...8, using: &random) * 1_440 : 70)
        }
    }

    // MARK: The end

    func heal() async throws {
        makePeace()
        try await comeToRest(4, ofHours: 5) {
            try passOnProfiles()
            _ = try await part.work()
        }
        var looks: [AccountID: [InvitationLook]] = [:]
        for person in people {
            for device in person.devices {
                try await judge(device)
                looks[person.account, default: []].append(try await InvitationLook(device))
            }
            if let fault = auditor.differenceFault(looks[person.account] ?? []) {
                throw fail("\(person.name): \(fault)")
            }
        }
        for number in auditor.stories.keys.sorted() {
            let fault =
                auditor.endFault(of: number, looks, part.mail, at: internet.time)
                ?? auditor.agreementFault(of: number, looks)
            if let fault {
                throw fail("invitation \(number): \(fault)")
            }
        }
    }

    // MARK: Judging

    func judge(_ device: AccountsDevice) async throws {
        try judgeServer()
        if let fault = auditor.fault(in: part.mail) { throw fail(fault) }
        if let fault = auditor.fault(in: try await InvitationLook(device)) { throw fail("\(device.name): \(fault)") }
    }
}
