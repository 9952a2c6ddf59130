import Foundation
import Kith
import KithModel
import Testing

@Suite("Moving a list to a store that has its identity") struct ListMoveTests {
    private let id = ListID(stable: "1", in: "com.example.groceries")
    private let milk = ItemID(stable: "milk", in: "com.example.groceries")
    private let tea = ItemID(stable: "tea", in: "com.example.groceries")
    private let cake = ItemID(stable: "cake", in: "com.example.groceries")

    /// A device with the list behind both walls, the account's synced; the account is current.
    private func twice() async throws -> (Phone, AccountID) {
        let phone = try Phone()
        try await phone.lists.create("Groceries", id: id)
        try await phone.lists.add([ItemDraft(title: "Milk", id: milk), ItemDraft(title: "Tea", id: tea)], to: id)
        try await phone.client.syncNow()
        let account = try #require(try await phone.client.session.account())
        try await phone.client.session.select(.userless)
        try await phone.lists.create("Groceries", id: id)
        return (phone, account)
    }

    @Test(
        "Law 13: Items that the other list lacks are added, under their identities if these are free; nothing is lost")
    func merged() async throws {
        let (phone, account) = try await twice()
        try await phone.lists.add(
            [
                ItemDraft(title: "Milk", id: milk), ItemDraft(title: "Green tea", id: tea),
                ItemDraft(title: "Cake", id: cake),
            ], to: id)
        try await phone.client.session.select(.account(account))
        let moved = try await phone.lists.moveLists(from: .userless, to: .account(account))
        #expect(moved == [id: id])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: id) }.filter { $0 != "Milk" } == ["Cake", "Green tea", "Tea"])
        #expect(phone.server.change { $0.fields(cake, in: id)?["title"] } == "Cake")
        #expect(phone.server.change { $0.fields(tea, in: id)?["title"] } == "Tea")
        #expect(try await phone.lists.all(within: .userless).isEmpty)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.client.accounts.store(.userless)?.waiting ?? 0 == 0)
    }

    @Test("The edits of a list that were written together are sent together after the list has moved") func groups()
        async throws
    {
        let phone = try Phone()
        let account = try await phone.switchAccount()
        try await phone.client.session.select(.userless)
        let list = try await phone.lists.create("Groceries").id
        for title in ["Milk", "Tea"] {
            try await phone.client.write { changes in
                let item = try changes.add(title, to: list)
                try changes.add("\(item.title), more", to: list)
            }
        }
        try await phone.client.session.select(.account(account))
        try await phone.lists.moveLists([list], from: .userless, to: .account(account))
        let sent = try phone.mutations()
        let first = try #require(sent.first?.number)
        #expect(sent.map { $0.group.map { $0 - first } } == [nil, 1, 1, 3, 3])
    }

    @Test("Law 13: A list is copied under another id if the target account has removed its id") func removedThere()
        async throws
    {
        let (phone, account) = try await twice()
        try await phone.lists.add("Cake", to: id, id: cake)
        try await phone.client.session.select(.account(account))
        try await phone.lists.remove(id)
        try await phone.client.syncNow()
        let moved = try await phone.lists.moveLists(from: .userless, to: .account(account))
        let new = try #require(moved[id])
        #expect(new != id)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: new) } == ["Cake"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test(
        "Law 2: A list whose moved copy lacks an edit of another device stays in its account, with that edit",
        arguments: [false, true])
    func changedElsewhere(hasUnsent: Bool) async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let first = try #require(try await phone.client.session.account())
        if hasUnsent { try await phone.lists.update(milk.id, in: list) { $0.comment = "brown" } }
        let second = try await phone.switchAccount()
        phone.othersWrite(milk.id, ["count": 5], in: list)
        let moved = try await phone.lists.moveLists([list], from: .account(first), to: .account(second))
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: moved[list] ?? list) } == ["Milk"])
        try await phone.client.session.select(.account(first))
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.id) == [list])
        let item = try #require(try await phone.lists.items(in: list).first)
        #expect(item.count == 5 && item.comment == nil, "The unsent edit has moved.")
        let rejections = try await phone.client.rejections()
        #expect(rejections.count == 2 && Set(rejections.map(\.code)) == [.changed, .group])
        #expect(rejections.allSatisfy { $0.values.isEmpty })
        #expect(try await phone.waiting() == 0)
    }

    @Test("Unsent edits, and what the server itself has written about people, do not keep a list in its account")
    func changedHere() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.increase(milk.id, in: list, by: 2)
        let second = try await phone.switchAccount()
        phone.server.change { world in
            world.write(.members, first.retyped(), ["profileName": "Ada"], in: list.retyped(), at: phone.clock.now)
        }
        let moved = try await phone.lists.moveLists([list], from: .account(first), to: .account(second))
        let copy = try #require(moved[list])
        #expect(try await phone.lists.items(in: copy).map(\.count) == [3])
        try await phone.client.session.select(.account(first))
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().isEmpty)
        #expect(phone.server.change { $0.fields(list, in: list) } == nil)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Removed items stay removed when their list moves") func removals() async throws {
        let (phone, account) = try await twice()
        try await phone.lists.add("Cake", to: id, id: cake)
        try await phone.lists.remove(cake)
        try await phone.client.session.select(.account(account))
        try await phone.lists.moveLists(from: .userless, to: .account(account))
        #expect(await code { try await phone.lists.add("Cake", to: id, id: cake) } == .removed)
    }
}
