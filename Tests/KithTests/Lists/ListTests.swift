import Foundation
import Kith
import KithModel
import Testing

@Suite("Lists") struct ListTests {
    @Test("A list is made, read, changed and removed without a server") func operations() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries", kind: "wish", theme: "sea")
        #expect((list.name, list.kind, list.theme, list.role) == ("Groceries", "wish", "sea", .owner))
        #expect(list.access == .private)
        #expect(list.modified == phone.clock.now)
        phone.clock.advance(by: .seconds(5))
        try await phone.lists.update(with(list) { ($0.name, $0.theme) = ("Food", nil) })
        let changed = try #require(try await phone.lists.list(list.id))
        #expect((changed.name, changed.kind, changed.theme) == ("Food", "wish", nil))
        #expect(changed.modified == phone.clock.now)
        try await phone.lists.remove(list.id)
        #expect(try await phone.lists.list(list.id) == nil)
        #expect(try await phone.lists.all().isEmpty)
    }

    @Test("Trap: an import whose items fail leaves an empty list – the list is created with its items, or not at all")
    func createdWithItems() async throws {
        let phone = try Phone()
        let sound = [ItemDraft(title: "Milk"), ItemDraft(title: "Tea", count: 2)]
        await #expect(throws: KithError.self) {
            try await phone.lists.create("Food", with: sound + [ItemDraft(title: "Jam", count: 0)])
        }
        #expect(try await phone.lists.all().isEmpty)
        // More than a group can have.
        let many = (1...501).map { ItemDraft(title: "\($0)") }
        let list = try await phone.lists.create("Food", kind: "wish", theme: "sea", with: sound + many)
        #expect((list.name, list.kind, list.theme) == ("Food", "wish", "sea"))
        #expect(try await phone.titles(in: list.id) == (sound + many).map(\.title))
    }

    @Test("Getters return values: changing one changes nothing until it is passed to an update") func values()
        async throws
    {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries")
        var copy = try #require(try await phone.lists.list(list.id))
        copy.name = "Changed"
        var item = try await phone.lists.add("Milk", to: list.id)
        item.title = "Changed"
        #expect(try await phone.lists.all().map(\.name) == ["Groceries"])
        #expect(try await phone.titles(in: list.id) == ["Milk"])
        try await phone.lists.update(copy)
        try await phone.lists.update(item)
        #expect(try await phone.lists.all().map(\.name) == ["Changed"])
        #expect(try await phone.titles(in: list.id) == ["Changed"])
    }

    @Test("An update writes only what differs from what is shown, not the default of a field that the list lacks")
    func smallUpdate() async throws {
        let (phone, list) = try await Phone.withList()
        phone.server.change {
            $0.write(.lists, list.retyped(), ["name": "Groceries"], in: list.retyped(), at: phone.clock.now)
            $0.feeds[list.retyped()]?.records[list.retyped()]?.state.fields["kind"] = nil
        }
        try await phone.client.syncNow()
        var shown = try #require(try await phone.lists.list(list))
        shown.name = "Food"
        try await phone.lists.update(shown)
        #expect(try phone.mutations().map(\.change) == [.set(["name": "Food"])])
    }

    @Test("Law 2: An update by closure changes the list as it is, and undoes nobody's edit") func updateInPlace()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        phone.server.change {
            $0.write(.lists, list.retyped(), ["name": "Food"], in: list.retyped(), at: phone.clock.now)
        }
        try await phone.client.syncNow()
        try await phone.lists.update(list) { $0.theme = "green" }
        #expect(try phone.mutations().map(\.change) == [.set(["theme": "green"])])
        #expect(try await phone.lists.list(list)?.name == "Food")
        #expect(await code { try await phone.lists.update(list) { $0.name = "" } } == .invalid)
    }

    @Test("An update that changes nothing sends nothing") func emptyUpdate() async throws {
        let (phone, list, item) = try await Phone.withItem()
        try await phone.lists.update(try #require(try await phone.lists.list(list)))
        try await phone.lists.update(item)
        try await phone.lists.setTicked(item.id, false)
        #expect(try await phone.waiting() == 0)
    }

    @Test("A list counts as modified whenever one of its items changes") func modifiedByItems() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries")
        let item = try await phone.lists.add("Milk", to: list.id)
        for change in 0..<3 {
            phone.clock.advance(by: .seconds(5))
            switch change {
            case 0: try await phone.lists.setTicked(item.id, true)
            case 1: try await phone.lists.add("Tea", to: list.id)
            default: try await phone.lists.remove(item.id)
            }
            #expect(try await phone.lists.list(list.id)?.modified == phone.clock.now)
        }
    }

    @Test("Removing a list removes its items; getters show neither, before the server has confirmed it")
    func removal() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list, offer: "offer-1")
        try await phone.client.syncNow()
        try await phone.lists.remove(list)
        #expect(try await phone.lists.list(list) == nil)
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.lists.item(item.id) == nil)
        #expect(try await phone.lists.item(offer: "offer-1", in: list) == nil)
        #expect(try await phone.lists.members(of: list).isEmpty)
        #expect(await code { try await phone.lists.setTicked(item.id, true) } == .notFound)
        #expect(await code { try await phone.lists.add("Tea", to: list) } == .notFound)
        #expect(await code { try await phone.lists.remove(list) } == .notFound)
        var items = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await items.next()?.added.isEmpty == true)
        #expect(try phone.query("SELECT * FROM item").count == 1)
        try await phone.client.syncNow()
        for table in ["list", "item", "member", "membership"] {
            #expect(try phone.query("SELECT * FROM \(table)").isEmpty)
        }
        #expect(phone.server.change { $0.fields(list, in: list) } == nil)
    }

    @Test("Without a session a removal leaves nothing behind") func removalWithoutUser() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries")
        let item = try await phone.lists.add("Milk", to: list.id)
        try await phone.lists.remove(item.id)
        #expect(try phone.query("SELECT * FROM item").isEmpty)
        try await phone.lists.add("Tea", to: list.id)
        try await phone.lists.remove(list.id)
        for table in ["list", "item", "mutation"] { #expect(try phone.query("SELECT * FROM \(table)").isEmpty) }
    }

    @Test(
        "An edit that breaks a field's rules is refused with the field and a sentence, and nothing is written",
        arguments: [
            ("", "name"), (String(repeating: "x", count: 201), "name"), ("a\0b", "name"),
        ])
    func badNames(name: String, field: String) async throws {
        let phone = try Phone()
        let error = await #expect(throws: KithError.self) { try await phone.lists.create(name) }
        #expect(error?.code == .invalid)
        #expect(error?.field == field)
        #expect(error?.sentence.contains("“name”") == true)
        #expect(try await phone.waiting() == 0)
        let list = try await phone.lists.create("Groceries")
        #expect(await code { try await phone.lists.update(with(list) { $0.name = name }) } == .invalid)
        #expect(try await phone.lists.all().map(\.name) == ["Groceries"])
    }

    @Test("A missing list is notFound") func missing() async throws {
        let phone = try Phone()
        let list = ListID(UUID())
        let gone = try await phone.lists.create("Gone")
        try await phone.lists.remove(gone.id)
        #expect(try await phone.lists.list(list) == nil)
        #expect(await code { try await phone.lists.update(gone) } == .notFound)
        #expect(await code { try await phone.lists.remove(list) } == .notFound)
        #expect(await code { try await phone.lists.move(list, after: nil) } == .notFound)
        #expect(await code { try await phone.lists.leave(list) } == .notFound)
        #expect(await code { try await phone.lists.add("Milk", to: list) } == .notFound)
        #expect(await code { try await phone.lists.removeAllItems(in: list) } == .notFound)
        #expect(await code { try await phone.lists.removeTicked(in: list) } == .notFound)
        #expect(await code { try await phone.lists.untickAll(in: list) } == .notFound)
    }

    @Test("Each person can order their lists, and the server stores the order") func order() async throws {
        let phone = try Phone()
        var ids: [ListID] = []
        for name in ["A", "B", "C"] { ids.append(try await phone.lists.create(name).id) }
        try await phone.client.syncNow()
        try await phone.lists.move(ids[2], after: nil)
        #expect(try await phone.lists.all().map(\.name) == ["C", "A", "B"])
        try await phone.lists.move(ids[0], after: ids[1])
        #expect(try await phone.lists.all().map(\.name) == ["C", "B", "A"])
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.name) == ["C", "B", "A"])
        let tablet = try Phone(phone.server, seed: 9)
        _ = try await tablet.client.session.activate(token: try #require(try await phone.client.session.token()))
        try await tablet.client.syncNow()
        #expect(try await tablet.lists.all().map(\.name) == ["C", "B", "A"])
        #expect(await code { try await phone.lists.move(ids[0], after: ListID(UUID())) } == .notFound)
    }

    @Test("Law 4: A new list keeps its place when the answer to an earlier round arrives") func orderDuringARound()
        async throws
    {
        let phone = try Phone()
        _ = try await phone.client.session.open()
        let first = try #require(try phone.rounds.begin())
        try await phone.lists.create("A")
        let list = try await phone.lists.create("B").id
        try await phone.lists.move(list, after: nil)
        #expect(try await phone.lists.all().map(\.name) == ["B", "A"])
        _ = try phone.rounds.finish(first, phone.server.answer(first))
        #expect(try await phone.lists.all().map(\.name) == ["B", "A"])
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.name) == ["B", "A"])
    }

    @Test("Lists can be ordered before they were ever sent, and the order is kept") func orderOffline()
        async throws
    {
        let phone = try Phone()
        var ids: [ListID] = []
        for name in ["A", "B", "C"] { ids.append(try await phone.lists.create(name).id) }
        try await phone.lists.move(ids[2], after: nil)
        try await phone.lists.move(ids[0], after: ids[1])
        #expect(try await phone.lists.all().map(\.name) == ["C", "B", "A"])
        try await phone.lists.remove(ids[2])
        #expect(try await phone.lists.all().map(\.name) == ["B", "A"])
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.name) == ["B", "A"])
        #expect(try await phone.client.rejections().isEmpty)
        let me = try #require(try await phone.client.session.account())
        for id in ids.prefix(2) {
            #expect(phone.server.change { $0.fields(id, in: me.retyped())?["position"] } != nil)
        }
    }

    @Test("A catch names the code that it is for") func catching() async throws {
        let phone = try Phone()
        do {
            try await phone.lists.create("")
            Issue.record("A list without a name is refused.")
        } catch KithError.Code.forbidden {
            Issue.record("It is not a question of rights.")
        } catch KithError.Code.invalid {}
    }

    @Test("Edits in one group are written together or not at all") func together() async throws {
        let phone = try Phone()
        let refused = await code {
            try await phone.client.write { changes in
                let list = try changes.create("Party")
                try changes.add("Cake", to: list.id)
                try changes.add("", to: list.id)
            }
        }
        #expect(refused == .invalid)
        #expect(try await phone.lists.all().isEmpty)
        let list = try await phone.client.write { changes in
            let list = try changes.create("Party")
            let cake = try changes.add("Cake", to: list.id)
            try changes.setTicked(cake.id, true)
            #expect(try changes.items(in: list.id).map(\.isTicked) == [true])
            return list
        }
        #expect(try await phone.titles(in: list.id) == ["Cake"])
    }
}
