import Foundation
import GRDB
import KithModel
import Simulation
import Testing

import Kith
import KithServer

/// A kind of record that the engine has never heard of, with one file for the model and one for each side.
@Suite("An additional kind of record") struct RecipeTests {
    private static let kind = SimulatedKind(
        Recipe.schema,
        onDevices: ReplicaCollections.standard.adding(RecipeReplicaRules()),
        onServers: Collections.standard.adding(RecipeRules()))

    @Test("All laws hold in worlds with recipes", arguments: 1...24 as ClosedRange<UInt64>)
    func lawsHold(seed: UInt64) async {
        if let failure = await Seed(seed, kind: Self.kind).failure() { Issue.record("\(failure)") }
    }

    @Test("A world with recipes creates, edits, adds to and removes them")
    func recipesTravel() async throws {
        var lines: [String] = []
        for seed in 1...6 as ClosedRange<UInt64> { lines += try await Seed(seed, kind: Self.kind).timelines() }
        for deed in ["makes the recipe", "writes", "adds", "removes the recipe"] {
            #expect(lines.contains { $0.contains(deed) && $0.contains("recipe") }, "\(deed)")
        }
    }

    @Test("The server follows the rules of the kind: it notes the cook, and refuses a dessert for too many")
    func serverRules() async throws {
        let server = try SimulatedServer(name: "server", version: .newest, seed: 1, kind: Self.kind)
        let account = try server.openAccount(at: Self.now).account
        let answer = try await Self.push(
            [
                Self.mutation(1, .lists, 7, ["name": "Sunday"]),
                Self.mutation(2, Recipe.collection, 8, ["title": "Soup", "position": Self.place]),
                Self.mutation(
                    3, Recipe.collection, 9,
                    ["title": "Ice", "position": Self.place, "course": "dessert", "servings": 1_001]),
            ], as: account, to: server)
        #expect(answer.outcomes.map(\.number) == [3])
        #expect(answer.outcomes.first?.code == .invalid)
        let recipes = try server.records(of: Self.list).filter { $0.fields["title"] != nil }
        #expect(recipes.map { $0.fields["cook"] } == [.text(account.description)])
    }

    @Test("The server’s rules of the kind read a fact of their own: a bot cannot make a recipe")
    func serverFacts() async throws {
        let server = try SimulatedServer(name: "server", version: .newest, seed: 1, kind: Self.kind)
        let account = try server.openAccount(at: Self.now).account
        try server.database.writeNow { transaction in
            try transaction.execute("UPDATE account SET is_bot = 1 WHERE id = ?", [.id(account)])
        }
        let answer = try await Self.push(
            [
                Self.mutation(1, .lists, 7, ["name": "Sunday"]),
                Self.mutation(2, Recipe.collection, 8, ["title": "Soup", "position": Self.place]),
            ], as: account, to: server)
        #expect(answer.outcomes.map(\.number) == [2])
        #expect(answer.outcomes.first?.code == .forbidden)
    }

    private static let now = Timestamp(milliseconds: 1_790_000_000_000)
    private static let list = FeedID(UUID(high: 7, low: 7))
    private static let place = FieldValue.text(IndexKey.first.text)

    /// An edit that makes a record in the list.
    private static func mutation(
        _ number: Int64, _ collection: RecordCollection, _ record: UInt64, _ fields: Fields
    ) -> Mutation {
        Mutation(
            id: MutationID(UUID(high: 1, low: UInt64(number))), number: number, feed: list, collection: collection,
            record: RecordID(UUID(high: 7, low: record)), seen: 0, change: .set(fields))
    }

    /// The answer to the first push of a device.
    private static func push(
        _ mutations: [Mutation], as account: AccountID, to server: SimulatedServer
    ) async throws -> SyncAnswer {
        let request = SyncRequest(
            account: account, device: DeviceID(UUID(high: 2, low: 2)), acknowledged: .none,
            sent: Int64(mutations.count), mutations: mutations, token: nil)
        return try await server.sync(request, as: account, at: now).answer
    }

    @Test("A device creates the table of a new collection, and reads records again that it did not know")
    func newCollection() throws {
        let (database, list) = (try Replica(.inMemory).database, FeedID(UUID(high: 7, low: 7)))
        try database.write { db in
            try db.execute(sql: "INSERT INTO feed (account, id) VALUES (1, ?)", arguments: [list])
            try db.execute(
                sql: """
                    INSERT INTO parked (account, feed, id, collection, sequence, modified, fields)
                    VALUES (1, ?, ?, 'recipe', 1, 1, '{}')
                    """, arguments: [list, list])
        }
        let knowing = Dependencies(
            now: { Timestamp(milliseconds: 0) }, random: RandomSource(), collections: Self.kind.onDevices)
        _ = try Replica(.open(database), dependencies: knowing)
        #expect(try database.read { try $0.columns(in: "recipe").map(\.name) }.contains("servings"))
        #expect(try database.read { try Bool.fetchOne($0, sql: "SELECT isDoubtful FROM feed") } == true)
        #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM parked") } == 0)
        // A later start finds the table.
        _ = try Replica(.open(database), dependencies: knowing)
    }

    @Test("A device adds the column of a new field, and moves the values that it has stored as JSON")
    func newField() throws {
        let replica = try Replica(.inMemory)
        let key = RecordKey(.lists, in: .ofList(FeedID(UUID(high: 7, low: 7))), RecordID(UUID(high: 7, low: 7)))
        let record = StoredRecord(
            fields: ["name": "Tea", "colour": "red", "size": 3], sequence: 1, modified: Timestamp(milliseconds: 0))
        try replica.database.write {
            try RecordTable(SharedList.schema).save(record, at: key, in: Store($0, StoreKey(1)))
        }
        let newer = RecordTable(
            Schema(
                .lists, in: .list, createsFeed: true, creator: .owner, remover: .owner,
                fields: SharedList.schema.fields + [Field("colour", .text(0...20))]))
        try replica.database.write { try newer.createIfMissing($0) }
        let moved = try replica.database.read { try newer.record(at: key, in: Store($0, StoreKey(1))) }
        #expect(moved?.fields["colour"] == "red")
        #expect(moved?.fields["size"] == 3)
        #expect(try replica.database.read { try String.fetchOne($0, sql: "SELECT colour FROM list") } == "red")
        #expect(try replica.database.read { try String.fetchOne($0, sql: "SELECT extra FROM list") } == #"{"size":3}"#)
    }
}
