import Foundation
import Kith
import KithModel
import Testing

@Suite("Items") struct ItemTests {
    private let phone: Phone
    private let list: ListID

    init() async throws {
        phone = try Phone()
        list = try await phone.lists.create("Groceries").id
    }

    @Test("An item has its given values, and is found by its identity and by its offer") func operations() async throws
    {
        let item = try await phone.lists.add(
            "Milk", to: list, count: 3, category: "Dairy", comment: "oat", offer: "offer-1")
        #expect((item.title, item.count, item.isTicked) == ("Milk", 3, false))
        #expect((item.category, item.comment, item.offer) == ("Dairy", "oat", "offer-1"))
        #expect(item.creator == nil)
        #expect(item.modified == phone.clock.now)
        #expect(try await phone.lists.item(item.id) == item)
        #expect(try await phone.lists.item(offer: "offer-1", in: list) == item)
        #expect(try await phone.lists.item(offer: "offer-2", in: list) == nil)
        try await phone.lists.update(with(item) { ($0.title, $0.count, $0.comment) = ("Tea", 1, nil) })
        let changed = try #require(try await phone.lists.item(item.id))
        #expect((changed.title, changed.count, changed.comment, changed.offer) == ("Tea", 1, nil, "offer-1"))
        try await phone.lists.remove(item.id)
        #expect(try await phone.lists.item(item.id) == nil)
    }

    @Test("The creator of an item is known when the server has received it") func creator() async throws {
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        #expect(try await phone.lists.item(item.id)?.creator == phone.client.session.account())
    }

    @Test("New items are added at the end, in order") func order() async throws {
        for title in ["A", "B", "C"] { try await phone.lists.add(title, to: list) }
        #expect(try await phone.titles(in: list) == ["A", "B", "C"])
    }

    @Test("Law 2: An update by closure changes the item as it is, and undoes nobody's edit") func updateInPlace()
        async throws
    {
        let (phone, list, stale) = try await Phone.withItem()
        phone.othersWrite(stale.id, ["title": "Oat milk"], in: list)
        try await phone.client.syncNow()
        try await phone.lists.update(stale.id) { $0.comment = "two cartons" }
        try await phone.client.syncNow()
        let item = try #require(try await phone.lists.item(stale.id))
        #expect((item.title, item.comment) == ("Oat milk", "two cartons"))
    }

    @Test("Items are moved after another, and first") func move() async throws {
        var ids: [ItemID] = []
        for title in ["A", "B", "C", "D"] { ids.append(try await phone.lists.add(title, to: list).id) }
        try await phone.lists.move(ids[3], after: nil)
        #expect(try await phone.titles(in: list) == ["D", "A", "B", "C"])
        try await phone.lists.move(ids[0], after: ids[1])
        #expect(try await phone.titles(in: list) == ["D", "B", "A", "C"])
        try await phone.lists.move(ids[0], after: ids[1])
        #expect(try await phone.titles(in: list) == ["D", "B", "A", "C"])
        try await phone.lists.move(ids[1], after: ids[2])
        #expect(try await phone.titles(in: list) == ["D", "A", "C", "B"])
    }

    @Test("An item cannot be put after itself, one of another list, or one that is gone") func badMoves() async throws {
        let item = try await phone.lists.add("A", to: list)
        let other = try await phone.lists.create("Other")
        let stranger = try await phone.lists.add("B", to: other.id)
        #expect(await code { try await phone.lists.move(item.id, after: item.id) } == .invalid)
        #expect(await code { try await phone.lists.move(item.id, after: stranger.id) } == .invalid)
        #expect(await code { try await phone.lists.move(item.id, after: ItemID(UUID())) } == .notFound)
        #expect(await code { try await phone.lists.move(ItemID(UUID()), after: nil) } == .notFound)
    }

    @Test("Trap: Order kept as a previous-item chain becomes circular or diverges – equal keys are spread again")
    func equalKeys() async throws {
        for title in ["A", "B", "C", "D"] {
            phone.clock.advance(by: .seconds(1))
            try await phone.lists.add(title, to: list)
        }
        try await phone.client.syncNow()
        let items = try await phone.lists.items(in: list)
        // Two devices put B and C at the same place at the same time.
        phone.server.change {
            for item in items[1...2] {
                $0.write(
                    .items, item.id.retyped(), ["position": .text(items[1].position.text)], in: list.retyped(),
                    at: phone.clock.now)
            }
        }
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list) == ["A", "B", "C", "D"])
        try await phone.lists.move(items[3].id, after: items[1].id)
        #expect(try await phone.titles(in: list) == ["A", "B", "D", "C"])
        #expect(try await phone.waiting() == 2, "D and C have new keys; A and B keep theirs.")
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list) == ["A", "B", "D", "C"])
    }

    @Test("If the key behind the last item would be too long, items at the end get new keys") func longestKey()
        async throws
    {
        let (phone, list, milk) = try await Phone.withItem()
        let last = String(repeating: "jzzzzzzzzzz", count: 11) + "fzzzzzz"
        #expect(last.utf8.count == Limits.indexKey)
        phone.othersWrite(milk.id, ["position": .text(last)], in: list)
        try await phone.client.syncNow()
        #expect(try await phone.lists.item(milk.id)?.position.text == last)
        try await phone.lists.add([ItemDraft(title: "Tea"), ItemDraft(title: "Rice")], to: list)
        #expect(try await phone.titles(in: list) == ["Milk", "Tea", "Rice"])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "Rice", "Tea"])
        #expect(try await phone.titles(in: list) == ["Milk", "Tea", "Rice"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("After any moves, the list has the expected order", arguments: 0..<20 as Range<UInt64>)
    func randomMoves(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var model: [ItemID] = []
        for index in 0..<8 { model.append(try await phone.lists.add("Item \(index)", to: list).id) }
        for _ in 0..<60 {
            let id = try #require(model.randomElement(using: &random))
            let others = model.filter { $0 != id }
            let place = Int.random(in: 0...others.count, using: &random)
            try await phone.lists.move(id, after: place == 0 ? nil : others[place - 1])
            model = Array(others[..<place]) + [id] + Array(others[place...])
        }
        #expect(try await phone.lists.items(in: list).map(\.id) == model)
    }

    @Test("Remove all, clear ticked and untick all do what they say") func inBulk() async throws {
        var ids: [ItemID] = []
        for title in ["A", "B", "C", "D"] { ids.append(try await phone.lists.add(title, to: list).id) }
        for id in ids[0..<2] { try await phone.lists.setTicked(id, true) }
        #expect(try await phone.lists.untickAll(in: list) == 2)
        #expect(try await phone.lists.items(in: list).allSatisfy { !$0.isTicked })
        #expect(try await phone.lists.untickAll(in: list) == 0)
        for id in ids[1..<3] { try await phone.lists.setTicked(id, true) }
        #expect(try await phone.lists.removeTicked(in: list).itemCount == 2)
        #expect(try await phone.titles(in: list) == ["A", "D"])
        #expect(try await phone.lists.removeAllItems(in: list).itemCount == 2)
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.lists.list(list) != nil)
    }

    @Test("Additions are summed, and shown within 1 and 9,999") func counts() async throws {
        let item = try await phone.lists.add("Milk", to: list, count: 5)
        try await phone.lists.increase(item.id, by: 3)
        try await phone.lists.increase(item.id, by: -7)
        #expect(try await phone.lists.item(item.id)?.count == 1)
        let error = await #expect(throws: KithError.self) { try await phone.lists.increase(item.id, by: -1) }
        #expect((error?.code, error?.field) == (.invalid, "count"))
        for amount in [9_999, Int.max, Int.min] {
            #expect(await code { try await phone.lists.increase(item.id, by: amount) } == .invalid)
        }
        #expect(try await phone.lists.item(item.id)?.count == 1)
    }

    @Test(
        "An addition begins at the count that is shown, even if the stored sum is beyond the range",
        arguments: [(-3, 2, 3), (18_000, -1, 9_998)] as [(Int64, Int, Int)])
    func beyondRange(stored: Int64, amount: Int, count: Int) async throws {
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        phone.othersWrite(item.id, ["count": .integer(stored)], in: list)
        try await phone.client.syncNow()
        try await phone.lists.increase(item.id, by: amount)
        #expect(try await phone.lists.item(item.id)?.count == count)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(item.id, in: list)?["count"] } == .integer(Int64(count)))
    }

    @Test("Additions of two devices are summed") func sums() async throws {
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        let tablet = try Phone(phone.server, seed: 9)
        _ = try await tablet.client.session.activate(token: try #require(try await phone.client.session.token()))
        try await tablet.client.syncNow()
        try await tablet.lists.increase(item.id, by: 2)
        try await phone.lists.increase(item.id, by: 3)
        for device in [tablet, phone, tablet] { try await device.client.syncNow() }
        #expect(try await phone.lists.item(item.id)?.count == 6)
        #expect(try await tablet.lists.item(item.id)?.count == 6)
    }

    @Test(
        "Each limit of a field is refused with the field's name",
        arguments: [
            ("title", 501), ("category", 101), ("comment", 2_001), ("offer", 201),
        ])
    func tooLong(field: String, length: Int) async throws {
        let text = String(repeating: "ä", count: length)
        func add(_ text: String) async throws {
            try await phone.lists.add(
                field == "title" ? text : "Milk", to: list, category: field == "category" ? text : nil,
                comment: field == "comment" ? text : nil, offer: field == "offer" ? text : nil)
        }
        let error = await #expect(throws: KithError.self) { try await add(text) }
        #expect((error?.code, error?.field) == (.invalid, field))
        #expect(try await phone.titles(in: list).isEmpty)
        try await add(String(text.dropLast()))
        #expect(try await phone.lists.items(in: list).count == 1)
    }

    @Test(
        "A count is 1 to 9,999, a title is not empty",
        arguments: [("", 1), ("Milk", 0), ("Milk", -3), ("Milk", 10_000)])
    func outOfRange(title: String, count: Int) async throws {
        #expect(await code { try await phone.lists.add(title, to: list, count: count) } == .invalid)
        let item = try await phone.lists.add("Tea", to: list)
        #expect(
            await code { try await phone.lists.update(with(item) { ($0.title, $0.count) = (title, count) }) }
                == .invalid)
        #expect(try await phone.lists.items(in: list).map(\.title) == ["Tea"])
    }

    @Test("A missing item is notFound, even if it was just removed") func missing() async throws {
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        try await phone.lists.remove(item.id)
        #expect(await code { try await phone.lists.update(with(item) { $0.title = "Tea" }) } == .notFound)
        #expect(await code { try await phone.lists.update(item) } == .notFound)
        #expect(await code { try await phone.lists.setTicked(item.id, true) } == .notFound)
        #expect(await code { try await phone.lists.increase(item.id, by: 1) } == .notFound)
        #expect(await code { try await phone.lists.remove(item.id) } == .notFound)
        #expect(try await phone.titles(in: list).isEmpty)
    }
    @Test("Law 2: An edit changes the intended item even if another list has one with the same identity")
    func sameIdentity() async throws {
        let item = try await phone.lists.add("Milk", to: list)
        let below = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        let other = try await phone.lists.create("Other")
        try await phone.client.syncNow()
        // Someone who reads this list gives what they know of it to a list of their own that I am in.
        phone.server.change {
            $0.write(
                .items, item.id.retyped(), ["title": "Trap", "position": "a0", "ticked": true], in: other.id.retyped(),
                at: phone.clock.now)
        }
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: other.id) == ["Trap"])

        // Where the list is not told, nothing is done.
        #expect(await code { _ = try await phone.lists.item(item.id) } == .invalid)
        #expect(await code { try await phone.lists.increase(item.id, by: 1) } == .invalid)
        #expect(await code { try await phone.lists.setTicked(item.id, true) } == .invalid)
        #expect(await code { try await phone.lists.move(item.id, after: below.id) } == .invalid)
        #expect(await code { try await phone.lists.move(below.id, after: item.id) } == .invalid)
        #expect(await code { try await phone.lists.remove(item.id) } == .invalid)
        #expect(try await phone.waiting() == 0)

        // Where it is told, the edit is of that list's item.
        try await phone.lists.update(with(item) { ($0.title, $0.isTicked) = ("Trap", true) })
        #expect(try await phone.lists.item(item.id, in: list)?.title == "Trap")
        try await phone.lists.setTicked(item.id, in: list, false)
        try await phone.lists.increase(item.id, in: list, by: 2)
        try await phone.lists.move(item.id, in: list, after: below.id)
        let changed = try #require(try await phone.lists.item(item.id, in: list))
        #expect((changed.count, changed.isTicked) == (3, false))
        #expect(try await phone.titles(in: list) == ["Tea", "Trap"])
        phone.clock.advance(by: .seconds(1))
        try await phone.lists.add("Trap", to: list, count: 2)
        let merged = try await phone.lists.merge(try #require(try await phone.lists.duplicates(in: list).first))
        #expect((merged.id, merged.count) == (item.id, 5))
        try await phone.lists.remove(item.id, in: list)
        #expect(try await phone.titles(in: list) == ["Tea"])
        #expect(try await phone.titles(in: other.id) == ["Trap"])
        #expect(try await phone.lists.item(item.id)?.listID == other.id)
    }
}
