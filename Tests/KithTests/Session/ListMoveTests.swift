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

    @Test("Removed items stay removed when their list moves") func removals() async throws {
        let (phone, account) = try await twice()
        try await phone.lists.add("Cake", to: id, id: cake)
        try await phone.lists.remove(cake)
        try await phone.client.session.select(.account(account))
        try await phone.lists.moveLists(from: .userless, to: .account(account))
        #expect(await code { try await phone.lists.add("Cake", to: id, id: cake) } == .removed)
    }
}
