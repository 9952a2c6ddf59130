import Foundation
import Kith
import KithModel
import Testing

/// The work of edits and rounds, in statements. It must not grow with the edits that wait.
@Suite("The work of edits and rounds") struct RoundWorkTests {
    @Test("An edit behind many waiting edits runs as many statements as the first") func editBehindMany() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Bread", to: list)
        let few = try await phone.statements { _ = try await phone.lists.add("Milk", to: list) }
        try await phone.lists.addMany(1_000, to: list)
        #expect(try await phone.waiting() > 1_000)
        #expect(try await phone.statements { _ = try await phone.lists.add("Tea", to: list) } == few)
    }

    @Test("The next request is read as quickly from a long outbox as from a short one") func requestOfMany()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.addMany(Limits.mutations, to: list)
        let few = try await phone.statements { _ = try phone.rounds.begin() }
        let (other, otherList) = try await Phone.withList()
        try await other.lists.addMany(3 * Limits.mutations, to: otherList)
        #expect(try await other.statements { _ = try other.rounds.begin() } == few)
    }

    @Test("Undoing the removal of many items that were never sent reads once what was sent") func undoOfMany()
        async throws
    {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        try await phone.lists.addMany(50, to: list)
        let removal = try await phone.lists.removeAllItems(in: list)
        let run = try await phone.client.trace { _ = try await phone.lists.undo(removal) }
        #expect(try await phone.titles(in: list).count == 50)
        #expect(run.count { $0.contains("number IS NOT NULL") } == 1)
    }

    @Test("Moving many lists reads once which edits wait, and moves them all", arguments: [false, true])
    func moveOfMany(areThere: Bool) async throws {
        let phone = try Phone()
        let account = try await phone.switchAccount()
        let ids = (0..<20).map { ListID(stable: "\($0)", in: "com.example.groceries") }
        if areThere { for id in ids { try await phone.lists.create("Groceries", id: id) } }
        try await phone.client.syncNow()
        try await phone.client.session.select(.userless)
        for id in ids {
            try await phone.lists.create("Groceries", id: id)
            try await phone.lists.add("Milk", to: id)
        }
        try await phone.client.session.select(.account(account))
        let run = try await phone.client.trace {
            _ = try await phone.lists.moveLists(from: .userless, to: .account(account))
        }
        #expect(run.count { $0.readsAllUnsent } == 1)
        #expect(try await phone.client.accounts.store(.userless)?.waiting ?? 0 == 0)
        try await phone.client.syncNow()
        #expect(Set(try await phone.lists.all().map(\.id)) == Set(ids))
        for id in ids { #expect(phone.server.change { $0.titles(in: id) } == ["Milk"]) }
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A write that fails leaves nothing, and the next one works") func rolledBack() async throws {
        struct Stop: Error {}
        let (phone, list) = try await Phone.withList()
        await #expect(throws: Stop.self) {
            try await phone.client.write { changes in
                try changes.add("Milk", to: list)
                throw Stop()
            }
        }
        #expect(try await phone.titles(in: list).isEmpty)
        try await phone.lists.add("Tea", to: list)
        #expect(try await phone.titles(in: list) == ["Tea"])
    }
}

extension Phone {
    /// The number of statements that `body` runs.
    fileprivate func statements(_ body: () async throws -> Void) async throws -> Int {
        try await client.trace(body).count
    }
}

extension Lists {
    fileprivate func addMany(_ count: Int, to list: ListID) async throws {
        for number in 0..<count { _ = try await add("Item \(number)", to: list) }
    }
}
