import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Answers with more or less content than usual") struct UnusualAnswerTests {
    @Test("A list that the answer names as lost is removed with its content, even without a change of its membership")
    func lostAlone() async throws {
        let (owner, list, _) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .editor)
        let me = try #require(try await guest.client.session.account())
        owner.server.change { $0.feeds[list.retyped()]?.roles[me] = nil }
        try await guest.client.syncNow()
        try expectNothing(on: guest)
    }

    @Test("An answer with an impossible number is refused, and later edits are sent", arguments: [.max, -1, 1 << 54])
    func impossibleNumber(number: Int64) async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.change = { $1.acknowledged.number = number }
        try await phone.lists.add("Milk", to: list)
        #expect(await code { try await phone.client.syncNow() } == .malformed)
        phone.server.mend()
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        #expect(try await phone.waiting() == 0)
        #expect(try phone.account().sent == 3)
    }

    @Test("Parked records of a list are removed with the list") func lostParked() async throws {
        let (owner, list) = try await Phone.withList()
        let recipe = RecordID<Never>(UUID(high: 0x0190_0000_0000_7000, low: 1))
        owner.server.change {
            $0.write(
                RecordCollection(rawValue: "recipe"), recipe, ["name": "Soup"], in: list.retyped(), at: owner.clock.now)
        }
        let guest = try await shared(owner, list, as: .editor)
        #expect(try guest.query("SELECT * FROM parked").count == 1)
        let me = try #require(try await guest.client.session.account())
        owner.server.change { $0.expel(me, from: list, at: owner.clock.now) }
        try await guest.client.syncNow()
        #expect(try guest.query("SELECT * FROM parked").isEmpty)
    }

    @Test("When my lists are reread, remains of other lists are removed") func leftovers() async throws {
        let (owner, list, _) = try await Phone.withItem()
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
        #expect(try phone.query("SELECT * FROM feed WHERE id <> zeroblob(16)").isEmpty)
    }

    @Test("A list with an ended membership is removed with its content, although the answer does not name it as lost")
    func membershipAlone() async throws {
        let (owner, list, _) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .editor)
        let me = try #require(try await guest.client.session.account())
        owner.server.change { $0.expel(me, from: list, at: owner.clock.now) }
        owner.server.wire.change = { $1.lost = [] }
        try await guest.client.syncNow()
        try expectNothing(on: guest)
    }

    @Test("A record of a mutation that the answer does not contain is removed") func silence() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        phone.server.wire.change = {
            $1.records = []
            $1.feeds = []
        }
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list) == ["Tea"])
    }

    @Test("The digest is updated with each answer, including records of an unknown collection")
    func keptDigest() async throws {
        let (phone, list) = try await Phone.withList()
        // A digest in the answer would have a wrong sum added up again.
        phone.server.wire.change = { _, answer in
            for index in answer.feeds.indices { answer.feeds[index].digest = nil }
        }
        let recipes = RecordCollection(rawValue: "recipe")
        let recipe = RecordID<Never>(UUID(uuidString: "01890000-0000-7000-8000-000000000001") ?? UUID())
        for fields: Fields? in [["name": "Soup"], ["name": "Stew"], nil] {
            phone.server.change { $0.write(recipes, recipe, fields, in: list.retyped(), at: phone.clock.now) }
            try await phone.lists.add("Milk", to: list)
            try await phone.client.syncNow()
            let text: String = try #require(
                try phone.query("SELECT digest FROM feed WHERE id <> zeroblob(16)").first)[0]
            #expect(FeedDigest(text) == phone.server.change { $0.feeds[list.retyped()]?.digest })
        }
    }

    @Test("An item made while its list is read again stays, and no digest counts it before the server has it")
    func madeMeanwhile() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.change { $0.epoch = "second" }
        let request = try #require(try phone.rounds.begin())
        try await phone.lists.add("Tea", to: list)
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        #expect(try await phone.titles(in: list) == ["Tea"])
        #expect(try phone.rounds.begin()?.reread == nil)
        #expect(try phone.query("SELECT epoch FROM account WHERE id IS NOT NULL").map { $0[0] as String } == ["second"])
    }

    @Test("A record with an unsent edit was modified when that edit was made") func modifiedByUnsent() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        phone.clock.advance(by: .seconds(5))
        phone.othersWrite(milk.id, ["comment": "theirs"], in: list)
        let request = try #require(try phone.rounds.begin())
        phone.clock.advance(by: .seconds(5))
        try await phone.lists.setTicked(milk.id, true)
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        #expect(
            try phone.query("SELECT modified FROM item").map { $0[0] as Int64 } == [phone.clock.now.milliseconds])
    }

    @Test("A feed that is reread in pages is requested once, and then continued") func rereadInPages() async throws {
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

    @Test("If only the stored digest is wrong, it is recomputed, and nothing is reread") func onlyTheDigest()
        async throws
    {
        let (phone, _, milk) = try await Phone.withItem()
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

    @Test("An answer without digests is accepted") func withoutDigests() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.change = { _, answer in
            for index in answer.feeds.indices { answer.feeds[index].digest = nil }
        }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        #expect(try phone.rounds.begin()?.reread == nil)
    }

    @Test("A wrong digest is recomputed only if the answer has one to compare it with") func nothingToCompare()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        func isRight() throws -> Bool {
            let text: String = try #require(
                try phone.query("SELECT digest FROM feed WHERE id <> zeroblob(16)").first)[0]
            return FeedDigest(text) == phone.server.change { $0.feeds[list.retyped()]?.digest }
        }
        try spoilDigests(of: phone)
        phone.server.wire.change = { _, answer in
            for index in answer.feeds.indices { answer.feeds[index].digest = nil }
        }
        try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        #expect(try !isRight())
        phone.server.mend()
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        #expect(try isRight())
    }

    @Test("Numbering continues after the last number that the server has taken, whichever device sent it")
    func numbersGoOn() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.wire.change = { $1.acknowledged = Acknowledgement(number: 7, hash: "") }
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        #expect(try phone.mutations().map(\.number) == [8])
    }
}
