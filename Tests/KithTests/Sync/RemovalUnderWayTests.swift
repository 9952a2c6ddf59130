import Foundation
import Kith
import KithModel
import Testing

/// Each removal is made when the server has computed the answer of a round, and before the device applies it.
@Suite("A record that is removed while an answer is under way stays removed, and the next round sends the removal")
struct RemovalUnderWayTests {
    /// What the answer has to say about the record.
    enum Answer: String, CaseIterable, Sendable {
        /// That the server has taken an edit of this device.
        case ownEdit
        /// That somebody else has changed it.
        case othersEdit
        /// How it is, as one of a whole page: the server has begun a new epoch.
        case page
    }

    @Test("A list with a removal in flight is restored with its items") func undoUnderWay() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        let removal = try await phone.lists.remove(list)
        _ = try #require(try phone.rounds.begin())
        let restoration = try await phone.lists.undo(removal)
        #expect(restoration.items.map(\.title).sorted() == ["Milk", "Tea"])
        try await phone.client.syncNow()
        let copy = try #require(restoration.lists.first?.id)
        #expect(try await phone.titles(in: copy).sorted() == ["Milk", "Tea"])
    }

    @Test("An item with an acknowledged creation") func newItem() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        try await check(milk, on: phone)
    }

    @Test("An item", arguments: Answer.allCases) func item(answer: Answer) async throws {
        let (phone, list, milk) = try await Phone.withItem()
        let now = phone.clock.now
        switch answer {
        case .ownEdit: try await phone.lists.update(milk.id) { $0.comment = "fresh" }
        case .othersEdit:
            phone.server.change { $0.write(.items, milk.id.retyped(), ["comment": "oat"], in: list.retyped(), at: now) }
        case .page: phone.server.change { $0.epoch = "second" }
        }
        try await check(milk, on: phone)
    }

    private func check(_ item: ListItem, on phone: Phone) async throws {
        let list = item.listID
        var changes = phone.lists.itemChanges().makeAsyncIterator()
        _ = await changes.next()
        let exchanges = try await sync(phone) {
            try await phone.lists.remove(item.id)
        } look: {
            try await phone.titles(in: list)
        }
        exchanges.expectRemoval(of: item.id.uuid)
        #expect(phone.server.change { $0.fields(item.id, in: list) } == nil)
        #expect(try phone.query("SELECT * FROM item").isEmpty)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 0)
        // Nobody heard of the item again after its removal.
        let last = try await phone.lists.add("The last", to: list)
        var told: [Changed<ListItem>] = []
        while let changed = await changes.next() {
            told.append(changed)
            if changed.added.contains(where: { $0.id == last.id }) { break }
        }
        let removal = try #require(told.firstIndex { $0.removed.contains { $0.id == item.id } })
        let later = told[removal...].dropFirst()
        #expect(!later.contains { ($0.added + $0.modified + $0.removed).contains { $0.id == item.id } })
    }

    @Test("A list with an acknowledged creation, with its content") func newList() async throws {
        let (phone, _) = try await Phone.withList()
        let party = try await phone.lists.create("Party")
        try await phone.lists.add("Cake", to: party.id)
        try await check(party, on: phone)
    }

    @Test("A list", arguments: Answer.allCases) func list(answer: Answer) async throws {
        let (phone, _) = try await Phone.withList()
        let party = try await phone.lists.create("Party")
        let cake = try await phone.lists.add("Cake", to: party.id)
        try await phone.client.syncNow()
        let now = phone.clock.now
        switch answer {
        case .ownEdit: try await phone.lists.update(with(party) { $0.name = "Feast" })
        case .othersEdit:
            phone.server.change {
                $0.write(.lists, party.id.retyped(), ["name": "Feast"], in: party.id.retyped(), at: now)
                $0.write(.items, cake.id.retyped(), ["title": "Pie"], in: party.id.retyped(), at: now)
            }
        case .page: phone.server.change { $0.epoch = "second" }
        }
        try await check(party, on: phone)
    }

    private func check(_ list: SharedList, on phone: Phone) async throws {
        let exchanges = try await sync(phone) {
            try await phone.lists.remove(list.id)
        } look: {
            try await phone.lists.all().map(\.name).filter { $0 != "Groceries" } + phone.titles(in: list.id)
        }
        exchanges.expectRemoval(of: list.id.uuid)
        #expect(phone.server.change { $0.fields(list.id, in: list.id) } == nil)
        #expect(try phone.query("SELECT * FROM item").isEmpty)
        #expect(try phone.query("SELECT * FROM list").count == 1)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 0)
    }

    @Test("A member", arguments: Answer.allCases) func member(answer: Answer) async throws {
        let (owner, list) = try await Phone.withList()
        let guest = try await shared(owner, list, as: .viewer)
        let grace = try present(await guest.client.session.account())
        try await owner.client.syncNow()
        let now = owner.clock.now
        switch answer {
        case .ownEdit: try await owner.lists.setRole(.editor, of: grace, in: list)
        case .othersEdit:
            owner.server.change { $0.write(.members, grace.retyped(), ["name": "Grace"], in: list.retyped(), at: now) }
        case .page: owner.server.change { $0.epoch = "second" }
        }
        let exchanges = try await sync(owner) {
            try await owner.lists.removeMember(grace, from: list)
        } look: {
            try await owner.lists.members(of: list).filter { $0.id == grace }.map(\.role.rawValue)
        }
        exchanges.expectRemoval(of: grace.uuid)
        #expect(owner.server.change { $0.feeds[list.retyped()]?.roles[grace] } == nil)
        #expect(try await owner.client.rejections().isEmpty)
        try await guest.client.syncNow()
        #expect(try await guest.lists.all().isEmpty)
    }

    @Test("A list that I leave", arguments: [Answer.othersEdit, .page]) func left(answer: Answer) async throws {
        let (owner, list, _) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .viewer)
        let grace = try present(await guest.client.session.account())
        let now = owner.clock.now
        owner.server.change { world in
            if answer == .page { world.epoch = "second" } else { world.share(list, with: grace, as: .editor, at: now) }
        }
        let exchanges = try await sync(guest) {
            try await guest.lists.leave(list)
        } look: {
            try await guest.lists.all().map(\.name) + guest.titles(in: list)
        }
        exchanges.expectRemoval(of: list.uuid)
        #expect(owner.server.change { $0.feeds[list.retyped()]?.roles[grace] } == nil)
        #expect(try guest.query("SELECT * FROM item").isEmpty)
        #expect(try await guest.client.rejections().isEmpty)
    }

    // MARK: The rounds

    /// Syncs. Does `removal` between the server's first answer and its application, and looks at what is shown right after
    /// it, before each later answer is applied, and at the end.
    private func sync(
        _ phone: Phone, _ removal: @escaping @Sendable () async throws -> Void,
        look: @escaping @Sendable () async throws -> [String]
    ) async throws -> Exchanges {
        let before = phone.server.rounds.count
        let isRemoved = Switch()
        let shown = Kept<[[String]]>([])
        phone.server.wire.meanwhile = { _ in
            if !isRemoved.isOn {
                try await removal()
                isRemoved.isOn = true
            }
            let now = try await look()
            shown.change { $0.append(now) }
        }
        try await phone.client.syncNow()
        phone.server.mend()
        let last = try await look()
        return Exchanges(requests: Array(phone.server.rounds.dropFirst(before)), shown: shown.value + [last])
    }

    /// The requests of a sync, and what was shown of the removed record from its removal on.
    private struct Exchanges {
        let requests: [SyncRequest]
        let shown: [[String]]

        func expectRemoval(of id: UUID) {
            #expect(shown.flatMap(\.self) == [])
            let removals = requests.map { request in
                request.mutations.count { $0.record.uuid == id && $0.change == .delete }
            }
            #expect(removals.count >= 2)
            #expect(removals.prefix(2) == [0, 1], "The second request carries the removal.")
        }
    }
}
