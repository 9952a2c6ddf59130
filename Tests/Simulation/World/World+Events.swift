import Foundation
import GRDB
import Kith
import KithModel
import KithServer

/// What befalls devices and server besides edits and messages.
extension World {
    func openAccount(on index: Int) throws -> AccountID {
        let account = try servers[index].openAccount(at: time(on: servers[index])).account
        accounts.append(account)
        homes[account] = index
        return account
    }

    func signIn(_ index: Int, account: AccountID) throws {
        let device = devices[index]
        let look = try device.replica.look()
        let before = look.account.id
        try device.replica.writeNow { try $0.adopt(account) }
        device.sessions.append(account)
        // An account that its server has known keeps what it has: the new session begins with nothing.
        if try before == nil || !device.hasStore(of: before) {
            auditor.adopted(index, account, from: before)
        } else if let before {
            device.left[before] = look
        }
        note("\(device.name): opens the session of \(account)")
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
        if random.oneIn(4) {
            for server in servers {
                server.offset = server.offset + .seconds(Int64.random(in: -600...600, using: &random))
            }
        }
        note("\(devices[index].name): its clock jumps by \(jump)")
    }

    /// Another account signs in on the device, or an earlier one comes back.
    func switchAccount(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        let other = accounts.randomElement(using: &random) ?? accounts[0]
        let before = try device.replica.look()
        if let account = before.account.id { device.left[account] = before }
        try device.replica.writeNow { try $0.enter(other, as: .anonymous) }
        if let left = device.left.removeValue(forKey: other) {
            try auditor.judgeReturn(left, try device.replica.look(), to: device, in: self)
        }
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

    /// A device is copied onto another, or one of the two is lost.
    func copyOrLose(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        if let heir = auditor.copy(of: index), !devices[heir].isLost, random.oneIn(2) {
            device.isLost = true
            auditor.lost(index, heir: heir)
            return note("\(device.name): falls into a lake")
        }
        guard living.count < 6 else { return }
        let copy = try device.copy(name: "\(device.name)’", seed: seed &* 77 &+ UInt64(devices.count))
        devices.append(copy)
        touched.insert(devices.count - 1)
        try auditor.copied(index, to: devices.count - 1, device)
        note("\(device.name): is copied onto another device")
    }

    func crashServer() {
        guard let server = servers.randomElement(using: &random) else { return }
        server.crash.now = Bool.random(using: &random) ? .beforeCommit : .afterCommit
        note("\(server.name): will crash at its next commit")
    }

    func backUpOrRestore() throws {
        let index = Int.random(in: servers.indices, using: &random)
        let server = servers[index]
        guard server.crash.now == .none else { return }
        guard server.hasBackup else {
            try server.backUp()
            return note("\(server.name): is backed up")
        }
        try server.restore()
        // What travelled belongs to the database that is gone.
        network.removeAll { $0.server == index }
        auditor.restored()
        note("\(server.name): is restored from its backup")
    }

    /// A device on which an earlier version of Kith has run until now gets this one.
    func upgrade(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        let before = try device.replica.look()
        let version = try ReplicaDowngrade.apply(to: device.queue, using: &random)
        try device.restart()
        note("\(device.name): is upgraded from the version with \(version) migrations")
        let after = try device.replica.look()
        guard before.lists == after.lists, before.items == after.items, before.waiting == after.waiting,
            before.rejections.map(\.values) == after.rejections.map(\.values),
            before.account.device == after.account.device
        else {
            throw fail(
                "Law 12: Forward only", "an upgrade of \(device.name) changes what is shown, waits or was rejected")
        }
    }

    /// The owner of a list makes a link, and someone else accepts it.
    func share(_ index: Int) throws {
        let look = try devices[index].replica.look()
        guard let owner = look.account.id, let list = look.lists.first(where: { $0.role == .owner }) else { return }
        let server = home(of: owner)
        guard let guest = server.accounts.filter({ $0 != owner }).randomElement(using: &random) else { return }
        guard server.crash.now == .none, try server.hasAccount(guest) else { return }
        do {
            let now = time(on: server)
            let link = try server.links.createNow(
                LinkRequest(role: random.oneIn(4) ? .viewer : .editor), for: list.id, by: owner, at: now,
                on: server.database
            ).value
            func join() throws {
                _ = try server.links.acceptNow(link.token ?? "", by: guest, at: now, on: server.database)
            }
            do {
                try join()
            } catch let error as ServerError where error.code == .forbidden {
                // The owner has removed them before, and lets them in again.
                try server.links.letInNow(guest, to: list.id, by: owner, at: now, on: server.database)
                try join()
            }
            changed = homes[owner]
            auditor.joined(guest, list.id)
            note("\(server.name): \(guest) joins \(list.id)")
        } catch let error as ServerError where [.notFound, .tooMany].contains(error.code) {
            // The server does not know the list yet, or no longer.
        }
    }
}
