import Kith
import KithModel
import KithServer

/// What people do to each other, and how the server passes it on in the background.
extension World {
    /// Someone sends or answers a request, blocks, mutes, or edits their profile; or the server passes changes on.
    func people(_ index: Int) throws {
        guard devices[index].version.knows(.contacts) else { return }
        switch Int.random(in: 0..<15, using: &random) {
        case 12...: try liveStreams.use(index)
        case 0..<3: try describe(index)
        case 3..<9: try meet(index)
        case 9..<11: try tellNext()
        default: if hazards.deletion { try deleteSomeone() }
        }
    }

    private func describe(_ index: Int) throws {
        let text = "words \(step)"
        let choice = Int.random(in: 0..<7, using: &random)
        try change(index, "says “\(text)” of itself (\(choice))") { changes in
            let before = try changes.profile().fields
            try changes.updateProfile { profile in
                switch choice {
                case 0: profile.given = text
                case 1: profile.status = text
                case 2: profile.phones = [Profile.Entry(text)]
                case 3: profile.given = nil
                case 4: profile.isListed.toggle()
                case 5:
                    let isHidden = profile.visibility(of: .presence) == .nobody
                    profile.visibility[.presence] = isHidden ? .network : .nobody
                default: profile.visibility[.status] = profile.visibility(of: .status) == .nobody ? .network : .nobody
                }
            }
            let after = try changes.profile().fields
            self.auditor.wrote(after.filter { before[$0.key] != $0.value }, of: .profile)
        }
    }

    private func meet(_ index: Int) throws {
        let me = try devices[index].look().account.id
        guard let other = accounts.filter({ $0 != me }).randomElement(using: &random) else { return }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5: try change(index, "wants \(other)") { try $0.connect(other) }
        case 5: try change(index, "declines \(other)") { try $0.decline(other) }
        case 6: try change(index, "cancels with \(other)") { try $0.cancel(other) }
        case 7: try change(index, "removes \(other)") { try $0.removeContact(other) }
        case 8: try block(other, true, index)
        case 9: try block(other, false, index)
        case 10: try change(index, "mutes \(other)") { try $0.mute(other) }
        default: try change(index, "unmutes \(other)") { try $0.unmute(other) }
        }
    }

    private func block(_ other: AccountID, _ isBlocked: Bool, _ index: Int) throws {
        try change(index, "\(isBlocked ? "blocks" : "unblocks") \(other)") { changes in
            let was = try changes.contact(other)?.isBlocked ?? false
            if isBlocked { try changes.block(other) } else { try changes.unblock(other) }
            if was != isBlocked { self.auditor.wrote(["isBlocked": .flag(isBlocked)], of: .contact(other)) }
        }
    }

    /// One step of a server's background work, which may crash.
    private func tellNext() throws {
        let index = Int.random(in: servers.indices, using: &random)
        let server = servers[index]
        defer { server.crash.now = .none }
        changed = index
        do {
            let time = time(on: server)
            let step = try server.database.writeNow { try ProfileFanout.take(at: time, in: $0) }
            liveStreams.ask(step.circles, on: server)
            note("\(server.name): tells \(step.moved.count) what became of someone")
        } catch let error where Crash.isCause(of: error) {
            note("\(server.name): crashes while it tells")
            liveStreams.breakAll(of: server)
        }
    }

    /// Checks that only permitted changes of contacts were made in this step.
    func judgePeople(on server: SimulatedServer) throws {
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

    private func deleteSomeone() throws {
        guard accounts.count > 1, let account = accounts.randomElement(using: &random) else { return }
        let server = home(of: account)
        guard server.crash.now == .none, try server.hasAccount(account) else { return }
        try server.delete(account, at: time(on: server))
        changed = homes[account]
        liveStreams.end(of: account)
        note("\(server.name): \(account) is deleted")
    }
}
