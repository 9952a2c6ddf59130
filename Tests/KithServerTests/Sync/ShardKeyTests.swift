import KithModel
import KithServer
import Processes
import Testing

/// In a database that is sharded by feed, each key that is not the list's may lead to another shard. Decision 0049 says
/// what that costs.
@Suite(
    "The shards of a push to one list",
    .skipped(if: PostgresServer.missing), .postgresServer)
struct ShardKeyTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    /// Compares the keys of each statement of a push with the expected ones. The author does not own the list,
    /// and the device has sent before.
    private func expect(
        _ expected: [String], of mutation: (Phone, FeedID, RecordID<Never>) -> Mutation
    ) async throws {
        try await server.withDatabase { (database: PostgresDatabase) in
            let (town, ada, list) = try Town.withList(database)
            var ben = try town.phone()
            try town.join(ben, list, of: ada, as: .editor)
            let item: RecordID<Never> = town.id()
            try ben.sync(ben.item(item, in: list))
            let counting = CountingDatabase(database)
            let request = ben.request([mutation(ben, list, item)])
            let pushed = try await counting.write { [account = ben.account, now = town.now] transaction in
                try SyncRound(request, as: account, at: now).push(in: transaction)
            }
            #expect(pushed.acknowledged.number == 2)
            #expect(pushed.signals.moved == [list])
            let record = try #require(request.mutations.first).record
            let names: [SQLValue: String] = [
                .id(list): "list", .id(record): "item", .id(ben.account): "account", .id(ada.account): "owner",
            ]
            #expect(counting.calls.map { ShardKeys($0.sql, $0.values).text(names) } == expected)
        }
    }

    @Test("of an edit: only the device's numbers and the revision have not the list's key")
    func edit() async throws {
        let statements = [
            "device by account",
            "account by account, device by account, taken by account",
            "feed by list",
            "access by list, feed by list, storage everywhere",
            "record by list, tombstone by list",
            "revision by nothing",
            "feed by list",
            "record by list",
            "taken by account",
            "device by account",
        ]
        try await expect(statements) { phone, list, item in
            phone.mutation(list, .items, item, .set(["title": "Milk"]), seen: 1)
        }
    }

    @Test("of a new item: its id is also looked up among the feeds, because it must not be that of an account")
    func newItem() async throws {
        let statements = [
            "device by account",
            "account by account, device by account, taken by account",
            "feed by list",
            "access by item and list, feed by item and list, storage everywhere",
            "record by list, tombstone by list",
            "revision by nothing",
            "feed by list",
            "record by list",
            "taken by account",
            "device by account",
        ]
        try await expect(statements) { phone, list, _ in phone.item(phone.town.id(), in: list) }
    }

    @Test("are read from the text: of row sets, joins, conditions and inserted rows") func reading() {
        let names: [SQLValue: String] = [.integer(1): "one", .integer(2): "two"]
        func text(_ sql: String, _ values: [Int64]) -> String {
            ShardKeys(sql, values.map { .integer($0) }).text(names)
        }
        #expect(
            text("SELECT last FROM device WHERE account = ? AND id = ? FOR UPDATE OF device", [1, 2])
                == "device by one")
        #expect(text("UPDATE device SET last = ? WHERE id = ? AND account = ?", [2, 2, 1]) == "device by one")
        #expect(text("SELECT id FROM feed WHERE sequence >= ?", [1]) == "feed by nothing")
        #expect(text("SELECT 'id = ?' FROM feed WHERE id = ?", [2]) == "feed by two")
        #expect(
            text("INSERT INTO record (id, feed) VALUES (?, ?), (?, ?) ON CONFLICT (id) DO NOTHING", [3, 1, 4, 2])
                == "record by one and two")
        #expect(
            text(
                """
                WITH wanted(id, feed) AS (VALUES (?, ?)) SELECT 1 FROM wanted CROSS JOIN feed
                    LEFT JOIN access AS mine ON mine.feed = feed.id LEFT JOIN storage ON storage.account = mine.account
                    LEFT JOIN device ON device.account = mine.account
                WHERE feed.id = wanted.feed
                """, [2, 1]) == "access by one, device by nothing, feed by one, storage everywhere")
        let array = SQLValue.array([.integer(1), .integer(2)])
        let other = SQLValue.array([.integer(3), .integer(4)])
        let rows = "SELECT * FROM unnest((SELECT ?), (SELECT ?)) LIMIT (SELECT CAST(NULL AS BIGINT))"
        let join = "SELECT 1 FROM wanted CROSS JOIN feed WHERE feed.id = wanted.feed"
        #expect(
            ShardKeys("WITH wanted(id, feed) AS (\(rows)) \(join)", [other, array]).text(names)
                == "feed by one and two")
        let added = "SELECT id, NULL, feed FROM unnest(?, ?, ?) AS added(id, fields, feed)"
        #expect(
            ShardKeys("INSERT INTO record (id, fields, feed) \(added)", [other, other, array]).text(names)
                == "record by one and two")
    }
}
