import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Answers that say more, or less, than usual") struct UnusualAnswerTests {
    @Test("A list that is named as lost goes with all that is in it, though nothing is told of its membership")
    func lostAlone() async throws {
        let (owner, list) = try await Phone.withList()
        try await owner.lists.add("Milk", to: list)
        try await owner.client.syncNow()
        let guest = try await shared(owner, list, as: .editor)
        let me = try #require(try await guest.client.session.account())
        owner.server.change { $0.feeds[list.retyped()]?.roles[me] = nil }
        try await guest.client.syncNow()
        try expectNothing(on: guest)
    }

    @Test("When my lists are read anew, what is left here of another list goes") func leftovers() async throws {
        let (owner, list) = try await Phone.withList()
        try await owner.lists.add("Milk", to: list)
        try await owner.client.syncNow()
        let guest = try await shared(owner, list, as: .editor)
        let me = try #require(try await guest.client.session.account())
        // As in a replica of which a part was lost: nothing says any more that the list was mine.
        try guest.execute("DELETE FROM membership")
        owner.server.change { world in
            world.feeds[list.retyped()]?.roles[me] = nil
            world.feeds[me.retyped()]?.records[list.retyped()] = nil
            world.epoch = "second"
        }
        try await guest.client.syncNow()
        try expectNothing(on: guest)
    }

    private func expectNothing(on phone: Phone) throws {
        for table in ["list", "item", "member"] {
            #expect(try phone.query("SELECT * FROM \(table)").isEmpty)
        }
    }

    @Test("A feed that is read anew in pages is asked for once, and then read on") func rereadInPages() async throws {
        let (phone, list) = try await Phone.withList(FakeServer(page: 3))
        for index in 0..<10 { try await phone.lists.add("Item \(index)", to: list) }
        try await phone.client.syncNow()
        try phone.execute("DELETE FROM item WHERE title = 'Item 3'")
        try spoilDigests(of: phone)
        try await phone.lists.add("Item 10", to: list)
        let before = phone.server.rounds.count
        try phone.round()
        for _ in 0..<20 where try phone.round() == .done { break }
        #expect(phone.server.rounds[before...].compactMap(\.reread) == [[list.retyped()]])
        #expect(try await phone.titles(in: list).count == 11)
    }

    @Test("Where only the digest went astray it is added up anew, and nothing is read again") func onlyTheDigest()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        try spoilDigests(of: phone)
        try await phone.lists.setTicked(milk.id, true)
        try phone.round()
        #expect(try phone.rounds.begin()?.reread == nil)
        try await phone.lists.setTicked(milk.id, false)
        try phone.round()
        #expect(try phone.rounds.begin()?.reread == nil)
    }

    private func spoilDigests(of phone: Phone) throws {
        try phone.execute("UPDATE feed SET digest = '0000000000000001' WHERE id <> zeroblob(16)")
    }

    @Test("An answer without digests is believed as it is") func withoutDigests() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.change = { _, answer in
            for index in answer.feeds.indices { answer.feeds[index].digest = nil }
        }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        #expect(try phone.rounds.begin()?.reread == nil)
    }

    @Test("Numbers go on after all that the server has taken, whoever has sent it") func numbersGoOn() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.change = { $1.acknowledged = Acknowledgement(number: 7, hash: "") }
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        #expect(try phone.mutations().map(\.number) == [8])
    }
}
