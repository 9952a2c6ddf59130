import Kith
import KithModel
import Testing

@Suite("The names in a rejection") struct RejectionNameTests {
    private func rejection(_ phone: Phone) async throws -> Rejection {
        try #require(try await phone.client.rejections().first)
    }

    @Test("Law 2: A rejection names the list and the item, with what was lost and what is there now")
    func bothValues() async throws {
        let (phone, list) = try await Phone.withList()
        let item = try await phone.lists.add("Milk", to: list, count: 2)
        try await phone.client.syncNow()
        phone.server.change { world in
            if let me = world.tokens.values.first { world.feeds[list.retyped()]?.roles[me] = .viewer }
        }
        try await phone.lists.update(item.id) { ($0.title, $0.comment) = ("Oat milk", "the blue one") }
        try await phone.client.syncNow()
        let rejection = try await rejection(phone)
        #expect(rejection.listName == "Groceries")
        #expect(rejection.title == "Milk")
        #expect(rejection.values == ["title": "Oat milk", "comment": "the blue one"])
        #expect(rejection.current == ["title": "Milk", "comment": .null])
    }

    @Test("The item is named even if it was removed, and the list even if it is gone")
    func gone() async throws {
        let (phone, list, item) = try await Phone.withItem()
        phone.othersRemove(item.id, in: list)
        try await phone.lists.setTicked(item.id, true)
        try await phone.client.syncNow()
        try await phone.lists.remove(list)
        try await phone.client.syncNow()
        let rejection = try await rejection(phone)
        #expect(rejection.title == "Milk")
        #expect(rejection.listName == "Groceries")
        #expect(rejection.current == nil)
    }

    @Test("Edits that wait when access is lost keep the names of the removed records") func lost() async throws {
        let (owner, list, item) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .editor)
        let me = try present(await guest.client.session.account())
        try await guest.lists.setTicked(item.id, true)
        // One edit is on its way when the list goes, and another waits behind it.
        _ = try guest.rounds.begin()
        try await guest.lists.add("Tea", to: list)
        owner.server.change { $0.expel(me, from: list, at: owner.clock.now) }
        try await guest.client.syncNow()
        let rejections = try await guest.client.rejections()
        #expect(rejections.count == 2)
        #expect(Set(rejections.map(\.title)) == ["Milk", "Tea"])
        #expect(Set(rejections.map(\.listName)) == ["Groceries"])
        #expect(rejections.allSatisfy { $0.current == nil })
    }

    @Test("Mutations in flight while an earlier answer removes the list keep the names, too") func underWay()
        async throws
    {
        let (owner, list, item) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .editor)
        let me = try present(await guest.client.session.account())
        let earlier = try #require(try guest.rounds.begin())
        try await guest.lists.setTicked(item.id, true)
        // It has its number, and the server has not got it.
        _ = try guest.rounds.begin()
        owner.server.change { $0.expel(me, from: list, at: owner.clock.now) }
        #expect(try guest.rounds.finish(earlier, owner.server.answer(earlier)) == .again)
        #expect(try guest.query("SELECT * FROM item").isEmpty)
        try await guest.client.syncNow()
        let rejection = try await rejection(guest)
        #expect((rejection.title, rejection.listName) == ("Milk", "Groceries"))
    }

    @Test("An edit that waits when its item is removed names the item and the list") func removedUnderneath()
        async throws
    {
        let (phone, list, item) = try await Phone.withItem()
        let request = try #require(try phone.rounds.begin())
        phone.othersRemove(item.id, in: list)
        try await phone.lists.setTicked(item.id, true)
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        #expect(try phone.query("SELECT * FROM item").isEmpty)
        try await phone.client.syncNow()
        let rejection = try await rejection(phone)
        #expect(rejection.title == "Milk")
        #expect(rejection.listName == "Groceries")
    }

    @Test("A rejection by a restored server has the original names, even if the record is long gone") func resent()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        var backup = phone.server.change { $0 }
        let item = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        try await phone.lists.remove(item.id)
        try await phone.client.syncNow()
        let me = try #require(try await phone.client.session.account())
        backup.feeds[list.retyped()]?.roles[me] = .viewer
        backup.epoch = "restored"
        phone.server.change { [backup] in $0 = backup }
        try await phone.client.syncNow()
        let rejections = try await phone.client.rejections()
        #expect(rejections.first { !$0.isDeletion }?.title == "Milk")
    }

    @Test("A rejected removal says so, and names only the record itself") func removal() async throws {
        let (phone, list, item) = try await Phone.withItem()
        phone.server.change { world in
            if let me = world.tokens.values.first { world.feeds[list.retyped()]?.roles[me] = .viewer }
        }
        try await phone.lists.remove(item.id)
        try await phone.client.syncNow()
        let rejection = try await rejection(phone)
        #expect(rejection.isDeletion)
        #expect(rejection.values.isEmpty)
        #expect(rejection.title == "Milk")
        #expect(try await phone.titles(in: list) == ["Milk"])
    }

    @Test("A rejected list has its intended name; a person has the current one") func others() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.update(with(try #require(try await phone.lists.list(list))) { $0.name = "Food" })
        phone.server.change { $0.write(.lists, list.retyped(), nil, in: list.retyped(), at: phone.clock.now) }
        try await phone.client.syncNow()
        let rejection = try await rejection(phone)
        #expect(rejection.title == rejection.listName && rejection.title != nil)
    }
}
