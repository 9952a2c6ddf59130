import Foundation
import Kith
import KithModel
import Synchronization
import Testing

@Suite("The last removal is kept for an undo after a restart") struct KeptRemovalTests {
    private let folder = TemporaryFolder()
    private let time = Time()

    private final class Time: Sendable {
        let now = Mutex(Timestamp(milliseconds: 1_800_000_000_000))
    }

    private func lists(keeping: Bool = true) throws -> Lists { try client(keeping: keeping).lists }

    private func client(keeping: Bool = true) throws -> KithClient {
        var configuration = KithConfiguration(storage: .directory(folder.url))
        configuration.keepsLastRemoval = keeping
        let time = time
        configuration.dependencies = Dependencies(now: { time.now.withLock(\.self) }, random: RandomSource())
        return try KithClient(configuration)
    }

    @Test("Items that were removed together come back together, once") func items() async throws {
        let list = try await lists().create("Groceries")
        let added = try await lists().add(["Milk", "Tea", "Bread"].map { ItemDraft(title: $0, count: 2) }, to: list.id)
        try await lists().remove(added[2].id)
        try await lists().remove([added[0].id, added[1].id], in: list.id)
        #expect(try await lists().lastRemoval()?.removal.itemCount == 2)
        let back = try await lists().undoLastRemoval()
        #expect(back.items.map(\.id) == added[0...1].map(\.id) && back.items.map(\.count) == [2, 2])
        await #expect { try await lists().undoLastRemoval() } throws: { KithError.Code.notFound ~= $0 }
    }

    @Test("The removals of one write are stored once and come back together; edits of other lists are not read")
    func together() async throws {
        let client = try client()
        let ids: [ListID] = try await client.write { changes in
            try (0..<20).map { number in
                let list = try changes.create("List \(number)").id
                try changes.add("Milk", to: list)
                return list
            }
        }
        let (removed, others) = (Array(ids.prefix(10)), Set(ids.suffix(10)))
        let run = try await client.trace {
            try await client.write { changes in for id in removed { try changes.remove(id) } }
        }
        #expect(run.count { $0.contains("INTO removal (") } == 1)
        #expect(!run.contains { $0.readsAllUnsent })
        #expect(Set(try await client.lists.all().map(\.id)) == others)
        #expect(try await client.status().waiting == 20, "Each of the other lists has two edits.")
        #expect(try await client.lists.lastRemoval()?.removal.lists == removed)
        let back = try await client.lists.undoLastRemoval()
        #expect(back.lists.map(\.id) == removed && back.items.map(\.listID) == removed)
    }

    @Test("Trap: A removal is undone by undo(_:), and then the kept one restores the same items again – it is gone")
    func undoneOtherwise() async throws {
        let list = try await lists().create("Groceries")
        let milk = try await lists().add("Milk", to: list.id)
        let removal = try await lists().remove(milk.id)
        #expect(try await lists().undo(removal).items.map(\.id) == [milk.id])
        #expect(try await lists().lastRemoval() == nil)
        await #expect { try await lists().undoLastRemoval() } throws: { KithError.Code.notFound ~= $0 }
        #expect(try await lists().items(in: list.id).map(\.title) == ["Milk"])
    }

    @Test("What one write removes and restores is not kept, and the rest of it is") func undoneInPart() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries")
        let items = try await client.lists.add(["Milk", "Tea", "Bread"].map { ItemDraft(title: $0) }, to: list.id)
        let (milk, tea) = (items[0].id, items[1].id)
        let second = try await client.write { changes in
            let first = try changes.remove(milk)
            let second = try changes.remove(tea)
            try changes.remove(items[2].id)
            try changes.undo(first)
            return second
        }
        #expect(try await client.lists.lastRemoval()?.removal.itemCount == 2)
        try await client.lists.undo(second)
        #expect(try await client.lists.lastRemoval()?.removal.itemCount == 1)
        #expect(try await client.lists.undoLastRemoval().items.map(\.title) == ["Bread"])
        #expect(try await client.lists.items(in: list.id).map(\.title).sorted() == ["Bread", "Milk", "Tea"])
    }

    @Test("A list comes back with its items") func list() async throws {
        let list = try await lists().create("Groceries")
        try await lists().add("Milk", to: list.id)
        try await lists().remove(list.id)
        #expect(try await lists().lastRemoval()?.removal.lists == [list.id])
        let back = try await lists().undoLastRemoval()
        #expect(back.lists.map(\.name) == ["Groceries"] && back.items.map(\.title) == ["Milk"])
    }

    @Test("It is too late when the list is gone, or after thirty days") func tooLate() async throws {
        let list = try await lists().create("Groceries")
        let milk = try await lists().add("Milk", to: list.id)
        try await lists().remove(milk.id)
        try await lists(keeping: false).remove(list.id)
        await #expect { try await lists().undoLastRemoval() } throws: { KithError.Code.tooLate ~= $0 }
        let other = try await lists().create("Gifts")
        try await lists().remove(other.id)
        time.now.withLock { $0 = $0 + KeptRemoval.time + .seconds(1) }
        await #expect { try await lists().undoLastRemoval() } throws: { KithError.Code.tooLate ~= $0 }
    }

    @Test("Nothing is kept unless the app asks for it, and merged duplicates are no removal") func notKept()
        async throws
    {
        let list = try await lists().create("Groceries")
        let items = try await lists().add(["Milk", "milk", "Tea"].map { ItemDraft(title: $0) }, to: list.id)
        try await lists(keeping: false).remove(items[2].id)
        let duplicate = try #require(try await lists().duplicates(in: list.id).first)
        try await lists().merge(duplicate)
        #expect(try await lists().lastRemoval() == nil)
    }
}
