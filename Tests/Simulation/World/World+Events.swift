import Foundation
import GRDB
import Kith
import KithModel
import KithServer

/// Events on devices and servers, other than edits and messages.
extension World {
    func openAccount(on index: Int) throws -> AccountID {
        let account = try servers[index].openAccount(at: time(on: servers[index])).account
        accounts.append(account)
        homes[account] = index
        return account
    }

    func signIn(_ index: Int, account: AccountID) throws {
        let device = devices[index]
        let content = try device.content()
        let before = content.account.id
        do {
            try device.replica.writeNow { try $0.adopt(account) }
        } catch is Crash {
            guard try recover(index) else { return }
        }
        device.sessions.append(account)
        if let before, try device.hasStore(of: before) {
            // The server has records of the former account, so its store stays. The new account takes over the lists
            // that nobody else is in and that have unsent edits.
            let taken = try device.content()
            if taken.lists.isEmpty {
                device.left[before] = content
            } else {
                auditor.tookOver(taken.shownLists, try records(on: device, taken), index, account, from: before)
            }
        } else {
            auditor.adopted(index, account, from: before)
        }
        note("\(device.name): opens the session of \(account)")
    }

    /// Makes the device crash at its next write, before or after the commit.
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

    /// Signs another account in on the device, or a former one again.
    func switchAccount(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        let other = accounts.randomElement(using: &random) ?? accounts[0]
        let before = try device.content()
        if let account = before.account.id { device.left[account] = before }
        try device.replica.writeNow { try $0.switchStore(to: other, event: .opened) }
        if let left = device.left.removeValue(forKey: other) {
            try auditor.judgeReturn(left, try device.content(), to: device, in: self)
        }
        if !device.sessions.contains(other) { device.sessions.append(other) }
        note("\(device.name): now speaks for \(other)")
        try tell(index, .signedIn)
    }

    /// The owner of a list removes someone from it or changes their role.
    func revoke(_ index: Int) throws {
        let content = try devices[index].content()
        guard let list = content.lists.filter({ $0.role == .owner }).randomElement(using: &random) else { return }
        try change(index, "takes someone out of \(list.id)") { changes in
            let others = try changes.members(of: list.id).filter { $0.id != content.account.id }
            guard let other = others.first else { return }
            let person = RecordKey.member(other.id, of: list.id)
            func appoint(_ role: Role) throws {
                try changes.setRole(role, of: other.id, in: list.id)
                if role != other.role { self.auditor.wrote(["role": .text(role.rawValue)], of: person) }
            }
            switch list.name.utf8.count % 3 {
            case 0: try appoint(.viewer)
            case 1 where other.role == .editor: try appoint(.owner)
            default:
                try changes.removeMember(other.id, from: list.id)
                self.auditor.removed(person)
            }
        }
    }

    /// Copies a device to another, or loses one of the two.
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
        liveStreams.breakAll(of: server)
        listLinks.forget(server: index)
        // Messages under way belong to the database that was replaced.
        network.removeAll { $0.server == index }
        auditor.restored()
        note("\(server.name): is restored from its backup")
    }

    /// Upgrades a device from an earlier version of Kith to this one.
    func upgrade(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        let before = try device.content()
        let earlier = try ReplicaDowngrade.earlier(than: device.queue, using: &random)
        let upgraded = try device.upgrade(from: earlier.replica)
        note("\(device.name): is upgraded from the version with \(earlier.version) migrations")
        for after in try [upgraded, device.content()] where !after.isSame(as: before) {
            throw fail(.forwardOnly, "an upgrade of \(device.name) changes what is shown, waits or was rejected")
        }
    }

    /// Lets weeks pass, after which a server purges old data.
    func age() async throws {
        pass(.days(Int64.random(in: 1...100, using: &random)))
        let index = Int.random(in: servers.indices, using: &random)
        let server = servers[index]
        defer { server.crash.now = .none }
        changed = index
        do {
            let gone = try await Housekeeping(database: server.database, signals: .none, step: 3)
                .purge(time(on: server))
            note("\(server.name): clears away \(gone) rows, weeks later")
        } catch let error where Crash.isCause(of: error) {
            note("\(server.name): crashes while it clears away")
            liveStreams.breakAll(of: server)
        }
    }

    /// Invalidates the digests of a device, and in some cases deletes some records of a list that the server has. The
    /// device rereads the list as soon as the list changes. Unsent edits stay.
    func damage(_ index: Int) throws {
        let device = devices[index]
        guard device.crash.now == .none else { return }
        try device.queue.write { try $0.execute(sql: "UPDATE feed SET digest = ''") }
        note("\(device.name): its sums go astray")
        // With copies it is not known which of a device's items the server has received from the other copy.
        let content = try device.content()
        guard !hazards.copies, let list = content.lists.randomElement(using: &random) else { return }
        let items = content.items.filter { $0.listID == list.id }.map { $0.id.retyped(as: Never.self) }
        let members = content.members.filter { $0.listID == list.id }.map { $0.id.retyped(as: Never.self) }
        let lost = (items + members).filter { _ in random.oneIn(2) }
        try device.queue.write { db in
            for id in lost {
                for table in ["item", "member"] {
                    try db.execute(
                        sql: """
                            DELETE FROM \(table) WHERE list = ? AND id = ? AND sequence > 0
                                AND account = (SELECT key FROM account WHERE isCurrent)
                            """, arguments: [list.id, id])
                }
            }
        }
        try device.restart()
        damaged.insert(list.id)
        note("\(device.name): loses \(lost) of \(list.id)")
    }
}
