import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Edits fold into one mutation") struct FoldingTests {
    @Test("Repeated edits of one field become one mutation with the last value") func lastValue() async throws {
        let (phone, _, item) = try await Phone.withItem()
        for title in ["Mil", "Mi", "Mint"] { try await phone.lists.update(with(item) { $0.title = title }) }
        let sent = try phone.mutations()
        #expect(sent.map(\.change) == [.set(["title": "Mint"])])
    }

    @Test("Mutations in flight are never changed") func inFlight() async throws {
        let (phone, _, item) = try await Phone.withItem()
        try await phone.lists.update(with(item) { $0.title = "Tea" })
        let first = try phone.mutations()
        try await phone.lists.update(with(item) { $0.title = "Coffee" })
        let second = try phone.mutations()
        #expect(first.map(\.change) == [.set(["title": "Tea"])])
        #expect(second.map(\.change) == [.set(["title": "Tea"]), .set(["title": "Coffee"])])
        #expect(second.first?.canonical == first.first?.canonical)
    }

    @Test("Edits fold only if both are based on the same state of the record") func sameSeen() async throws {
        let (phone, list, item) = try await Phone.withItem()
        try await phone.lists.setTicked(item.id, true)
        // Another device renames the item, and the phone hears of it before its own edit has left.
        let request = try #require(try phone.rounds.begin())
        phone.othersWrite(item.id, ["comment": "oat"], in: list)
        try await phone.lists.update(with(item) { $0.title = "Oat milk" })
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        try await phone.lists.update(with(item) { ($0.category, $0.title) = ("Drinks", "Oat milk") })
        let sent = try phone.mutations()
        #expect(sent.count == 2)
        // The list's own records have the first two sequences, and the item the third.
        #expect(sent.map(\.seen) == [3, 5])
    }

    @Test("An addition stays beside the set before it, and a set replaces the additions before it") func setsAndAdds()
        async throws
    {
        let (phone, list, item) = try await Phone.withItem()
        try await phone.lists.update(with(item) { $0.count = 5 })
        try await phone.lists.increase(item.id, by: 2)
        #expect(try phone.mutations().map(\.change) == [.edit(set: ["count": 5], add: ["count": 2])])
        try await phone.client.syncNow()
        try await phone.lists.increase(item.id, by: 3)
        try await phone.lists.increase(item.id, by: -1)
        #expect(
            try phone.query("SELECT change FROM mutation WHERE taken IS NULL").map { $0[0] as String } == [
                #"{"add":{"count":2},"set":{}}"#
            ])
        try await phone.lists.update(with(item) { $0.count = 1 })
        #expect(try phone.mutations().map(\.change) == [.set(["count": 1])])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(item.id, in: list)?["count"] } == 1)
    }

    @Test("An addition to a new item is part of its creation") func creation() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list, count: 2)
        try await phone.lists.increase(item.id, by: 3)
        try await phone.lists.setTicked(item.id, true)
        let sent = try phone.mutations()
        #expect(sent.count == 1)
        guard case .edit(let set, let add) = try #require(sent.first).change else { return #expect(Bool(false)) }
        #expect(set["count"] == 2)
        #expect(set["ticked"] == true)
        #expect(add == ["count": 3])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(item.id, in: list)?["count"] } == 5)
    }

    @Test("Fields keep the times of their own edits, the last of each") func timesPerField() async throws {
        let (phone, _, item) = try await Phone.withItem()
        try await phone.lists.update(with(item) { $0.title = "Tea" })
        phone.clock.advance(by: .seconds(60))
        try await phone.lists.setTicked(item.id, true)
        phone.clock.advance(by: .seconds(5))
        try await phone.lists.update(item.id) { $0.comment = "green" }
        phone.clock.advance(by: .seconds(2))
        try await phone.lists.update(item.id) { $0.comment = "black" }
        phone.clock.advance(by: .seconds(1))
        let sent = try #require(try phone.mutations().first)
        #expect(sent.age(of: "title") == 68_000)
        #expect(sent.age(of: "ticked") == 8_000)
        #expect(sent.age(of: "comment") == 1_000)
    }

    @Test("Edits of different records stay apart, and keep their order") func records() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        let tea = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await phone.lists.setTicked(tea.id, true)
        try await phone.lists.setTicked(milk.id, true)
        try await phone.lists.update(with(tea) { ($0.isTicked, $0.title) = (true, "Green tea") })
        #expect(try phone.mutations().map(\.record) == [tea.id.retyped(), milk.id.retyped()])
    }

    @Test("No edit takes effect before an edit of another record that was made earlier") func order() async throws {
        let (owner, list) = try await Phone.withList()
        let ben = try #require(try await shared(owner, list, as: .editor).client.session.account())
        let carol = try #require(try await shared(owner, list, as: .editor, seed: 60).client.session.account())
        try await owner.client.syncNow()
        try await owner.lists.setRole(.viewer, of: ben, in: list)
        try await owner.lists.removeMember(carol, from: list)
        // Before the removal, this would take away the right to remove anybody.
        try await owner.lists.handOver(list, to: ben)
        let sent = try owner.mutations()
        #expect(sent.map(\.change) == [.set(["role": "viewer"]), .delete, .set(["role": "owner"])])
        #expect(sent.map(\.record.uuid) == [ben.uuid, carol.uuid, ben.uuid])
    }

    @Test("Edits that alternate between a list and an item keep their order") func alternating()
        async throws
    {
        let (phone, list, item) = try await Phone.withItem()
        for name in ["Food", "Drinks"] {
            try await phone.lists.update(list) { $0.name = name }
            try await phone.lists.update(item.id) { $0.title = name }
        }
        #expect(
            try phone.mutations().map(\.change) == [
                .set(["name": "Food"]), .set(["title": "Food"]), .set(["name": "Drinks"]), .set(["title": "Drinks"]),
            ])
    }

    @Test("Edits that go back and forth between items leave one mutation for each of up to 500 items")
    func backAndForth() async throws {
        let (phone, list) = try await Phone.withList()
        let items = try await phone.client.write { changes in
            try (1...500).map { try changes.add("Item \($0)", to: list).id }
        }
        try await phone.client.syncNow()
        for isTicked in [true, false] {
            for item in items { try await phone.lists.setTicked(item, isTicked) }
        }
        #expect(try await phone.waiting() == 500)
        for isTicked in [true, false] {
            try await phone.lists.add("One more", to: list)
            // The second time, one mutation more would have to be looked at.
            try await phone.lists.setTicked(items[0], isTicked)
        }
        #expect(try await phone.waiting() == 503)
        let sent = try phone.mutations()
        #expect(sent.map(\.record.uuid) == items.map(\.uuid))
        #expect(sent.first?.change == .set(["ticked": true]) && sent.last?.change == .set(["ticked": false]))
    }

    @Test("Lists that are moved again and again leave one mutation each") func movedLists() async throws {
        let (phone, first) = try await Phone.withList()
        let second = try await phone.lists.create("Trip").id
        try await phone.client.syncNow()
        for _ in 0..<3 { for list in [first, second] { try await phone.lists.move(list, after: nil) } }
        #expect(try await phone.lists.all().map(\.id) == [second, first])
        #expect(try await phone.waiting() <= 2)
    }

    @Test("Edits in a group fold only with edits of the same group") func groups() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        let tea = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.write { changes in
            try changes.setTicked(milk.id, false)
            try changes.setTicked(tea.id, true)
            try changes.update(with(milk) { $0.title = "Oat milk" })
        }
        try await phone.lists.setTicked(tea.id, false)
        let sent = try phone.mutations()
        #expect(
            sent.map(\.change) == [
                .set(["ticked": true]), .set(["ticked": false, "title": "Oat milk"]), .set(["ticked": true]),
                .set(["ticked": false]),
            ])
        #expect(sent.map { $0.group.map { $0 - sent[1].number } } == [nil, 0, 0, nil])
    }

    @Test("A record that is created and removed before it was sent leaves nothing") func createAndDelete() async throws
    {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.lists.setTicked(item.id, true)
        try await phone.lists.remove(item.id)
        #expect(try phone.mutations().isEmpty)
        #expect(try phone.query("SELECT * FROM item").isEmpty)
        let other = try await phone.lists.create("Party")
        try await phone.lists.add("Cake", to: other.id)
        try await phone.lists.remove(other.id)
        #expect(try phone.mutations().isEmpty)
        #expect(try phone.query("SELECT * FROM item UNION ALL SELECT * FROM item").isEmpty)
        #expect(try phone.query("SELECT * FROM list").count == 1)
    }
}

/// A changed copy of a value.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}
