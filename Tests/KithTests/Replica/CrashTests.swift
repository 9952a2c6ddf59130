import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Crashes and full disks") struct CrashTests {
    @Test("Law 6: A replica on disk waits for the disk at each commit, and a new one in place of a damaged one too")
    func synchronous() throws {
        let folder = TemporaryFolder()
        for isDamaged in [false, true] {
            if isDamaged { _ = FileManager.default.createFile(atPath: folder.replica.path + ".damaged", contents: nil) }
            let replica = try Replica(.file(folder.replica))
            let level = try replica.database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            #expect(level == 2, "2 is FULL")
        }
    }

    @Test(
        "Law 6: A crash before the commit leaves the state of before, one after it the state of after",
        arguments: [false, true])
    func commit(isAfter: Bool) async throws {
        let folder = TemporaryFolder()
        let power = Switch()
        var faults = Replica.Faults()
        if isAfter {
            faults.afterCommit = { if power.isOn { throw Crash() } }
        } else {
            faults.beforeCommit = { if power.isOn { throw Crash() } }
        }
        let (phone, list) = try await Phone.withList(file: folder.replica, faults: faults)
        let milk = try await phone.lists.add("Milk", to: list)
        power.isOn = true
        await #expect(throws: Crash.self) {
            try await phone.client.write { changes in
                try changes.setTicked(milk.id, true)
                try changes.add("Tea", to: list)
            }
        }
        let again = try Phone(phone.server, file: folder.replica, seed: 5, credentials: phone.credentials)
        #expect(try await again.titles(in: list) == (isAfter ? ["Milk", "Tea"] : ["Milk"]))
        #expect(try await again.lists.item(milk.id)?.isTicked == isAfter)
        #expect(try await again.waiting() == (isAfter ? 3 : 1))
        try await again.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == (isAfter ? ["Milk", "Tea"] : ["Milk"]))
    }

    @Test("Law 6: A crash at any write of a round leaves a replica that ends equal to the server", arguments: 0..<12)
    func anyWrite(survived: Int) async throws {
        let folder = TemporaryFolder()
        let left = Kept(Int.max)
        var faults = Replica.Faults()
        let isBefore = survived.isMultiple(of: 2)
        let crash: @Sendable () throws -> Void = {
            left.change { $0 -= 1 }
            if left.value < 0 { throw Crash() }
        }
        if isBefore { faults.beforeCommit = crash } else { faults.afterCommit = crash }
        let (phone, list) = try await Phone.withList(file: folder.replica, faults: faults)
        left.change { $0 = survived / 2 }
        do {
            let milk = try await phone.lists.add("Milk", to: list, count: 1)
            try await phone.client.syncNow()
            try await phone.lists.increase(milk.id, by: 1)
            try await phone.client.syncNow()
        } catch {}
        let again = try Phone(phone.server, file: folder.replica, seed: 5, credentials: phone.credentials)
        try await again.client.syncNow()
        #expect(try await again.waiting() == 0)
        let shown = try await again.lists.items(in: list).map { [$0.title, "\($0.count)"] }
        let known = phone.server.change { world in
            world.titles(in: list).map { title in
                [
                    title,
                    "\(world.feeds[list.retyped()]?.live.first { $0.entry.state.fields["title"]?.text == title }?.entry.state.fields["count"]?.integer ?? 1)",
                ]
            }
        }
        #expect(shown == known)
        #expect(shown.allSatisfy { $0[1] == "1" || $0[1] == "2" })
    }

    @Test("On a full disk a write fails with diskFull, nothing has changed, and reads still work") func diskFull()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.client.replica.database.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let refused = await code {
            try await phone.client.write { changes in
                try changes.setTicked(milk.id, true)
                for index in 0..<400 {
                    try changes.add("Item \(index)", to: list, comment: String(repeating: "x", count: 900))
                }
            }
        }
        #expect(refused == .diskFull)
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try await phone.lists.item(milk.id)?.isTicked == false)
        #expect(try await phone.waiting() == 1)
        try await phone.client.replica.database.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA max_page_count = 1000000")
        }
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["ticked"] } == true)
    }

    @Test("An answer that does not fit on the disk has no effect, and is requested again") func diskFullInRound()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        phone.server.change { world in
            for _ in 0..<500 {
                let fields: Fields = [
                    "title": "Rice", "position": "a0", "comment": .text(String(repeating: "x", count: 900)),
                ]
                world.write(.items, RecordID(UUID()), fields, in: list.retyped(), at: phone.clock.now)
            }
        }
        try await phone.client.replica.database.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        #expect(await code { try await phone.client.syncNow() } == .diskFull)
        #expect(try await phone.titles(in: list).isEmpty)
        try await phone.client.replica.database.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA max_page_count = 1000000")
        }
        try await phone.client.syncNow()
        #expect(try await phone.lists.items(in: list).count == 500)
    }
}
