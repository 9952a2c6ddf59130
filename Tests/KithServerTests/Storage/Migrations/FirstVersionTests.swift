import Foundation
import GRDB
import KithModel
import KithServer
import Testing

@Suite("A server's database of the first version") struct FirstVersionTests {
    private let folder = Folder()
    private let account = AccountID(UUID())
    private let device = DeviceID(UUID())
    private let list = FeedID(UUID())
    private let item = RecordID<Never>(UUID())
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)

    @Test("Law 12: A database of the first version is opened with all its content") func first() async throws {
        try makeFirst()
        var servers: Set<ServerID> = []
        for _ in 1...2 {
            let database = try SQLiteDatabase(path: folder.database)
            servers.insert(database.server)
            #expect(try database.epoch() == "the first epoch")
            let session = try await SessionService(database: database, signals: .none).verify("token")
            #expect(session?.account == account)
            let preview = try database.readNow { transaction in
                try LinkTransaction(transaction, at: noon, on: database.server).preview("link")
            }
            #expect(preview.name == "Groceries" && preview.items == 1)
            let links = try database.readNow { [account, list, noon] transaction in
                try LinkTransaction(transaction, at: noon, on: database.server).links(of: list.retyped(), by: account)
            }
            #expect(links.links.map(\.canTick) == [nil], "A link of before lets nobody tick.")
        }
        #expect(servers.count == 1)
        try await goesOn(SQLiteDatabase(path: folder.database))
    }

    @Test("an upgraded database has the tables of a new one") func sameTables() throws {
        try makeFirst()
        _ = try SQLiteDatabase(path: folder.database)
        let new = folder.url.appending(path: "new.sqlite").path
        _ = try SQLiteDatabase(path: new)
        #expect(try UpgradeTests.schema(folder.database) == UpgradeTests.schema(new))
    }

    @Test("Law 10: The upgrade counts the bytes of existing feeds") func bytes() async throws {
        try makeFirst()
        let town = try Town(SQLiteDatabase(path: folder.database))
        let texts = [#"{"name":"Groceries"}"#, #"{"future":1,"position":"a0","title":"Tea"}"#, #"{"role":"owner"}"#]
        #expect(try town.row(list)?.bytes == Int64(texts.reduce(0) { $0 + $1.utf8.count }))
        #expect(try town.row(account.retyped())?.bytes == Int64(texts[2].utf8.count))
    }

    /// The device sends its refused mutation again, and a new one; then a fresh device reads.
    private func goesOn(_ database: SQLiteDatabase) async throws {
        let mutations = [
            Mutation(
                id: MutationID(UUID()), number: 3, feed: list, collection: .items, record: item, seen: 2,
                change: .set(["ticked": true]))
        ]
        var request = SyncRequest(
            account: account, device: device, acknowledged: Acknowledgement(number: 1, hash: "first"), sent: 2,
            mutations: [], token: nil)
        let told = try await SyncService(database: database).sync(request, as: account, at: noon).answer
        #expect(told.device == .recognised && told.acknowledged == Acknowledgement(number: 2, hash: "second"))
        #expect(told.outcomes == [MutationOutcome(number: 2, result: .rejected, code: .invalid, detail: "Empty.")])

        (request.acknowledged, request.sent, request.mutations) = (told.acknowledged, 3, mutations)
        let answer = try await SyncService(database: database).sync(request, as: account, at: noon).answer
        #expect(answer.acknowledged.number == 3 && answer.outcomes.isEmpty)

        let columns = answer.feeds.first { $0.feed == list }?.page?.columns.first { $0.collection == .items }
        let fields = try #require(columns).fields.mapValues { $0[0] }
        #expect(fields == ["title": "Tea", "position": "a0", "future": 1, "ticked": true])
        let feed = try #require(answer.feeds.first { $0.feed == list })
        var digest = FeedDigest()
        for columns in feed.page?.columns ?? [] {
            for index in 0..<columns.count { digest.add(columns.id(at: index), sequence: columns.sequences[index]) }
        }
        #expect(feed.digest == digest)
    }

    /// Writes a file as the first version did. The text is that version's: never change it.
    private func makeFirst() throws {
        try Data("as left\n".utf8).write(to: URL(filePath: folder.database + ".incarnation"))
        let queue = try DatabaseQueue(path: folder.database)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try queue.write { database in
            try database.execute(sql: Self.firstTables)
            func insert(_ table: String, _ values: [(any DatabaseValueConvertible)?]) throws {
                let places = repeatElement("?", count: values.count).joined(separator: ", ")
                try database.execute(
                    sql: "INSERT INTO \(table) VALUES (\(places))", arguments: StatementArguments(values))
            }
            for (name, value) in [("version", "1"), ("epoch", "the first epoch"), ("incarnation", "as left")] {
                try insert("meta", [name, value])
            }
            let (me, there, stamps) = (account.uuid.data, list.uuid.data, #"{"":[1700000000000,1,1]}"#)
            try insert("account", [me, "anonymous", 1_700_000_000_000])
            try insert("session", [Secret.sha256("token"), me, 1_700_000_000_000])
            try insert("device", [me, device.uuid.data, 2])
            try insert("taken", [me, device.uuid.data, 1, "first", "applied", nil, nil])
            try insert("taken", [me, device.uuid.data, 2, "second", "rejected", "invalid", "Empty."])
            let records: [(FeedID, RecordID<Never>, String, Int64, String)] = [
                (list, list.retyped(), "list", 1, #"{"name":"Groceries"}"#),
                (list, item, "item", 2, #"{"future":1,"position":"a0","title":"Tea"}"#),
                (list, account.retyped(), "member", 3, #"{"role":"owner"}"#),
                (account.retyped(), list.retyped(), "membership", 1, #"{"role":"owner"}"#),
            ]
            for (feed, id, collection, sequence, fields) in records {
                try insert(
                    "record",
                    [feed.uuid.data, id.uuid.data, collection, sequence, 1_700_000_000_000, fields, stamps, 0])
            }
            for (feed, kind) in [(list, "list"), (account.retyped(), "account")] {
                var digest = FeedDigest()
                let live = records.filter { $0.0 == feed }
                for record in live { digest.add(record.1, sequence: record.3) }
                try insert(
                    "feed",
                    [
                        feed.uuid.data, kind, live.count, Int64(bitPattern: digest.bits), live.count,
                        1_700_000_000_000, 0, 0,
                    ])
                try insert("access", [me, feed.uuid.data, "owner"])
            }
            try insert(
                "link",
                [UUID().data, there, Secret.sha256("link"), "editor", 0, 1_700_000_000_000, nil, 0, 0])
        }
    }

    private static let firstTables = """
        CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE account (
            id BLOB NOT NULL PRIMARY KEY, kind TEXT NOT NULL, created BIGINT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE session (
            token_hash BLOB NOT NULL PRIMARY KEY, account BLOB NOT NULL, created BIGINT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX session_account ON session (account);
        CREATE TABLE device (
            account BLOB NOT NULL, id BLOB NOT NULL, last BIGINT NOT NULL, PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE TABLE taken (
            account BLOB NOT NULL, device BLOB NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
            result TEXT NOT NULL, code TEXT, detail TEXT, PRIMARY KEY (account, device, number)
        ) WITHOUT ROWID;
        CREATE TABLE feed (
            id BLOB NOT NULL PRIMARY KEY, kind TEXT NOT NULL, sequence BIGINT NOT NULL, digest BIGINT NOT NULL,
            live BIGINT NOT NULL, written_at BIGINT NOT NULL, horizon BIGINT NOT NULL, closed BIGINT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX feed_closed ON feed (written_at) WHERE closed = 1 AND live > 0;
        CREATE TABLE record (
            feed BLOB NOT NULL, id BLOB NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
            modified BIGINT NOT NULL, fields TEXT NOT NULL, stamps TEXT NOT NULL, deleted BIGINT NOT NULL,
            PRIMARY KEY (feed, id)
        ) WITHOUT ROWID;
        CREATE INDEX record_sequence ON record (feed, sequence);
        CREATE INDEX record_tombstone ON record (modified) WHERE deleted = 1;
        CREATE TABLE access (
            account BLOB NOT NULL, feed BLOB NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, feed)
        ) WITHOUT ROWID;
        CREATE INDEX access_feed ON access (feed);
        CREATE TABLE link (
            id BLOB NOT NULL PRIMARY KEY, list BLOB NOT NULL, hash BLOB NOT NULL UNIQUE,
            role TEXT NOT NULL, is_public BIGINT NOT NULL, created BIGINT NOT NULL, expires BIGINT,
            accepted BIGINT NOT NULL, revoked BIGINT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX link_list ON link (list);
        CREATE INDEX link_expires ON link (expires);
        """
}
