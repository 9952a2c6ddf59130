import Kith
import KithModel
import KithServer

/// What happens between people who share: rounds, the work of the server, the operator's decisions, time, and the end.
extension SharingWorld {
    func sync(_ device: AccountsDevice) async throws {
        try await call(device, "syncs") { try await device.client.syncNow() }
    }

    /// The server does its work in the background. It can die in the middle.
    func workInBackground() async throws {
        let isDone = try part.workOnSharing(dying: death)
        note(isDone ? "server: works on sharing" : "server: dies while it works on sharing")
    }

    /// Where the server dies next.
    private var death: Crash.Point {
        guard hazards.serverCrashes, random.oneIn(3) else { return .none }
        return random.oneIn(2) ? .beforeCommit : .afterCommit
    }

    func deliverMail() async {
        await part.deliver()
        note("messages are delivered")
    }

    func setOffline(_ device: AccountsDevice) {
        if internet.offline.remove(device.index) == nil {
            internet.offline.insert(device.index)
            note("\(device.name): has no network")
        } else {
            note("\(device.name): has a network again")
        }
    }

    func passTime() {
        let minutes: Int64 =
            random.oneIn(3) ? Int64.random(in: 300...1_500, using: &random) : Int64.random(in: 1...90, using: &random)
        internet.time = internet.time + .minutes(minutes)
        note("\(minutes) minutes pass")
    }

    // MARK: The operator

    /// The operator releases or refuses a referral, also one that was decided before.
    func review() async throws {
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
    func pause() async throws {
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
        note("peace")
        stopHazards()
        internet.offline = []
        for programme in paused.sorted() { try await setPaused(false, programme) }
        // Longer than everything that is held.
        for _ in 0..<5 {
            try await syncAll()
            try workInPeace()
            await deliverMail()
            internet.time = internet.time + .minutes(13 * 60)
        }
        for _ in 0..<2 {
            try await syncAll()
            try workInPeace()
        }
        try await syncAll()
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

    /// The server does all its work. Nothing arrives meanwhile.
    private func workInPeace() throws {
        try look()
        _ = try part.workOnSharing()
        try look()
    }

    private func syncAll() async throws {
        for person in people {
            for device in person.devices {
                try await call(device, "syncs", crashes: false) { try await device.client.syncNow() }
            }
        }
    }
}
