import Foundation
import GRDB
import Kith
import KithModel
import KithServer

/// What befalls devices and server besides edits and messages.
extension World {
    func openAccount() throws -> AccountID {
        let account = try sessions.openNow(at: serverTime, on: server).account
        accounts.append(account)
        return account
    }

    func accountExists(_ account: AccountID) throws -> Bool {
        try server.readNow { try !$0.query("SELECT 1 FROM account WHERE id = ?", [.id(account)]).isEmpty }
    }

    func signIn(_ index: Int, account: AccountID) throws {
        let before = try devices[index].replica.look().account.id
        try devices[index].replica.writeNow { try $0.adopt(account) }
        devices[index].sessions.append(account)
        auditor.adopted(index, account, from: before)
        note("\(devices[index].name): opens the session of \(account)")
    }

    /// The device's next write breaks off, before or after its commit.
    func crash(_ index: Int) throws {
        devices[index].crash.now = Bool.random(using: &random) ? .beforeCommit : .afterCommit
        note("\(devices[index].name): will crash at its next commit")
    }

    func jump(_ index: Int) {
        let limit: Int64 = hazards.restore ? 3_600 : 86_400 * 40
        let jump = Duration.seconds(Int64.random(in: -limit...limit, using: &random))
        devices[index].clock.now = devices[index].clock.now + jump
        if random.oneIn(4) { serverOffset = serverOffset + .seconds(Int64.random(in: -600...600, using: &random)) }
        note("\(devices[index].name): its clock jumps by \(jump)")
    }

    /// Another account signs in on the device, or an earlier one comes back.
    func switchAccount(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        let other = accounts.randomElement(using: &random) ?? accounts[0]
        try device.replica.writeNow { try $0.enter(other, as: .anonymous) }
        if !device.sessions.contains(other) { device.sessions.append(other) }
        note("\(device.name): now speaks for \(other)")
    }

    /// Someone who owns a list takes someone out of it, or appoints them.
    func revoke(_ index: Int) throws {
        let look = try devices[index].replica.look()
        guard let list = look.lists.filter({ $0.role == .owner }).randomElement(using: &random) else { return }
        try change(index, "takes someone out of \(list.id)") { changes in
            let others = try changes.members(of: list.id).filter { $0.id != look.account.id }
            guard let other = others.first else { return }
            switch list.name.utf8.count % 3 {
            case 0: try changes.setRole(.viewer, of: other.id, in: list.id)
            case 1 where other.role == .editor: try changes.handOver(list.id, to: other.id)
            default: try changes.removeMember(other.id, from: list.id)
            }
        }
    }

    func copy(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        let copy = try device.copy(name: "\(device.name)’", seed: seed &* 77 &+ UInt64(devices.count))
        devices.append(copy)
        touched.insert(devices.count - 1)
        try auditor.copied(index, to: devices.count - 1, device)
        note("\(device.name): is copied onto another device")
    }

    func backUpOrRestore() throws {
        guard serverCrash.now == .none else { return }
        guard let backup else {
            self.backup = try server.copy()
            return note("server: is backed up")
        }
        server = try backup.copy()
        try server.newEpoch()
        armServer()
        self.backup = nil
        // What travelled belongs to the server that is gone.
        network = []
        contacts = try server.contacts()
        auditor.restored()
        note("server: is restored from its backup")
    }

    /// The owner of a list makes a link, and someone else accepts it.
    func share(_ index: Int) throws {
        let look = try devices[index].replica.look()
        guard let owner = look.account.id, let list = look.lists.first(where: { $0.role == .owner }) else { return }
        guard let guest = accounts.filter({ $0 != owner }).randomElement(using: &random) else { return }
        guard serverCrash.now == .none, try accountExists(guest) else { return }
        do {
            let link = try links.createNow(
                LinkRequest(role: random.oneIn(4) ? .viewer : .editor), for: list.id, by: owner, at: serverTime,
                on: server
            ).value
            _ = try links.acceptNow(link.token ?? "", by: guest, at: serverTime, on: server)
            note("server: \(guest) joins \(list.id)")
        } catch let error as ServerError where [.notFound, .tooMany].contains(error.code) {
            // The server does not know the list yet, or no longer.
        }
    }

    // MARK: Peace

    /// Nothing is lost any more. Each device does what its machine decides, until the world is at rest.
    func heal() throws {
        step += 1
        note("peace")
        serverCrash.now = .none
        network = []
        for index in devices.indices where devices[index].crash.now != .none { try recover(index) }
        for index in devices.indices where try devices[index].replica.look().account.state == .initial {
            try signIn(index, account: openAccount())
        }
        var machines = devices.map { _ in SyncMachine() }
        for round in 0..<60 {
            var isQuiet = try !tellAll()
            for index in devices.indices {
                let event: SyncMachine.Event = round == 0 ? .start : .moved
                if try settle(index, &machines[index], event) { isQuiet = false }
            }
            if isQuiet { return }
        }
        throw fail("Law 3: Convergence", "the world does not come to rest within 60 rounds")
    }

    /// Lets one device do what it decides until it rests. Says whether anything was sent or came.
    private func settle(_ index: Int, _ machine: inout SyncMachine, _ first: SyncMachine.Event) throws -> Bool {
        let device = devices[index]
        var event = first
        var hasMoved = false
        for _ in 0..<200 {
            let look = try device.replica.look()
            let situation = SyncMachine.Situation(
                now: device.clock.now, session: look.account.state, waiting: look.waiting,
                lastRound: look.account.completed, schedule: look.account.schedule)
            switch machine.handle(event, in: situation) {
            case .rest: return hasMoved
            case .wait(let until):
                guard machine.isBehind || look.waiting > 0 else { return hasMoved }
                pass(max(until - device.clock.now, .milliseconds(1)))
                event = .tick
            case .openSession:
                // The restored server does not know the account: what was only here goes on under a new one.
                try signIn(index, account: openAccount())
                event = .signedIn
            case .round:
                let before = try device.replica.look()
                event = try peacefulRound(index)
                let after = try device.replica.look()
                if before.lists != after.lists || before.items != after.items || before.contacts != after.contacts
                    || before.waiting != after.waiting
                {
                    hasMoved = true
                }
            }
        }
        throw fail("Law 3: Convergence", "\(device.name) does not come to rest")
    }

    private func peacefulRound(_ index: Int) throws -> SyncMachine.Event {
        let device = devices[index]
        guard let request = try device.rounds.begin() else { return .failed }
        guard try accountExists(request.account) else {
            _ = try device.rounds.fail(refusal(of: request.account), of: request)
            return .failed
        }
        let before = try auditor.titles(in: request, on: server)
        let answer = try SyncService.syncNow(
            request, as: request.account, at: serverTime, page: hazards.page, on: server
        ).answer
        try auditor.note(before, in: request, on: server)
        let next = try device.rounds.finish(request, answer)
        note(
            "\(device.name): \(request.mutations.count) up, \(answer.device), \(answer.outcomes.map { "\($0.number) \($0.result) \($0.code?.rawValue ?? "")" }): \(next)"
        )
        auditor.acknowledged(request, answer, on: index)
        return .ended(next)
    }
}
