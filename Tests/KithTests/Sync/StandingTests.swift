import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Copies, restored servers and new epochs") struct StandingTests {
    @Test("Law 11: A copied replica takes a new identity without losing its outbox") func copied() async throws {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let sent = try await phone.lists.add("Milk", to: list)
        // The request is on its way when the replica is copied.
        let inFlight = try #require(try phone.rounds.begin())
        let copy = try Phone(
            phone.server, database: try duplicate(phone), seed: 77, credentials: phone.credentials)
        _ = phone.server.answer(inFlight)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await copy.lists.add("Cake", to: list)
        try await copy.lists.update(with(sent) { $0.comment = "the copy's" })
        let before = try copy.account().device
        try await copy.client.syncNow()
        #expect(try copy.account().device != before)
        #expect(try await copy.waiting() == 0)
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Milk", "Tea"])
        #expect(phone.server.change { $0.fields(sent.id, in: list)?["comment"] } == "the copy's")
        try await phone.client.syncNow()
        #expect(
            try phone.client.replica.canonicalLines(of: list.retyped())
                == copy.client.replica.canonicalLines(of: list.retyped()))
        #expect(try await copy.client.rejections().isEmpty)
    }

    @Test("Law 11: A copy's edits in flight are not sent again if the server took them from the original")
    func copiedInFlight() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        try await phone.lists.increase(milk.id, by: 2)
        let inFlight = try #require(try phone.rounds.begin())
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 82, credentials: phone.credentials)
        _ = phone.server.answer(inFlight)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await copy.lists.add("Cake", to: list)
        try await copy.client.syncNow()
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["count"] } == 3)
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Milk", "Tea"])
    }

    @Test("Law 1: Additions in flight that a copy's first request does not contain count once")
    func additionBeyondRequest() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        try await phone.lists.increase(milk.id, by: 10)
        _ = try phone.mutations()
        try await phone.lists.update(milk.id) { $0.comment = "the blue one" }
        _ = try phone.mutations()
        try await phone.lists.increase(milk.id, by: 10)
        #expect(try phone.mutations().count == 3)
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 85, credentials: phone.credentials)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try copy.execute("UPDATE account SET batch = 1")
        try await copy.client.syncNow()
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["count"] } == 21)
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["comment"] } == "the blue one")
        #expect(try await copy.lists.item(milk.id)?.count == 21)
        #expect(try await copy.client.rejections().isEmpty)
        #expect(try await copy.waiting() == 0)
    }

    @Test("Law 1: If a copy has sent something else, an addition in flight beyond its request becomes a rejection")
    func additionBeyondDifference() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 86, credentials: phone.credentials)
        for title in ["Tea", "Cake"] { try await phone.lists.add(title, to: list) }
        try await phone.client.syncNow()
        try await copy.lists.add("Cocoa", to: list)
        try await copy.lists.increase(milk.id, by: 10)
        #expect(try copy.mutations().count == 2)
        try copy.execute("UPDATE account SET batch = 1")
        try await copy.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Cocoa", "Milk", "Tea"])
        #expect(try await copy.lists.item(milk.id)?.count == 1)
        #expect(try await copy.client.rejections().map(\.code) == [.repeated])
        #expect(try await copy.waiting() == 0)
    }

    @Test("Trap: A restored or cloned device reuses numbers") func clone() async throws {
        let (phone, list) = try await Phone.withList()
        let clone = try Phone(phone.server, database: try duplicate(phone), seed: 78, credentials: phone.credentials)
        try await phone.lists.add("Milk", to: list)
        try await clone.lists.add("Tea", to: list)
        // Both give number 2 to another edit.
        try await phone.client.syncNow()
        try await clone.client.syncNow()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "Tea"])
        #expect(try await phone.titles(in: list).sorted() == ["Milk", "Tea"])
        #expect(try await clone.titles(in: list).sorted() == ["Milk", "Tea"])
    }

    @Test("Trap: A restored server forgets acknowledged edits – they are sent again from the log") func forgotten()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let backup = phone.server.change { $0 }
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.syncNow()
        let device = try phone.account().device
        restore(phone.server, to: backup)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "Tea"])
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["ticked"] } == true)
        #expect(try phone.account().device == device)
        #expect(try await phone.titles(in: list) == ["Milk", "Tea"])
        #expect(phone.server.rounds.last?.acknowledged.number == 4 || phone.server.rounds.last?.sent == 4)
    }

    @Test("Law 11: If the original reaches a restored server first, its copy resends what only it had sent")
    func copiedThenRestored() async throws {
        let (phone, list) = try await Phone.withList()
        let backup = phone.server.change { $0 }
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 80, credentials: phone.credentials)
        let milk = try await copy.lists.add("Milk", to: list)
        try await copy.client.syncNow()
        try await copy.lists.increase(milk.id, by: 2)
        try await copy.client.syncNow()
        restore(phone.server, to: backup)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await copy.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) }.sorted() == ["Milk", "Tea"])
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["count"] } == 3)
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list).sorted() == ["Milk", "Tea"])
        #expect(try await copy.waiting() == 0)
    }

    @Test("Law 11: If the original has sent more to a restored server, its copy still loses nothing")
    func copiedBehindRestored() async throws {
        let (phone, list) = try await Phone.withList()
        let backup = phone.server.change { $0 }
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 81, credentials: phone.credentials)
        try await copy.lists.add("Milk", to: list)
        try await copy.client.syncNow()
        restore(phone.server, to: backup)
        for title in ["Tea", "Cake"] { try await phone.lists.add(title, to: list) }
        try await phone.client.syncNow()
        try await copy.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Milk", "Tea"])
        #expect(try await copy.titles(in: list).sorted() == ["Cake", "Milk", "Tea"])
        #expect(try await copy.waiting() == 0)
    }

    @Test("Law 2: A copy that sends its log in parts to a restored server loses no edit")
    func logInParts() async throws {
        let (phone, list) = try await Phone.withList()
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 84, credentials: phone.credentials)
        restore(phone.server, to: phone.server.change { $0 })
        // Both give number 2 to another edit.
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        for title in ["Milk", "Cake"] { try await copy.lists.add(title, to: list) }
        try copy.execute("UPDATE account SET batch = 1")
        try await copy.client.syncNow()
        #expect(phone.server.rounds.contains { $0.mutations.map(\.number) == [1] && $0.sent == 2 })
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Milk", "Tea"])
        #expect(try await copy.titles(in: list).sorted() == ["Cake", "Milk", "Tea"])
        #expect(try await copy.waiting() == 0)
        #expect(try await copy.client.rejections().isEmpty)
    }

    @Test("A log that begins right after the restored server's last number is resent under its old numbers")
    func adjoiningLog() async throws {
        let (phone, list) = try await Phone.withList()
        let kept = try phone.account().acknowledged.number
        let backup = phone.server.change { $0 }
        phone.clock.advance(by: .days(8))
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT number FROM mutation").map { $0[0] as Int64 } == [kept + 1])
        let device = try phone.account().device
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(try phone.account().device == device)
        let again = try #require(phone.server.rounds.last { !$0.mutations.isEmpty })
        #expect(again.acknowledged == Acknowledgement(number: kept, hash: ""))
        #expect(again.mutations.map(\.number) == [kept + 1])
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("A replica that turns out to be a copy rereads everything, as a new device")
    func copyReads()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let request = try #require(try phone.rounds.begin())
        #expect(request.token != nil)
        let answer = with(phone.server.answer(request)) { ($0.device, $0.outcomes) = (.copied, []) }
        #expect(try phone.rounds.finish(request, answer) == .again)
        let account = try phone.account()
        #expect(account.token == nil)
        #expect((account.sent, account.acknowledged) == (0, .none))
        #expect(account.device != request.device)
        #expect(try await phone.waiting() == 1)
    }

    @Test("Law 2: A copied device also reports the rejections of edits that the other device sent")
    func refusedInFlight() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        phone.othersRemove(milk.id, in: list)
        try await phone.lists.update(with(milk) { $0.title = "Oat milk" })
        let inFlight = try #require(try phone.rounds.begin())
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 83, credentials: phone.credentials)
        _ = phone.server.answer(inFlight)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await copy.lists.add("Cake", to: list)
        try await copy.client.syncNow()
        #expect(try await copy.client.rejections().map(\.code) == [.deleted])
        #expect(try await copy.client.rejections().map(\.values["title"]) == ["Oat milk"])
        #expect(try await copy.waiting() == 0)
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Tea"])
    }

    @Test("After a restore, discovery runs at once") func looksAnew() async throws {
        let (phone, _) = try await Phone.withList()
        try phone.execute("INSERT INTO discovery (account, isEnabled, looked) SELECT key, 1, 5 FROM account")
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT looked FROM discovery").map { $0[0] as Int? } == [5])
        phone.server.change { $0.epoch = "restored" }
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT looked FROM discovery").map { $0[0] as Int? } == [nil])
    }

    @Test("A restored server's epoch is stored with its first answer") func epochOfRestored()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        phone.server.change { $0.epoch = "restored" }
        let request = try #require(try phone.rounds.begin())
        let answer = with(phone.server.answer(request)) { $0.device = .forgotten }
        #expect(try phone.rounds.finish(request, answer) == .again)
        #expect(try phone.query("SELECT epoch FROM account").map { $0[0] as String? } == ["restored"])
    }

    @Test("A log with a gap is sent again under a new identity, and nothing of it is lost") func gappyLog() async throws
    {
        let (phone, list) = try await Phone.withList()
        let backup = phone.server.change { $0 }
        try await phone.lists.add("Old", to: list)
        try await phone.client.syncNow()
        phone.clock.advance(by: .days(8))
        try await phone.lists.add("New", to: list)
        try await phone.client.syncNow()
        let device = try phone.account().device
        #expect(try phone.query("SELECT * FROM mutation").count == 1)
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(try phone.account().device != device)
        #expect(phone.server.change { $0.titles(in: list) } == ["New"])
        #expect(try await phone.titles(in: list) == ["New"])
        #expect(try await phone.waiting() == 0)
    }

    @Test("A log without its middle is sent again under a new identity, too") func logWithoutMiddle() async throws {
        let (phone, list) = try await Phone.withList()
        let backup = phone.server.change { $0 }
        // By the server's clock, what it takes now was taken long before what it took earlier.
        phone.clock.advance(by: .days(-10))
        try await phone.lists.add("Old", to: list)
        try await phone.client.syncNow()
        phone.clock.advance(by: .days(10))
        try await phone.lists.add("New", to: list)
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT number FROM mutation").map { $0[0] as Int } == [1, 3])
        let device = try phone.account().device
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(try phone.account().device != device)
        #expect(phone.server.change { $0.titles(in: list) } == ["New"])
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 2: An edit that is resent to a restored server does not replace a later one of somebody else")
    func laterEditStays() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let backup = phone.server.change { $0 }
        for title in ["Tea", "Cake", "Rice"] { try await phone.lists.add(title, to: list) }
        // The second edit has seen the sequence of the first, which the restored server gives to another change.
        for comment in ["one", "two"] {
            try await phone.lists.update(milk.id) { $0.comment = comment }
            try await phone.client.syncNow()
        }
        restore(phone.server, to: backup)
        phone.clock.advance(by: .minutes(1))
        let me = try #require(try phone.account().id)
        let later = Mutation(
            id: MutationID(UUID()), number: 1, feed: list.retyped(), collection: .items, record: milk.id.retyped(),
            seen: 0, change: .set(["comment": "new"]))
        let outcomes = phone.server.change { $0.take([later], of: me, DeviceID(UUID()), at: phone.clock.now) }
        #expect(outcomes.map(\.result) == [.applied])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["comment"] } == "new")
        #expect(try await phone.lists.item(milk.id)?.comment == "new")
        #expect(phone.server.change { $0.titles(in: list) } == ["Cake", "Milk", "Rice", "Tea"])
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 2: A clock that is ahead for one round does not empty the log") func clockAhead() async throws {
        let (phone, list) = try await Phone.withList(clock: Clock())
        let backup = phone.server.change { $0 }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        phone.clock.advance(by: .days(8))
        try await phone.client.syncNow()
        phone.clock.advance(by: .days(-8))
        let device = try phone.account().device
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try phone.account().device == device)
    }

    @Test("Law 2: A server whose clock is ahead for one round does not empty the log") func serverClockAhead()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let backup = phone.server.change { $0 }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        phone.server.wire.change = { _, answer in answer.time = answer.time + .days(8) }
        try await phone.client.syncNow()
        phone.server.mend()
        let device = try phone.account().device
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try phone.account().device == device)
    }

    @Test("Law 1: If the clock is behind, a rejection is kept as long as the log, and its edit is not resent")
    func clockBehind() async throws {
        let server = FakeServer()
        let (phone, list) = try await Phone.withList(server, clock: Clock(server.clock.now - .days(30)))
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        let backup = server.change { $0 }
        phone.othersRemove(milk.id, in: list)
        try await phone.lists.update(with(milk) { $0.title = "Oat milk" })
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().count == 1)
        try await phone.client.dismissAllRejections()
        try await phone.client.syncNow()
        restore(server, to: backup)
        try await phone.client.syncNow()
        #expect(server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Law 1: A rejected edit is not resent under a new identity, either") func rejectedUnderNewIdentity()
        async throws
    {
        let (phone, list, milk) = try await Phone.withItem()
        let backup = phone.server.change { $0 }
        try await phone.lists.add("Old", to: list)
        try await phone.client.syncNow()
        phone.clock.advance(by: .days(8))
        phone.othersRemove(milk.id, in: list)
        try await phone.lists.update(with(milk) { $0.title = "Oat milk" })
        try await phone.lists.add("New", to: list)
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().map(\.values["title"]) == ["Oat milk"])
        let device = try phone.account().device
        // The log does not reach back to the backup.
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(try phone.account().device != device)
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "New"])
        #expect(try await phone.client.rejections().count == 1)
        #expect(try await phone.waiting() == 0)
    }

    @Test("A dismissed rejection is not reported again when its edit is resent") func dismissedStays()
        async throws
    {
        let (phone, list, gone) = try await Phone.withItem()
        phone.othersRemove(gone.id, in: list)
        let backup = phone.server.change { $0 }
        try await phone.lists.setTicked(gone.id, true)
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().count == 1)
        try await phone.client.dismissAllRejections()
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(try await phone.waiting() == 0)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Law 1: A rejected edit is not resent to a restored server that would accept it now")
    func rejectedStaysRejected() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let backup = phone.server.change { $0 }
        phone.othersRemove(milk.id, in: list)
        try await phone.lists.update(with(milk) { $0.title = "Oat milk" })
        let tea = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().map(\.values["title"]) == ["Oat milk"])
        restore(phone.server, to: backup)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", tea.title])
        #expect(try await phone.titles(in: list) == ["Milk", tea.title])
        #expect(try await phone.client.rejections().count == 1)
        #expect(try await phone.waiting() == 0)
    }

    @Test("Law 3: A record that another copy has sent and someone has deleted since is removed here, too")
    func deletedMeanwhile()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        // In flight when the replica is copied; the copy never hears that the server took it.
        _ = try phone.rounds.begin()
        let copy = try Phone(phone.server, database: try duplicate(phone), seed: 79, credentials: phone.credentials)
        try await phone.client.syncNow()
        try await phone.lists.remove(milk.id)
        try await phone.client.syncNow()
        try await copy.client.syncNow()
        #expect(try await copy.titles(in: list).isEmpty)
        #expect(
            try phone.client.replica.canonicalLines(of: list.retyped())
                == copy.client.replica.canonicalLines(of: list.retyped()))
    }

    @Test("After a new epoch every feed is reread, and records that the server has lost are removed") func epoch()
        async throws
    {
        let (phone, list, milk) = try await Phone.withItem()
        phone.server.change { world in
            world.epoch = "second"
            world.feeds[list.retyped()]?.records[milk.id.retyped()] = nil
        }
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.lists.all().map(\.id) == [list])
    }

    private func restore(_ server: FakeServer, to backup: World) {
        server.change { world in
            world = backup
            world.epoch = "restored"
        }
    }

    /// A copy of a replica's database, as another device would find it in a backup.
    private func duplicate(_ phone: Phone) throws -> DatabaseQueue {
        let copy = try DatabaseQueue()
        try phone.client.replica.database.backup(to: copy)
        return copy
    }
}
