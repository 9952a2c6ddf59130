import Kith
import KithModel
import KithServer

/// What people do to each other, and how the server passes it on in the background.
struct PeopleMoves {
    let world: World

    /// Someone sends or answers a request, blocks, mutes, or edits their profile; or the server passes changes on.
    func move(_ index: Int) throws {
        guard world.devices[index].version.knows(.contacts) else { return }
        switch Int.random(in: 0..<15, using: &world.random) {
        case 12...: try world.liveStreams.use(index)
        case 0..<3: try describe(index)
        case 3..<9: try meet(index)
        case 9..<11: try tellNext()
        default: if world.hazards.deletion { try deleteSomeone() }
        }
    }

    private func describe(_ index: Int) throws {
        let text = "words \(world.step)"
        let choice = Int.random(in: 0..<7, using: &world.random)
        try world.change(index, "says “\(text)” of itself (\(choice))") { changes in
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
            world.auditor.wrote(after.filter { before[$0.key] != $0.value }, of: .profile)
        }
    }

    private func meet(_ index: Int) throws {
        let me = try world.devices[index].content().account.id
        guard let other = world.accounts.filter({ $0 != me }).randomElement(using: &world.random) else { return }
        switch Int.random(in: 0..<12, using: &world.random) {
        case 0..<5: try world.change(index, "wants \(other)") { try $0.connect(other) }
        case 5: try world.change(index, "declines \(other)") { try $0.decline(other) }
        case 6: try world.change(index, "cancels with \(other)") { try $0.cancel(other) }
        case 7: try world.change(index, "removes \(other)") { try $0.remove(other) }
        case 8: try block(other, true, index)
        case 9: try block(other, false, index)
        case 10: try world.change(index, "mutes \(other)") { try $0.mute(other) }
        default: try world.change(index, "unmutes \(other)") { try $0.unmute(other) }
        }
    }

    private func block(_ other: AccountID, _ isBlocked: Bool, _ index: Int) throws {
        try world.change(index, "\(isBlocked ? "blocks" : "unblocks") \(other)") { changes in
            let was = try changes.contact(other)?.isBlocked ?? false
            if isBlocked { try changes.block(other) } else { try changes.unblock(other) }
            if was != isBlocked { world.auditor.wrote(["isBlocked": .flag(isBlocked)], of: .contact(other)) }
        }
    }

    /// One step of a server's background work, which may crash.
    private func tellNext() throws {
        let index = Int.random(in: world.servers.indices, using: &world.random)
        let server = world.servers[index]
        defer { server.crash.now = .none }
        world.changed = index
        do {
            let time = world.time(on: server)
            let step = try server.database.writeNow { try ProfileFanout.take(at: time, in: $0) }
            world.liveStreams.ask(step.circles, on: server)
            world.note("\(server.name): tells \(step.moved.count) what became of someone")
        } catch let error where Crash.isCause(of: error) {
            world.note("\(server.name): crashes while it tells")
            world.liveStreams.breakAll(of: server)
        }
    }

    private func deleteSomeone() throws {
        guard world.accounts.count > 1, let account = world.accounts.randomElement(using: &world.random) else { return }
        let server = world.home(of: account)
        guard server.crash.now == .none, try server.hasAccount(account) else { return }
        try server.delete(account, at: world.time(on: server))
        world.changed = world.homes[account]
        world.liveStreams.end(of: account)
        world.note("\(server.name): \(account) is deleted")
    }
}
