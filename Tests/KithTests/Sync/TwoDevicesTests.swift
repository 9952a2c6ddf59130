import Kith
import KithModel
import Testing

/// The laws that take two devices to see.
@Suite("Two devices of two people") struct TwoDevicesTests {
    private let ada: Phone
    private let ben: Phone
    private let list: ListID

    init() async throws {
        (ada, list) = try await Phone.withList()
        ben = try await shared(ada, list, as: .editor)
        try await ben.client.syncNow()
    }

    private func sync() async throws {
        for phone in [ada, ben, ada] { try await phone.client.syncNow() }
    }

    private func expectEqual() throws {
        let lines = try ada.client.replica.canonicalLines(of: list.retyped())
        #expect(try ben.client.replica.canonicalLines(of: list.retyped()) == lines)
        #expect(!lines.isEmpty)
    }

    @Test("Law 3: Two devices that edited apart end equal to the byte, with both edits of one item")
    func convergence() async throws {
        let milk = try await ada.lists.add("Milk", to: list)
        let gone = try await ada.lists.add("Gone", to: list)
        try await sync()
        try await ada.lists.update(milk.id) { $0.title = "Oat milk" }
        try await ada.lists.increase(milk.id, by: 2)
        try await ben.lists.setTicked(milk.id, true)
        try await ben.lists.increase(milk.id, by: 3)
        try await ada.lists.remove(gone.id)
        try await ben.lists.update(gone.id) { $0.comment = "too late" }
        try await sync()
        try expectEqual()
        let item = try #require(try await ben.lists.item(milk.id))
        #expect((item.title, item.count, item.isTicked) == ("Oat milk", 6, true))
        #expect(try await ben.client.rejections().map(\.values["comment"]) == ["too late"])
    }

    @Test("Law 5: An answer that is older than the visible state is not applied") func olderAnswer() async throws {
        let milk = try await ada.lists.add("Milk", to: list)
        try await sync()
        // Ada's request is answered twice: the first answer is late, and comes when the second was shown.
        let request = try #require(try ada.rounds.begin())
        let late = ada.server.answer(request)
        try await ben.lists.update(milk.id) { $0.title = "Oat milk" }
        try await ben.client.syncNow()
        try await ada.client.syncNow()
        #expect(try await ada.lists.item(milk.id)?.title == "Oat milk")
        #expect(try ada.rounds.finish(request, late) == .stale)
        #expect(try await ada.lists.item(milk.id)?.title == "Oat milk")
    }

    @Test("Trap: Order kept as a previous-item chain becomes circular or diverges – two re-order at once and end equal")
    func order() async throws {
        var ids: [ItemID] = []
        for title in ["A", "B", "C", "D"] { ids.append(try await ada.lists.add(title, to: list).id) }
        try await sync()
        try await ada.lists.move(ids[0], after: ids[3])
        try await ada.lists.move(ids[1], after: ids[0])
        try await ben.lists.move(ids[3], after: ids[0])
        try await ben.lists.move(ids[2], after: nil)
        try await sync()
        try expectEqual()
        let titles = try await ada.titles(in: list)
        #expect(titles.sorted() == ["A", "B", "C", "D"])
        #expect(try await ben.titles(in: list) == titles)
    }

    @Test("Trap: One lost answer blocks sync forever – the answer is repeated, and sync continues")
    func lostAnswer() async throws {
        let milk = try await ada.lists.add("Milk", to: list)
        try await ada.lists.increase(milk.id, by: 4)
        // The server takes it, and nobody hears so.
        _ = ada.server.answer(try #require(try ada.rounds.begin()))
        try await ada.lists.add("Tea", to: list)
        try await sync()
        #expect(try await ada.waiting() == 0)
        #expect(try await ben.titles(in: list) == ["Milk", "Tea"])
        #expect(try await ben.lists.item(milk.id)?.count == 5)
        try expectEqual()
    }
}
