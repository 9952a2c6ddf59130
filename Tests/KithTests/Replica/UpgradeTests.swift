import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Upgrades, and two clients over one file") struct UpgradeTests {
    @Test("Law 12: A replica of the first version is opened, and its unsent mutations are sent") func firstVersion()
        async throws
    {
        let folder = TemporaryFolder()
        var random = SplitMix64(seed: 42)
        let list = ListID(UUID.version7(time: Timestamp(milliseconds: 1_799_999_000_000), using: &random))
        let item = ItemID(UUID.version7(time: Timestamp(milliseconds: 1_799_999_001_000), using: &random))
        try FirstVersion.write(to: folder.replica, list: list, item: item)
        let phone = try Phone(file: folder.replica)
        #expect(phone.client.damagedReplica == nil)
        #expect(try await phone.waiting() == 2)
        #expect(try await phone.client.status().oldestWaiting == Timestamp(milliseconds: 1_799_999_000_000).date)
        #expect(try await phone.lists.all().map(\.name) == ["Groceries"])
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try await phone.client.rejections().map(\.code.rawValue) == ["forbidden"])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(phone.server.rounds.first?.mutations.map(\.age) == [1_000_000, 999_000])
        #expect(try await phone.waiting() == 0)
        #expect(try await phone.client.status().server == phone.server.change(\.server))
    }

    @Test("An upgraded replica and a new one have the same tables, and every field has its column") func sameTables()
        throws
    {
        let folder = TemporaryFolder()
        try FirstVersion.write(to: folder.replica, list: ListID(UUID()), item: ItemID(UUID()))
        let (upgraded, new) = (try Replica(.file(folder.replica)), try Replica(.inMemory))
        func columns(_ replica: Replica) throws -> [String: [String]] {
            try replica.database.read { db in
                let tables = try String.fetchAll(
                    db, sql: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')")
                return try Dictionary(
                    uniqueKeysWithValues: tables.map { table in
                        // A column that was added later is the last one of its table. The order of an index matters.
                        let info = """
                            SELECT name FROM (SELECT name FROM pragma_table_info(?) ORDER BY name)
                            UNION ALL SELECT name FROM pragma_index_info(?)
                            """
                        return (table, try String.fetchAll(db, sql: info, arguments: [table, table]))
                    })
            }
        }
        #expect(try columns(upgraded) == columns(new))
        for schema in Schema.all {
            let present = try Set(columns(new)[schema.collection.rawValue] ?? [])
            #expect(present.isSuperset(of: schema.fields.map(\.name)), "\(schema.collection)")
        }
    }

    @Test("Trap: A schema upgrade wipes unsent changes – opening again and again keeps them") func reopening()
        async throws
    {
        let folder = TemporaryFolder()
        let server = FakeServer()
        let list = try await Phone(server, file: folder.replica).lists.create("Groceries").id
        for round in 1...3 {
            let phone = try Phone(server, file: folder.replica, seed: UInt64(round + 1))
            #expect(try await phone.waiting() == round)
            try await phone.lists.add("Item \(round)", to: list)
        }
        let phone = try Phone(server, file: folder.replica, seed: 9)
        try await phone.client.syncNow()
        #expect(server.change { $0.titles(in: list).count } == 3)
    }

    @Test(
        "Trap: A newer version has written the replica, and this one changes it without a word – it says so, and does not",
        arguments: [
            "INSERT INTO grdb_migrations (identifier) VALUES ('999: of a newer version')",
            "ALTER TABLE item ADD COLUMN colour TEXT", "ALTER TABLE contact ADD COLUMN colour TEXT",
            """
            CREATE TABLE recipe (
                account INTEGER NOT NULL, id BLOB NOT NULL, title TEXT, extra TEXT, sequence INTEGER NOT NULL,
                modified INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, id)
            )
            """,
        ])
    func newerVersion(addition: String) async throws {
        let folder = TemporaryFolder()
        _ = try await Phone(file: folder.replica).lists.create("Groceries")
        let database = try DatabaseQueue(path: folder.replica.path)
        try await database.write { db in
            try db.execute(sql: addition)
            // Whoever opens a replica without an account adds one.
            try db.execute(sql: "DELETE FROM account")
        }
        let refusal = #expect(throws: KithError.self) { _ = try Phone(file: folder.replica) }
        #expect(refusal?.code == .newerVersion && refusal?.sentence.contains("Update the app") == true)
        try await database.read { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM account")
            #expect(count == 0)
        }
    }

    @Test("Law 12: People that an older version has parked are available after the upgrade") func parkedPeople()
        async throws
    {
        let folder = TemporaryFolder()
        let other = Circle.person(7)
        let (server, credentials) = try await {
            let phone = try Phone(file: folder.replica)
            try await phone.client.syncNow()
            let me = try present(await phone.client.session.account())
            phone.server.change {
                $0.write(
                    .contacts, other.retyped(), ["wish": "accept", "asked": 1, "given": "Grace"], in: me.retyped(),
                    at: phone.clock.now)
            }
            try await phone.client.syncNow()
            return (phone.server, phone.credentials)
        }()
        try SecondVersion.make(of: folder.replica)
        let phone = try Phone(server, file: folder.replica, seed: 5, credentials: credentials)
        try await phone.client.syncNow()
        #expect(try await phone.client.network.contacts().map(\.given) == ["Grace"])
        try await phone.client.syncNow()
        #expect(server.rounds.last?.reread ?? [] == [])
    }

    @Test("Two clients over one file see each other's edits, and send each once") func twoClients() async throws {
        let folder = TemporaryFolder()
        let (app, list) = try await Phone.withList(file: folder.replica)
        let tool = try Phone(app.server, file: folder.replica, seed: 2, credentials: app.credentials)
        try await withThrowingTaskGroup { group in
            for (index, client) in [app, tool].enumerated() {
                group.addTask {
                    for edit in 0..<20 {
                        try await client.lists.add("\(index)-\(edit)", to: list)
                        if edit.isMultiple(of: 5) { try await client.client.syncNow() }
                    }
                    try await client.client.caughtUp()
                }
            }
            try await group.waitForAll()
        }
        #expect(app.server.change { $0.titles(in: list).count } == 40)
        #expect(Set(app.server.change { $0.titles(in: list) }).count == 40)
        #expect(try await app.titles(in: list) == tool.titles(in: list))
        #expect(try await tool.waiting() == 0)
        #expect(try app.account().device == tool.account().device)
    }
}

/// A replica as the version before people left it.
private enum SecondVersion {
    static func make(of file: URL) throws {
        let database = try DatabaseQueue(path: file.path)
        defer { try? database.close() }
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO parked (account, feed, id, collection, sequence, modified, fields)
                    SELECT account, zeroblob(16), id, 'contact', sequence, modified, '{"wish":"accept"}' FROM contact;
                    DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) > 2;
                    """)
            for table in [
                "profile", "contact", "details", "picture", "lookup", "discovery", "endedSession", "removedIdentity",
                "removal", "programme",
            ] {
                try db.execute(sql: "DROP TABLE \(table)")
            }
            for column in ["server", "address", "isIdentified", "isUndecided"] {
                try db.execute(sql: "ALTER TABLE account DROP COLUMN \(column)")
            }
            for column in [
                "mutation.title", "mutation.listName", "rejection.title", "rejection.listName", "member.profileName",
            ] {
                let parts = column.split(separator: ".")
                try db.execute(sql: "ALTER TABLE \(parts[0]) DROP COLUMN \(parts[1])")
            }
        }
    }
}

/// A replica as the first version wrote it, byte for byte its schema: later versions must be able to open it.
private enum FirstVersion {
    static func write(to url: URL, list: ListID, item: ItemID) throws {
        let database = try DatabaseQueue(path: url.path)
        try database.write { db in
            try db.execute(sql: schema)
            let device = Data(repeating: 7, count: 16)
            try db.execute(sql: "INSERT INTO account (key, isCurrent, device) VALUES (1, 1, ?)", arguments: [device])
            try db.execute(
                sql:
                    "INSERT INTO list (account, id, name, kind, sequence, modified, touched) VALUES (1, ?, 'Groceries', 'shopping', 0, 1799999000000, 0)",
                arguments: [list.bytes])
            try db.execute(
                sql:
                    "INSERT INTO item (account, list, id, title, position, sequence, modified) VALUES (1, ?, ?, 'Milk', 'a0', 0, 1799999001000)",
                arguments: [list.bytes, item.bytes])
            let mutation =
                "INSERT INTO mutation (account, id, feed, collection, record, seen, change, edited) VALUES (1, ?, ?, ?, ?, 0, ?, ?)"
            try db.execute(
                sql: mutation,
                arguments: [
                    Data(repeating: 1, count: 16), list.bytes, "list", list.bytes,
                    #"{"add":{},"set":{"kind":"shopping","name":"Groceries"}}"#, 1_799_999_000_000,
                ])
            try db.execute(
                sql: mutation,
                arguments: [
                    Data(repeating: 2, count: 16), list.bytes, "item", item.bytes,
                    #"{"add":{},"set":{"position":"a0","title":"Milk"}}"#, 1_799_999_001_000,
                ])
            try db.execute(
                sql:
                    "INSERT INTO rejection (account, id, code, sentence, collection, record, change, date) VALUES (1, ?, 'forbidden', 'No.', 'item', ?, '{\"delete\":true}', 1)",
                arguments: [Data(repeating: 3, count: 16), item.bytes])
        }
        try database.close()
    }

    private static let schema = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1: lists');
        CREATE TABLE account (
            key INTEGER PRIMARY KEY, id BLOB UNIQUE, isCurrent INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL DEFAULT 'initial', device BLOB NOT NULL,
            acknowledgedNumber INTEGER NOT NULL DEFAULT 0, acknowledgedHash TEXT NOT NULL DEFAULT '',
            sent INTEGER NOT NULL DEFAULT 0, token TEXT, epoch TEXT, batch INTEGER NOT NULL DEFAULT 500,
            completed INTEGER, attempt INTEGER NOT NULL DEFAULT 0, retryAt INTEGER, errorCode TEXT, errorSentence TEXT
        );
        CREATE TABLE list (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, id BLOB NOT NULL,
            name TEXT, kind TEXT, theme TEXT, access TEXT, extra TEXT, sequence INTEGER NOT NULL,
            modified INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0, touched INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, id)
        );
        CREATE TABLE item (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, list BLOB NOT NULL, id BLOB NOT NULL,
            title TEXT, count INTEGER, ticked INTEGER, position TEXT, category TEXT, comment TEXT, offer TEXT,
            creator BLOB, extra TEXT, sequence INTEGER NOT NULL, modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, id, list)
        );
        CREATE TABLE member (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, list BLOB NOT NULL, id BLOB NOT NULL,
            role TEXT, name TEXT, extra TEXT, sequence INTEGER NOT NULL, modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, id, list)
        );
        CREATE TABLE membership (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, id BLOB NOT NULL,
            role TEXT, position TEXT, extra TEXT, sequence INTEGER NOT NULL, modified INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, id)
        );
        CREATE INDEX item_order ON item (account, list, position, id);
        CREATE INDEX member_list ON member (account, list);
        CREATE TABLE mutation (
            ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, id BLOB NOT NULL, number INTEGER,
            grouping INTEGER, feed BLOB, collection TEXT NOT NULL, record BLOB NOT NULL, seen INTEGER NOT NULL,
            change TEXT NOT NULL, edited INTEGER NOT NULL, edits TEXT, taken INTEGER
        );
        CREATE INDEX mutation_waiting ON mutation (account, ordinal) WHERE taken IS NULL;
        CREATE INDEX mutation_record ON mutation (account, record) WHERE taken IS NULL;
        CREATE INDEX mutation_log ON mutation (account, number) WHERE taken IS NOT NULL;
        CREATE TABLE rejection (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, id BLOB NOT NULL, code TEXT NOT NULL,
            sentence TEXT NOT NULL, feed BLOB, collection TEXT NOT NULL, record BLOB NOT NULL, change TEXT NOT NULL,
            date INTEGER NOT NULL, isDismissed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, id)
        );
        CREATE TABLE feed (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, id BLOB NOT NULL,
            digest TEXT NOT NULL DEFAULT '0000000000000000', isComplete INTEGER NOT NULL DEFAULT 0,
            isDoubtful INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, id)
        );
        CREATE TABLE parked (
            account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE, feed BLOB NOT NULL, id BLOB NOT NULL,
            collection TEXT NOT NULL, sequence INTEGER NOT NULL, modified INTEGER NOT NULL, fields TEXT NOT NULL,
            PRIMARY KEY (account, feed, id)
        );
        """
}

extension RecordID {
    fileprivate var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}
