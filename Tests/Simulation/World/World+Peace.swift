import Kith
import KithModel
import KithServer

/// The end of a world.
extension World {
    /// Ends all hazards. Each device then does what its machine decides, until nothing is left to do.
    func heal() async throws {
        step += 1
        note("peace")
        isAtPeace = true
        for server in servers { server.crash.now = .none }
        network = []
        for index in living where devices[index].crash.now != .none { try recover(index) }
        for index in living { if let round = devices[index].engine.round { try giveUp(round, index) } }
        for index in living where try devices[index].content().account.state == .initial {
            try signIn(index, account: openAccount(on: 0))
        }
        // The list of a deleted owner gets another owner or is deleted.
        _ = try tellAll()
        for list in damaged.sorted() { try await move(list) }
        try await settle()
        for server in servers { peopleAuditor.noteConnections(try server.database.contacts(), in: self) }
        try liveStreams.settle()
    }

    /// Adds an item to a list as its owner, on a device that is not in this world. The list changes, so every device
    /// that has it compares the digests.
    private func move(_ list: ListID) async throws {
        guard let server = try server(of: list), let owner = try server.database.owner(of: list) else { return }
        let now = time(on: server)
        let mutation = Mutation(
            id: MutationID(.version7(time: now, using: &random)), number: 1, feed: list.retyped(), collection: .items,
            record: RecordID(.version7(time: now, using: &random)), seen: 0,
            change: .set(["title": "last words", "position": .text(IndexKey.first.text)]))
        let request = SyncRequest(
            account: owner, device: DeviceID(.version7(time: now, using: &random)), acknowledged: .none, sent: 1,
            mutations: [mutation], token: nil)
        let outcomes = try await server.sync(request, as: owner, at: now).answer.outcomes
        if let outcome = outcomes.first { throw fail(.world, "\(list) does not move: \(outcome)") }
    }

    /// Each device sends and reads until nothing is left to send or to read.
    private func settle() async throws {
        // Engines that have run until now only get the event that something has moved.
        var machines = devices.map { $0.engine.machine }
        for _ in 0..<60 {
            var isQuiet = try !tellAll()
            for index in living {
                let event: SyncMachine.Event = machines[index].isRunning ? .moved : .start
                if try await settle(index, &machines[index], event) { isQuiet = false }
            }
            if isQuiet { return }
        }
        throw fail(.convergence, "the world does not come to rest within 60 rounds")
    }

    /// Runs one device until its machine rests. Returns whether anything was sent or received.
    private func settle(
        _ index: Int, _ machine: inout SyncMachine, _ first: SyncMachine.Event
    ) async throws -> Bool {
        let device = devices[index]
        var event = first
        var hasMoved = false
        for _ in 0..<200 {
            let content = try device.content()
            let situation = SyncMachine.Situation(
                now: device.clock.now, session: content.account.state,
                lastRound: content.account.completed, schedule: content.account.schedule)
            switch machine.handle(event, in: situation) {
            case .rest: return hasMoved
            case .wait(let until):
                guard machine.isBehind || content.waiting > 0 else { return hasMoved }
                pass(max(until - device.clock.now, .milliseconds(1)))
                event = .tick
            case .openSession:
                // The restored server does not know the account, so content that was only on this device continues
                // under a new account.
                try signIn(index, account: openAccount(on: 0))
                event = .signedIn
            case .round:
                let before = try device.content()
                event = try await peacefulRound(index)
                let after = try device.content()
                if after.isChanged(from: before) { hasMoved = true }
            }
        }
        throw fail(.convergence, "\(device.name) does not come to rest")
    }

    private func peacefulRound(_ index: Int) async throws -> SyncMachine.Event {
        let device = devices[index]
        guard let request = try device.rounds.begin() else { return .failed }
        guard try accountExists(request.account) else {
            _ = try device.rounds.fail(refusal(of: request.account), of: request)
            return .failed
        }
        let said = device.version.said(request)
        try auditor.judgeSender(of: said, from: index, in: self)
        auditor.sent(said, by: index)
        let server = home(of: request.account)
        let (answer, lists) = try await take(said, from: index, on: server)
        let next = try device.rounds.finish(request, device.version.heard(answer))
        note(
            "\(device.name): \(request.mutations.count) up, \(answer.device.rawValue), \(answer.outcomes.map { "\($0.number) \($0.result.rawValue) \($0.code?.rawValue ?? "")" }): \(next)"
        )
        try heard(answer, to: said, next, lists, on: index)
        return .ended(next)
    }

    /// After everything has come to rest, each device creates one more list, and everything comes to rest again.
    ///
    /// After that, each of several copies has synced since the copying, so every copy must have been detected.
    func letEachSpeak() async throws {
        for index in living {
            let content = try devices[index].content()
            guard content.account.state == .anonymous else { continue }
            try change(index, "makes a last list") { try $0.create("last words") }
        }
        try await settle()
        try auditor.judgeCopies(in: self)
    }
}
