import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("The digests that a replica keeps") struct DigestTests {
    /// What the replica has written down of its feeds, and what the server would say.
    private func digests(_ phone: Phone, _ list: ListID) throws -> (kept: [String], known: [String]) {
        let me = try present(phone.account().id)
        let kept = try phone.query("SELECT digest FROM feed").map { $0[0] as String }
        let known = phone.server.change { world in
            [list.retyped(), me.retyped()].compactMap { (feed: FeedID) in world.feeds[feed]?.digest.description }
        }
        return (kept.sorted(), known.sorted())
    }

    @Test("A digest follows each change, even if the server sends none to compare it with")
    func followed() async throws {
        let (phone, list) = try await Phone.withList()
        func expectEqual(_ step: String) throws {
            let (kept, known) = try digests(phone, list)
            #expect(kept == known, "After \(step)")
        }
        phone.server.wire.change = { _, answer in
            for index in answer.feeds.indices { answer.feeds[index].digest = nil }
        }
        let milk = try await phone.lists.add("Milk", to: list)
        try expectEqual("an edit that is not sent")
        try await phone.client.syncNow()
        try expectEqual("a creation")
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.syncNow()
        try expectEqual("an edit")
        let now = phone.clock.now
        let tea = ItemID(UUID(high: 0x0190_0000_0000_7000, low: 1))
        let ada = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 2))
        phone.server.change {
            $0.write(.items, tea.retyped(), ["title": "Tea"], in: list.retyped(), at: now)
            $0.share(list, with: ada, as: .viewer, at: now)
        }
        try await phone.client.syncNow()
        try expectEqual("what others have made")
        phone.server.change { $0.write(.items, tea.retyped(), nil, in: list.retyped(), at: now) }
        try await phone.client.syncNow()
        try expectEqual("what others have removed")
        try await phone.lists.remove(milk.id)
        try await phone.client.syncNow()
        try expectEqual("a removal")
        #expect(phone.server.rounds.allSatisfy { ($0.reread ?? []).isEmpty })
    }

    /// A server that tells no digest that a wrong sum could be found by.
    private static func withoutDigests() -> FakeServer {
        let server = FakeServer()
        server.wire.change = { _, answer in
            for index in answer.feeds.indices { answer.feeds[index].digest = nil }
        }
        return server
    }

    @Test("The first record of a feed counts like any other, in its creation, its edits and its end") func firstRecord()
        async throws
    {
        let (phone, list) = try await Phone.withList(Self.withoutDigests())
        try expectEqual(phone, list)
        let groceries = try #require(try await phone.lists.list(list))
        try await phone.lists.update(with(groceries) { $0.name = "Food" })
        try await phone.client.syncNow()
        try expectEqual(phone, list)
        try await phone.lists.remove(list)
        try await phone.client.syncNow()
        let me = try present(phone.account().id)
        let known = phone.server.change { $0.feeds[me.retyped()]?.digest.description }
        #expect(try phone.query("SELECT digest FROM feed WHERE id = zeroblob(16)").map { $0[0] as String } == [known])
    }

    @Test("A first read counts each record of its pages, and no record that only this device has") func pages()
        async throws
    {
        let (phone, list) = try await Phone.withList(Self.withoutDigests())
        for title in ["Milk", "Tea"] { try await phone.lists.add(title, to: list) }
        try await phone.client.syncNow()
        let reader = try Phone(phone.server, seed: 2)
        let token = try #require(try await phone.client.session.token())
        _ = try await reader.client.session.activate(token: token)
        try await reader.client.syncNow()
        try expectEqual(reader, list)
        // It is read again while something is made that is not sent yet.
        phone.server.change { $0.epoch = "second" }
        let request = try #require(try reader.rounds.begin())
        try await reader.lists.add("Unsent", to: list)
        _ = try reader.rounds.finish(request, phone.server.answer(request))
        #expect(try await reader.titles(in: list).sorted() == ["Milk", "Tea", "Unsent"])
        try expectEqual(reader, list)
    }

    @Test("A list that is created during a reread is in no digest, and nothing is read again")
    func listMadeMeanwhile() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.change { $0.epoch = "second" }
        let request = try #require(try phone.rounds.begin())
        let party = try await phone.lists.create("Party").id
        try await phone.lists.move(party, after: nil)
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        #expect(try await phone.lists.all().map(\.id) == [party, list])
        let me = try present(phone.account().id)
        let known = phone.server.change { $0.feeds[me.retyped()]?.digest.description }
        #expect(try phone.query("SELECT digest FROM feed WHERE id = zeroblob(16)").map { $0[0] as String } == [known])
    }

    @Test("A record in an answer counts, even if the answer does not contain its feed") func namedAlone()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.change = { $1.feeds = [] }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        try expectEqual(phone, list)
    }

    private func expectEqual(_ phone: Phone, _ list: ListID, line: Int = #line) throws {
        let (kept, known) = try digests(phone, list)
        #expect(kept == known, "In line \(line)")
    }

    @Test("A wrong digest is recomputed, with parked records and without unsent ones") func recounted()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let now = phone.clock.now
        func write(_ number: UInt64, _ collection: RecordCollection) {
            let id = RecordID<Never>(UUID(high: 0x0190_0000_0000_7000, low: number))
            phone.server.change { $0.write(collection, id, ["title": .text("\(number)")], in: list.retyped(), at: now) }
        }
        write(1, .items)
        write(2, RecordCollection(rawValue: "poll"))
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT id FROM parked").count == 1)
        try phone.execute("UPDATE feed SET digest = '00000000000000ff'")
        write(3, .items)
        // What is written while the answer is on its way is not on the server yet.
        let request = try #require(try phone.rounds.begin())
        try await phone.lists.add("Unsent", to: list)
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        let feed = try #require(
            try phone.query("SELECT digest, isDoubtful FROM feed WHERE digest <> '00000000000000ff'").first)
        #expect(feed["digest"] == phone.server.change { $0.feeds[list.retyped()]?.digest.description })
        #expect(feed["isDoubtful"] == false)
        try await phone.client.syncNow()
        #expect(phone.server.rounds.allSatisfy { ($0.reread ?? []).isEmpty })
    }
}
