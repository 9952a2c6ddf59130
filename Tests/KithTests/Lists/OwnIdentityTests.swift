import Foundation
import Kith
import KithModel
import Testing

@Suite("Identities that the app chooses") struct OwnIdentityTests {
    private let milk = ItemID(stable: "4711", in: "com.example.groceries")
    private let tea = ItemID(stable: "4712", in: "com.example.groceries")

    @Test("A name has the same identity each time: a UUID of version 8, from the SHA-256 of namespace and name")
    func stable() {
        #expect(milk.description == "ab974f8b-36a1-841f-839f-c76ffe4d942e")
        #expect(milk == ItemID(stable: "4711", in: "com.example.groceries"))
        #expect(milk != ItemID(stable: "4711", in: "com.example.wishes"))
        #expect(milk != tea)
    }

    @Test("An import that is repeated adds nothing twice, and leaves what was edited since as it is")
    func repeated() async throws {
        let (phone, list) = try await Phone.withList()
        let drafts = [ItemDraft(title: "Milk", id: milk), ItemDraft(title: "Tea", count: 2, id: tea)]
        #expect(try await phone.lists.add(drafts, to: list).map(\.id) == [milk, tea])
        try await phone.lists.update(milk) { ($0.title, $0.isTicked) = ("Oat milk", true) }
        try await phone.client.syncNow()
        let again = try await phone.lists.add(drafts + [ItemDraft(title: "Cake")], to: list)
        #expect(again.map(\.title) == ["Oat milk", "Tea", "Cake"])
        #expect(again.map(\.isTicked) == [true, false, false])
        #expect(try await phone.waiting() == 1)
        let one = try await phone.lists.add("Milk", to: list, count: 7, id: milk)
        #expect(one == again[0])
        #expect(try await phone.titles(in: list) == ["Oat milk", "Tea", "Cake"])
    }

    @Test("A record that the server has refused never existed: its identity can be used again") func refused()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let me = try present(phone.account().id)
        phone.server.change { $0.feeds[list.retyped()]?.roles[me] = .viewer }
        try await phone.lists.add("Milk", to: list, id: milk)
        try await phone.client.syncNow()
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.client.rejections().count == 1)
        phone.server.change { $0.feeds[list.retyped()]?.roles[me] = .owner }
        try await phone.lists.add("Milk", to: list, id: milk)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("A removed record does not come back: an import skips it, and a single call throws")
    func removed() async throws {
        let (phone, list) = try await Phone.withList()
        let drafts = [ItemDraft(title: "Milk", id: milk), ItemDraft(title: "Tea", id: tea)]
        func isOut() async throws -> Bool {
            let code = await code { try await phone.lists.add("Milk", to: list, id: milk) }
            return try await phone.lists.add(drafts, to: list).map(\.title) == ["Tea"] && code == .removed
        }
        try await phone.lists.add(drafts, to: list)
        // Before it was sent; it stays so when another device removes the other.
        try await phone.lists.remove(milk)
        #expect(try await isOut())
        try await phone.client.syncNow()
        phone.othersRemove(tea, in: list)
        try await phone.client.syncNow()
        #expect(try await phone.lists.add(drafts, to: list).isEmpty)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A removal is remembered as long as a tombstone, with or without confirmation")
    func confirmed() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list, id: milk)
        try await phone.client.syncNow()
        try await phone.lists.remove(milk)
        #expect(await code { try await phone.lists.add("Milk", to: list, id: milk) } == .removed)
        try await phone.client.syncNow()
        #expect(await code { try await phone.lists.add("Milk", to: list, id: milk) } == .removed)
        phone.clock.advance(by: Limits.tombstones + .seconds(1))
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT * FROM removedIdentity").isEmpty)
    }

    @Test("A clock that is ahead for one round does not delete what is remembered of removals") func clockAhead()
        async throws
    {
        let (phone, list) = try await Phone.withList(clock: Clock())
        try await phone.lists.add("Milk", to: list, id: milk)
        try await phone.lists.remove(milk)
        try await phone.client.syncNow()
        phone.clock.advance(by: Limits.tombstones + .seconds(1))
        try await phone.client.syncNow()
        #expect(await code { try await phone.lists.add("Milk", to: list, id: milk) } == .removed)
    }

    @Test("Identities that Kith makes itself are not remembered") func own() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.remove(phone.lists.add("Milk", to: list).id)
        #expect(try phone.query("SELECT * FROM removedIdentity").isEmpty)
    }

    @Test("A removal that is undone does not count") func undone() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list, id: milk)
        let removal = try await phone.lists.remove(milk)
        try await phone.lists.undo(removal)
        #expect(try await phone.lists.add("Milk", to: list, id: milk).title == "Milk")
    }

    @Test("In two lists the same identity is two items") func twoLists() async throws {
        let (phone, list) = try await Phone.withList()
        let other = try await phone.lists.create("Wishes").id
        try await phone.lists.add("Milk", to: list, id: milk)
        try await phone.lists.add("A cow", to: other, id: milk)
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try await phone.titles(in: other) == ["A cow"])
    }

    @Test(
        "Law 11: A list whose identity another account has is made again under another one, with all its content",
        arguments: [false, true])
    func sameList(isChosen: Bool) async throws {
        let server = FakeServer()
        let chosen = ListID(stable: "1", in: "com.example.groceries")
        let first = try Phone(server, seed: 1)
        let id = try await first.lists.create("Groceries", id: isChosen ? chosen : nil).id
        try await first.client.syncNow()
        // The other user has derived the same identity, or has a copy of the device that has not synced since.
        let second = try Phone(server, seed: 2)
        try await second.lists.create("Groceries", id: id)
        try await second.lists.add("Milk", to: id, count: 2, id: milk)
        try await second.lists.move(id, after: nil)
        try await second.client.syncNow()
        try await second.lists.add("Tea", to: try #require(try await second.lists.all().first).id)
        try await second.client.syncNow()
        let list = try #require(try await second.lists.all().first)
        #expect(list.id != id && list.name == "Groceries")
        #expect(try await second.lists.all().count == 1)
        #expect(try await second.titles(in: list.id) == ["Milk", "Tea"])
        #expect(server.change { $0.titles(in: list.id) } == ["Milk", "Tea"])
        #expect(try await second.lists.items(in: list.id).map(\.count) == [2, 1])
        #expect(server.change { $0.titles(in: id) }.isEmpty)
        #expect(try await second.client.rejections().isEmpty)
        #expect(try await second.waiting() == 0)
        if isChosen {
            #expect(await code { try await second.lists.create("Groceries", id: id) } == .removed)
        }
    }

    @Test("An older server refuses a list whose identity another account has, and the device reports it")
    func sameListAtOlderServer() async throws {
        let server = FakeServer()
        server.change { $0.tellsTakenIDs = false }
        let id = ListID(stable: "1", in: "com.example.groceries")
        let expected: [(seed: UInt64, codes: [RejectionCode])] = [(1, []), (2, [.forbidden])]
        for (seed, codes) in expected {
            let phone = try Phone(server, seed: seed)
            try await phone.lists.create("Groceries", id: id)
            try await phone.client.syncNow()
            #expect(try await phone.client.rejections().map(\.code) == codes)
        }
    }

    @Test("Edits that were made while a list with another account's identity was on its way move along")
    func sameListUnderWay() async throws {
        let (first, id) = try await Phone.withList()
        let second = try Phone(first.server, seed: 2)
        _ = try await second.switchAccount()
        try await second.lists.create("Wishes", id: id)
        let item = try await second.lists.add("A cow", to: id)
        let request = try #require(try second.rounds.begin())
        try await second.lists.increase(item.id, in: id, by: 2)
        try await second.lists.add("Hay", to: id)
        #expect(try second.rounds.finish(request, second.server.answer(request)) == .again)
        let list = try #require(try await second.lists.all().first)
        #expect(list.id != id && list.name == "Wishes")
        try await second.client.syncNow()
        #expect(try await second.lists.items(in: list.id).map(\.count) == [3, 1])
        #expect(second.server.change { $0.titles(in: list.id) } == ["A cow", "Hay"])
        #expect(try await second.client.rejections().isEmpty)
    }

    @Test("A list is made once, too, and does not come back once it was removed") func lists() async throws {
        let phone = try Phone()
        let id = ListID(stable: "1", in: "com.example.groceries/ada")
        let list = try await phone.lists.create("Groceries", id: id)
        #expect(list.id == id)
        #expect(try await phone.lists.create("Another name", id: id) == list)
        #expect(try await phone.lists.all().count == 1)
        try await phone.client.syncNow()
        #expect(try await phone.lists.create("Groceries", id: id).name == "Groceries")
        #expect(try await phone.waiting() == 0)
        try await phone.lists.remove(id)
        #expect(await code { try await phone.lists.create("Groceries", id: id) } == .removed)
        try await phone.client.syncNow()
        #expect(await code { try await phone.lists.create("Groceries", id: id) } == .removed)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("An identity with another meaning is not a new identity") func reserved() async throws {
        let (phone, list) = try await Phone.withList()
        let me = try #require(try await phone.client.session.account())
        let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        for uuid in [zero, me.uuid, list.uuid] {
            #expect(await code { try await phone.lists.add("Milk", to: list, id: ItemID(uuid)) } == .invalid)
        }
        for uuid in [zero, me.uuid] {
            #expect(await code { try await phone.lists.create("Groceries", id: ListID(uuid)) } == .invalid)
        }
    }

    @Test("An update of a missing record creates nothing, and names the call that creates one") func updates()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        var item = try await phone.lists.add("Milk", to: list)
        try await phone.lists.remove(item.id)
        item.title = "Tea"
        let missing = item
        let gone = try await phone.lists.create("Wishes")
        try await phone.lists.remove(gone.id)
        let (add, create) = ("add(_:to:count:category:comment:offer:id:)", "create(_:kind:theme:id:)")
        for (record, call, update) in [
            ("item: \(missing.id)", add, { try await phone.lists.update(missing) }),
            ("item: \(milk)", add, { try await phone.lists.update(milk) { $0.count = 2 } }),
            ("list: \(gone.id)", create, { try await phone.lists.update(gone) }),
            ("list: \(gone.id)", create, { try await phone.lists.update(gone.id) { $0.name = "Gifts" } }),
        ] as [(String, String, () async throws -> Void)] {
            let error = await #expect(throws: KithError.self) { try await update() }
            #expect(error?.code == .notFound)
            #expect(error?.sentence.hasPrefix("There is no such \(record). It may have been removed.") == true)
            #expect(error?.sentence.hasSuffix("call \(call).") == true)
        }
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.lists.all().map(\.id) == [list])
    }

    @Test("A record that was refused, or cannot be read any more, does not count as removed") func notRemoved()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let me = try #require(try await phone.client.session.account())
        try await phone.lists.add("Milk", to: list, id: milk)
        try await phone.client.syncNow()
        phone.server.change { $0.expel(me, from: list, at: phone.clock.now) }
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().isEmpty)
        #expect(try phone.query("SELECT * FROM removedIdentity").isEmpty)
    }
}
