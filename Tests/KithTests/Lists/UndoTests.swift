import Foundation
import Kith
import KithModel
import Testing

@Suite("Undoing a removal") struct UndoTests {
    @Test("An unsent removal is cancelled: the same item returns to its place") func takenBack() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list, count: 2, comment: "oat")
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        let before = try await phone.lists.items(in: list)
        let removal = try await phone.lists.remove(milk.id)
        #expect(try await phone.titles(in: list) == ["Tea"])
        let back = try await phone.lists.undo(removal)
        #expect(back.items.map(\.id) == [milk.id])
        #expect(try await phone.lists.items(in: list) == before)
        #expect(try await phone.waiting() == 0)
    }

    @Test("A removal of a record that the server does not know is cancelled, too") func neverSent() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries")
        let milk = try await phone.lists.add("Milk", to: list.id)
        let removal = try await phone.lists.remove(milk.id)
        #expect(try await phone.lists.undo(removal).items.map(\.id) == [milk.id])
        let listRemoval = try await phone.lists.remove(list.id)
        #expect(listRemoval.itemCount == 1)
        let back = try await phone.lists.undo(listRemoval)
        #expect(back.lists.map(\.id) == [list.id])
        #expect(back.items.map(\.id) == [milk.id])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list.id) } == ["Milk"])
    }

    @Test("Items of two lists with the same identity come back to their own lists") func sameIdentity() async throws {
        let (phone, list) = try await Phone.withList()
        let other = try await phone.lists.create("Other").id
        let id = try await phone.lists.add("Milk", to: list).id
        try await phone.lists.add("Milk", to: other, id: id)
        try await phone.client.syncNow()
        let removal = try await phone.lists.remove(id, in: list)
        #expect(try await phone.lists.undo(removal).items.map(\.listID) == [list])
        #expect(try await phone.titles(in: list) == ["Milk"])
    }

    @Test("A list that is restored twice is there once", arguments: [true, false])
    func twice(isSynced: Bool) async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        try await phone.lists.add("Milk", to: list)
        if isSynced { try await phone.client.syncNow() }
        let removal = try await phone.lists.remove(list)
        for _ in 0..<2 {
            let back = try await phone.lists.undo(removal)
            #expect(back.lists.map(\.id) == [list])
            #expect(back.items.map(\.title) == ["Milk"])
        }
        #expect(try await phone.lists.all().map(\.id) == [list])
    }

    @Test("A removal that was sent is final, so a copy takes its place") func copied() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list, count: 2, comment: "oat")
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        let removal = try await phone.lists.remove(milk.id)
        try await phone.client.syncNow()
        let back = try #require(try await phone.lists.undo(removal).items.first)
        #expect(back.id != milk.id)
        #expect((back.title, back.count, back.comment, back.position) == ("Milk", 2, "oat", milk.position))
        #expect(try await phone.titles(in: list) == ["Milk", "Tea"])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "Tea"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Law 12: A copy has all fields of newer versions that the record can carry") func newerFields() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let newer = Fields(
            uniqueKeysWithValues: (0..<Limits.carriedFields).map { ("future\($0)", FieldValue.integer(Int64($0))) })
        phone.othersWrite(milk.id, newer, in: list)
        try await phone.client.syncNow()
        let removal = try await phone.lists.remove(milk.id)
        try await phone.client.syncNow()
        let copy = try #require(try await phone.lists.undo(removal).items.first)
        try await phone.lists.setTicked(copy.id, true)
        try await phone.client.syncNow()
        let fields = phone.server.change { $0.fields(copy.id, in: list) } ?? [:]
        #expect(fields.filter { newer[$0.key] != nil } == newer)
        #expect(fields["title"] == "Milk" && fields["ticked"] == true)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A removal in flight counts as sent") func inFlight() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let removal = try await phone.lists.remove(milk.id)
        let request = try #require(try phone.rounds.begin())
        let answer = phone.server.answer(request)
        #expect(try await phone.lists.undo(removal).items.first?.id != milk.id)
        _ = try phone.rounds.finish(request, answer)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.titles(in: list) == ["Milk"])
    }

    @Test("An item that was removed on its way to the server comes back as a copy, even when the log has forgotten it")
    func longAfterFlight() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        #expect(try phone.mutations().count == 1)
        let removal = try await phone.lists.remove(milk.id)
        try await phone.client.syncNow()
        phone.clock.advance(by: Limits.log + .days(1))
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT * FROM mutation").isEmpty)
        #expect(try await phone.lists.undo(removal).items.first?.id != milk.id)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Law 3: An item that somebody else removed before my removal was sent comes back as a copy")
    func removedByOthersToo() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let request = try #require(try phone.rounds.begin())
        phone.othersRemove(milk.id, in: list)
        let answer = phone.server.answer(request)
        let removal = try await phone.lists.remove(milk.id)
        _ = try phone.rounds.finish(request, answer)
        #expect(try await phone.lists.undo(removal).items.first?.id != milk.id)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A list comes back with its items, as itself or as a copy", arguments: [false, true])
    func lists(isSent: Bool) async throws {
        let (phone, list) = try await Phone.withList()
        for title in ["Milk", "Tea"] { try await phone.lists.add(title, to: list) }
        try await phone.client.syncNow()
        let removal = try await phone.lists.remove(list)
        if isSent { try await phone.client.syncNow() }
        let back = try await phone.lists.undo(removal)
        let id = try #require(back.lists.first?.id)
        #expect((id == list) == !isSent)
        #expect(back.items.map(\.title) == ["Milk", "Tea"])
        #expect(try await phone.titles(in: id) == ["Milk", "Tea"])
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.name) == ["Groceries"])
        #expect(phone.server.change { $0.titles(in: id) } == ["Milk", "Tea"])
    }

    @Test("Many items come back at once") func inBulk() async throws {
        let (phone, list) = try await Phone.withList()
        for title in ["A", "B", "C"] { try await phone.lists.add(title, to: list) }
        let removal = try await phone.lists.removeAllItems(in: list)
        #expect(removal.itemCount == 3)
        #expect(try await phone.lists.undo(removal).items.count == 3)
        #expect(try await phone.titles(in: list) == ["A", "B", "C"])
    }

    @Test("An item cannot be restored after its list is gone") func listGone() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let removal = try await phone.lists.remove(milk.id)
        try await phone.lists.remove(list)
        try await phone.client.syncNow()
        #expect(await code { try await phone.lists.undo(removal) } == .notFound)
    }

    @Test("The copy of a count beyond its range is limited to the range") func countInRange() async throws {
        let (phone, list) = try await Phone.withList()
        let rice = try await phone.lists.add("Rice", to: list, count: 9_000)
        try await phone.client.syncNow()
        phone.othersWrite(rice.id, ["count": 18_000], in: list)
        try await phone.client.syncNow()
        let removal = try await phone.lists.remove(rice.id)
        try await phone.client.syncNow()
        #expect(try await phone.lists.undo(removal).items.map(\.count) == [9_999])
    }
}
