import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("The records of deleted lists", .timeLimit(.minutes(15))) struct ClosedListsTests {
    private static let title = "A present for Cleo"

    let town: Town
    var ada: Phone
    var ben: Phone
    let list: FeedID
    let item: RecordID<Never>

    init() throws {
        (town, ada, list) = try Town.withList()
        (ben, item) = (try town.phone(), town.id())
        try town.join(ben, list, of: ada, as: .editor)
        try ada.sync(ada.item(item, Self.title, in: list))
        try ben.sync()
    }

    private var deletion: Mutation { ada.mutation(list, .lists, list.retyped(), .delete) }

    /// The tables that have this text somewhere.
    private func tables(with text: String) throws -> [String] {
        try town.database.readNow { transaction in
            let names = try transaction.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .map { try $0.text(0) }
            return try names.filter { name in
                try transaction.query("SELECT * FROM \(name)").contains { row in
                    row.values.contains { value in
                        switch value {
                        case .text(let stored): stored.contains(text)
                        case .bytes(let stored): String(decoding: stored, as: UTF8.self).contains(text)
                        case .null, .integer, .uuid, .array: false
                        }
                    }
                }
            }
        }
    }

    @Test("are deleted in bounded steps, at once: no table has a text of them", arguments: [1, 2, 5_000] as [Int64])
    mutating func content(step: Int64) async throws {
        let late = ben
        #expect(try tables(with: Self.title) == ["record"])
        #expect(try ada.sync(deletion).signals.topics.contains(.closedLists))
        let deleted = try await town.purge(step: step)
        // The item and the two members. The list itself and the memberships are tombstones already.
        #expect(deleted == 3)
        for text in [Self.title, "Groceries"] { #expect(try tables(with: text) == []) }
        let row = try #require(try town.row(list))
        #expect([row.live, row.waiting, row.bytes] == [0, 0, 0] && row.digest == FeedDigest())
        #expect(try await town.purge() == 0)
        #expect(try ada.outcomes(ada.create(list)) == ["forbidden"])

        // A device learns of the deletion whenever it comes back, and what it has edited is refused.
        for days in [0, 30, 200] {
            town.pass(.days(Int64(days)))
            try await town.purge()
            var back = Phone(town, account: ben.account)
            back.token = late.token
            let answer = try back.sync(back.mutation(list, .items, item, .set(["ticked": true]), seen: 3)).answer
            #expect(answer.outcomes.map(\.code) == [.forbidden])
            #expect(answer.lost == [list])
        }
    }

    @Test("are deleted by a node whose clock is behind that of the node that has written the list")
    mutating func behind() async throws {
        try ada.sync(deletion)
        try await Housekeeping(database: town.database, signals: .none).purge(town.now - .days(1))
        #expect(try tables(with: Self.title) == [])
    }

    @Test("stay if the list goes on with another owner") func handedOver() async throws {
        try town.delete(ada.account)
        try town.reach()
        try await town.purge()
        #expect(try town.role(ben.account, list) == .owner)
        var tablet = Phone(town, account: ben.account)
        try tablet.sync()
        #expect(tablet.fields(list, item)?["title"] == .text(Self.title))
        #expect(try tablet.digest(list) == town.row(list)?.digest)
    }

    @Test("are deleted with the account of their owner, if nobody else is in the list")
    mutating func withAccount() async throws {
        try ben.sync(ben.leave(list))
        try town.delete(ada.account)
        try town.reach()
        try await town.purge()
        for text in [Self.title, "Groceries"] { #expect(try tables(with: text) == []) }
    }

    @Test("are deleted by a running server without waiting for the next housekeeping") func soon() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run(database: database) { server in
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Groceries", with: server)
            let other = try await device.makeList("Trip", with: server)
            let items = [list, other].enumerated().map { offset, list in
                device.mutation(
                    Int64(offset + 1), .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
            }
            try await device.sync(items, with: server)
            try await device.sync([Self.deletion(of: list, by: device)], with: server)
            func records(_ list: ListID) throws -> Int {
                try database.readNow { try $0.query("SELECT id FROM record WHERE feed = ?", [.id(list)]).count }
            }
            while try records(list) > 0 { await Task.yield() }
            // The list, the item and the owner as a member.
            #expect(try records(other) == 3)
        }
    }

    @Test("are deleted by a running server within seconds, also if another process has deleted the list")
    func elsewhere() async throws {
        let database = try SQLiteDatabase.inMemory()
        var clock = HandClock().server
        // The next housekeeping does not come.
        clock.sleep = { try await Task.sleep(for: $0 == .seconds(5) ? .milliseconds(10) : $0) }
        try await KithServer(.patient, database: database, clock: clock).serving { url in
            let server = TestServer(url: url)
            var device = TestDevice(try await server.newSession())
            let list = try await device.makeList("Groceries", with: server)
            // The other process sends its signals to nobody here.
            let request = device.request([Self.deletion(of: list, by: device)])
            _ = try await SyncService(database: database)
                .sync(request, as: device.session.account, at: HandClock.start)
            try await Limit("the records are deleted").until {
                try database.readNow { try $0.query("SELECT id FROM record WHERE feed = ?", [.id(list)]).isEmpty }
            }
        }
    }

    private static func deletion(of list: ListID, by device: TestDevice) -> Mutation {
        Mutation(
            id: MutationID(UUID()), number: device.acknowledged.number + 1, feed: list.retyped(), collection: .lists,
            record: list.retyped(), seen: 0, change: .delete)
    }
}
