import Foundation
import GRDB
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
        let run = try await phone.trace { _ = try await phone.lists.undo(removal) }
        #expect(try await phone.titles(in: list).count == 50)
        #expect(run.count { $0.contains("number IS NOT NULL") } == 1)
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
    fileprivate func statements(_ body: () async throws -> Void) async throws -> Int { try await trace(body).count }

    /// The statements that `body` runs.
    fileprivate func trace(_ body: () async throws -> Void) async throws -> [String] {
        let statements = Kept<[String]>([])
        let database = client.replica.database
        try await database.writeWithoutTransaction { db in
            db.trace { event in statements.change { $0.append(event.description) } }
        }
        try await body()
        try await database.writeWithoutTransaction { $0.trace() }
        return statements.value
    }
}

extension Lists {
    fileprivate func addMany(_ count: Int, to list: ListID) async throws {
        for number in 0..<count { _ = try await add("Item \(number)", to: list) }
    }
}
