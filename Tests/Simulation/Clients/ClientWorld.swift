import Kith
import KithModel

/// The world of one seed in which people with complete clients use one server, which sends messages.
///
/// These worlds differ in what people do and in what is judged. Their runs, calls, sign-ups and hazards are alike.
protocol ClientWorld: AnyObject {
    associatedtype Person: ClientUser

    /// What the world judges.
    static var law: Law { get }
    var seed: UInt64 { get }
    var random: SplitMix64 { get set }
    var internet: SimulatedInternet { get }
    var hazards: ClientHazards { get }
    var people: [Person] { get }
    /// The codes for emails that each device has requested.
    var requested: [Int: [(sent: SentCode, identity: Identity)]] { get set }
    var step: Int { get set }
    /// The events, one line for each.
    var timeline: [String] { get set }

    /// The people open their accounts.
    func settle() async throws
    /// Something happens to a person who has a device in hand.
    func happen(to person: Person, on device: AccountsDevice) async throws
    /// Judges the messages, and what a device shows.
    func judge(_ device: AccountsDevice) async throws
    /// Ends all hazards, and judges what is there when nothing waits any more.
    func heal() async throws
    /// An email that the person reads.
    func email(of person: Person) -> String?
    /// A person tries to prove an identity.
    func tries(toProve identity: Identity, _ person: Person)
    /// A person has proved an identity.
    func hasProved(_ person: Person)
}

extension ClientWorld {
    /// The part of the server that sends emails.
    var part: SimulatedSignIn { internet.signIn[0] }

    var devices: [AccountsDevice] { people.flatMap(\.devices) }

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

    /// The devices of a new person: a phone, and perhaps a tablet.
    func newDevices(_ count: Int, of name: String, seed: UInt64) throws -> [AccountsDevice] {
        let first = devices.count
        return try ["phone", "tablet"].prefix(count).enumerated().map { index, kind in
            try AccountsDevice(
                first + index, "\(name)’s \(kind)", address: SimulatedInternet.address(), on: internet,
                seed: seed &+ UInt64(first + index))
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

    // MARK: Hazards

    private func startHazards() {
        internet.isLossy = hazards.loss
        internet.isDoubling = hazards.doubling
        internet.hasCrashes = hazards.serverCrashes
        part.mail.isReliable = !hazards.badMail
    }

    private func stopHazards() {
        internet.isLossy = false
        internet.isDoubling = false
        internet.hasCrashes = false
        part.mail.isReliable = true
    }

    func withoutHazards(_ body: () async throws -> Void) async throws {
        stopHazards()
        let offline = internet.offline
        internet.offline = []
        try await body()
        internet.offline = offline
        startHazards()
    }

    /// Where the server dies next.
    var death: Crash.Point {
        guard hazards.serverCrashes, random.oneIn(3) else { return .none }
        return random.oneIn(2) ? .beforeCommit : .afterCommit
    }

    // MARK: Calls

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

    func sync(_ device: AccountsDevice) async throws {
        try await call(device, "syncs") { try await device.client.syncNow() }
    }

    func deliverMail() async {
        await part.deliver()
        note("messages are delivered")
    }

    func pass(minutes: Int64) {
        internet.time = internet.time + .minutes(minutes)
        note("\(minutes) minutes pass")
    }

    // MARK: Signing up

    /// Requests a code for an email of the person, or enters one.
    func proveEmail(_ person: Person, _ device: AccountsDevice) async throws {
        if try await enterCode(person, device) { return }
        guard let email = email(of: person), let identity = Identity("mailto:\(email)") else { return }
        let sent = try await call(device, "requests a code for \(email)", crashes: false) {
            try await device.client.signIn.requestCode(for: identity, device: device.name)
        }
        if let sent { requested[device.index, default: []].append((sent, identity)) }
        await deliverMail()
        if !random.oneIn(3) { try await enterCode(person, device) }
    }

    /// Enters the code of the last email.
    ///
    /// - Returns: Whether there is one.
    @discardableResult
    private func enterCode(_ person: Person, _ device: AccountsDevice) async throws -> Bool {
        guard let known = requested[device.index]?.last, let letter = part.mail.letter(known.sent.id) else {
            return false
        }
        tries(toProve: known.identity, person)
        let proved = try await call(device, "proves \(known.identity.shown)", crashes: false) {
            try await device.client.signIn.check(letter.code, of: known.sent)
        }
        requested[device.index]?.removeLast()
        guard let proved else { return true }
        if proved.account != person.account {
            throw fail("\(device.name): an email of nobody else leads to \(proved.account)")
        }
        hasProved(person)
        return true
    }

    // MARK: The end

    func makePeace() {
        note("peace")
        stopHazards()
        internet.offline = []
    }

    /// Lets time pass until the devices and the server have nothing to do.
    ///
    /// - Parameters:
    ///   - rounds: How often time passes. In all, that is longer than anything waits.
    ///   - hours: The time that passes in a round.
    ///   - work: The server does all its work.
    /// - Throws: What `work` throws, or an error of a device.
    func comeToRest(_ rounds: Int, ofHours hours: Int64, _ work: () async throws -> Void) async throws {
        for _ in 0..<rounds {
            try await syncAll()
            try await work()
            await deliverMail()
            internet.time = internet.time + .minutes(hours * 60)
        }
        for _ in 0..<2 {
            try await syncAll()
            try await work()
        }
        try await syncAll()
    }

    private func syncAll() async throws {
        for device in devices {
            try await call(device, "syncs", crashes: false) { try await device.client.syncNow() }
        }
    }

    // MARK: Judging

    /// Judges what every world of clients judges: no token or edit goes astray, and codes work as they have to.
    func judgeServer() throws {
        if let fault = internet.fault ?? internet.signInFault() { throw fail(fault) }
    }

    func note(_ line: String) { timeline.append("\(step)\t\(line)") }

    func fail(_ detail: String) -> LawBroken {
        LawBroken(seed: seed, step: step, law: Self.law, detail: detail, timeline: timeline)
    }
}
