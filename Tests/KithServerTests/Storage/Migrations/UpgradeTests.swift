import Foundation
import GRDB
import KithModel
import KithServer
import Testing

@Suite("A server's database of an earlier version") struct UpgradeTests {
    private let folder = Folder()
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)

    /// The words of every table and index, whatever the space between them.
    static func schema(_ path: String) throws -> [String] {
        try DatabaseQueue(path: path).read { database in
            try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        }.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    /// The statements that remove what later versions than the nineteenth have added.
    private static let withoutWebhooks =
        withoutPictures + ["webhook", "webhook_delivery"].map { "DROP TABLE \($0);" }.joined()

    /// The statements that remove what later versions than the twentieth have added.
    private static let withoutPictures = withoutGifts + "DROP TABLE programme_picture;"

    /// The statements that remove what the version with gifts and later ones have added.
    private static let withoutGifts = withoutOperators + "DROP TABLE gift; ALTER TABLE link DROP COLUMN can_tick;"

    /// The statements that remove what the version with operators and later ones have added.
    private static let withoutOperators =
        withoutJoins + ["operator", "operator_session"].map { "DROP TABLE \($0);" }.joined()

    /// The statements that remove what the twenty-fourth version and later ones have added.
    private static let withoutJoins = withoutRevisions + "DROP INDEX attribution_bound;"

    /// The statement that removes what the thirty-second version has added.
    private static let withoutWrongCodes = "ALTER TABLE code DROP COLUMN wrong;"

    /// The statements that remove what the thirty-first version and later ones have added.
    private static let withoutTurns = withoutWrongCodes + "DROP TABLE work_turn;"

    /// The statements that remove what the twenty-ninth version and later ones have added.
    private static let withoutNodes =
        withoutTurns + ["node", "presence", "signal", "rate_use"].map { "DROP TABLE \($0);" }.joined()
        + "DELETE FROM revision WHERE name = 'signals';"

    /// The statements that remove what later versions than the twenty-seventh have added.
    private static let withoutStorage = """
        \(withoutNodes)
        DROP INDEX access_owner; DROP TABLE storage; DROP INDEX device_taken_day;
        ALTER TABLE device DROP COLUMN taken_day;
        CREATE INDEX device_taken_at ON device (taken_at) WHERE taken_at IS NOT NULL;
        """

    /// The statements that put the tombstones among the live records, where the twenty-sixth version had them.
    private static let withoutTombstones = """
        \(withoutStorage)
        INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps, deleted, revision)
        SELECT feed, id, collection, sequence, modified, '{}', '{"":[' || modified || ',' || sequence || ',7]}', 1,
            revision FROM tombstone;
        DROP TABLE tombstone;
        CREATE INDEX record_tombstone ON record (modified) WHERE deleted = 1;
        CREATE INDEX record_live ON record (feed, id) WHERE deleted = 0;
        """

    /// The statements that remove what the twenty-sixth version and later ones have added.
    private static let withoutLiveRecords = withoutTombstones + " DROP INDEX record_live;"

    /// The statements that remove what the twenty-fifth version and later ones have added.
    private static let withoutRevisions =
        """
        \(withoutLiveRecords) DROP TABLE revision; DROP TABLE lost_access; DROP INDEX feed_revision;
        ALTER TABLE feed DROP COLUMN revision; ALTER TABLE feed DROP COLUMN horizon_revision;
        ALTER TABLE record DROP COLUMN revision; ALTER TABLE access DROP COLUMN revision;
        """

    /// The statements that remove what the versions from the nineteenth on have added.
    private static let withoutSharing =
        withoutWebhooks
        + [
            "programme", "share_code", "share", "claim", "sharing_work", "sign_up", "attribution", "referral",
            "referred",
            "reward", "visit", "funnel",
        ].map { "DROP TABLE \($0);" }.joined() + "DROP INDEX record_shareable;"

    /// Leaves the database as an earlier version did, by statements that remove what later ones have added.
    private func goBack(to version: Int, _ removal: String) throws {
        try DatabaseQueue(path: folder.database).write { database in
            try database.execute(sql: "\(removal) UPDATE meta SET value = '\(version)' WHERE name = 'version'")
        }
    }

    @Test("An account that has proved an email before the upgrade does not sign up again") func signUps() async throws {
        let sessions = SessionService(database: try SQLiteDatabase(path: folder.database), signals: .none)
        let ada = try await sessions.open(at: noon).account
        try goBack(
            to: 18,
            """
            \(Self.withoutSharing)
            UPDATE account SET kind = 'identified';
            INSERT INTO identity (value, account, created) SELECT 'mailto:ada@example.com', id, 0 FROM account;
            """)
        let upgraded = try SQLiteDatabase(path: folder.database)
        let rows = try upgraded.readNow { try $0.query("SELECT account, due FROM sign_up") }
        #expect(rows == [SQLRow([.id(ada), .null])])
    }

    @Test("A server of the twenty-second version gets operators") func operators() async throws {
        _ = try SQLiteDatabase(path: folder.database)
        try goBack(to: 22, Self.withoutOperators)
        let service = OperatorService(database: try SQLiteDatabase(path: folder.database))
        let password = try await service.add(try #require(OperatorName("ada")), at: noon)
        #expect(try await service.signIn("ada", password: password, from: ClientNetwork("192.0.2.0"), at: noon) != nil)
    }

    @Test("A server of the twenty-third version gets the index of joins, which counts those in bulk")
    func joins() throws {
        _ = try SQLiteDatabase(path: folder.database)
        try goBack(to: 23, Self.withoutJoins)
        _ = try SQLiteDatabase(path: folder.database)
        #expect(try Self.schema(folder.database).contains { $0.hasPrefix("CREATE INDEX attribution_bound ") })
    }

    @Test("A server of the twenty-seventh version learns the blocks of each account and the day of each device")
    func storage() throws {
        let old = try Town(SQLiteDatabase(path: folder.database))
        var ada = try old.phone()
        let lists: [FeedID] = [old.id(), old.id()]
        try ada.sync(lists.map { ada.create($0) })
        let long = String(repeating: "x", count: 500)
        for _ in 0..<5 { try ada.sync((0..<30).map { _ in ada.item(old.id(), long, in: lists[0]) }) }
        let (blocks, days) = ("SELECT blocks FROM storage", "SELECT taken_at / 86400000 - taken_day FROM device")
        #expect(try old.database.readNow { try $0.query(blocks) } == [SQLRow([.integer(4)])])
        #expect(try old.database.readNow { try $0.query(days) } == [SQLRow([.integer(0)])])
        try goBack(to: 27, Self.withoutStorage)
        let upgraded = try SQLiteDatabase(path: folder.database)
        #expect(try upgraded.readNow { try $0.query(blocks) } == [SQLRow([.integer(4)])])
        #expect(try upgraded.readNow { try $0.query(days) } == [SQLRow([.integer(0)])])
    }

    @Test("A server of the twenty-eighth version gets the tables that nodes share") func nodes() throws {
        _ = try SQLiteDatabase(path: folder.database)
        let schema = try Self.schema(folder.database)
        try goBack(to: 28, Self.withoutNodes)
        #expect(try Self.schema(folder.database) != schema)
        let upgraded = try SQLiteDatabase(path: folder.database)
        #expect(try Self.schema(folder.database) == schema)
        let marks = try upgraded.readNow { try $0.query("SELECT number FROM revision ORDER BY name") }
        #expect(marks == [SQLRow([.integer(1)]), SQLRow([.integer(0)])])
    }

    @Test(
        "Trap: The names of the devices of accounts that were deleted before stay – the thirtieth version clears them")
    func devicesOfDeletedAccounts() async throws {
        let sessions = SessionService(database: try SQLiteDatabase(path: folder.database), signals: .none)
        for _ in 0..<2 { _ = try await sessions.open(at: noon) }
        try goBack(
            to: 29,
            """
            \(Self.withoutTurns)
            UPDATE session SET device = 'phone', used = 1;
            DELETE FROM account WHERE id = (SELECT MIN(id) FROM account);
            """)
        let upgraded = try SQLiteDatabase(path: folder.database)
        let rows = try upgraded.readNow { try $0.query("SELECT device, used FROM session ORDER BY device") }
        #expect(rows == [SQLRow([.null, .null]), SQLRow([.text("phone"), .integer(1)])])
    }

    @Test("A server of the thirtieth version gets the table of the turns of accounts") func turns() throws {
        _ = try SQLiteDatabase(path: folder.database)
        let schema = try Self.schema(folder.database)
        try goBack(to: 30, Self.withoutTurns)
        let upgraded = try InvitationWorld(town: Town(SQLiteDatabase(path: folder.database)))
        #expect(try Self.schema(folder.database) == schema)
        var ada = try upgraded.person("Ada")
        try ada.sync(ada.invite("mailto:ben@example.com"))
        let rows = try upgraded.town.database.readNow { try $0.query("SELECT account, job FROM work_turn") }
        #expect(rows == [SQLRow([.id(ada.account), .text("invitations")])])
    }

    @Test("A server of the thirty-first version gets the column for the last wrong code") func wrongCodes() throws {
        _ = try SQLiteDatabase(path: folder.database)
        let schema = try Self.schema(folder.database)
        try goBack(to: 31, Self.withoutWrongCodes)
        #expect(try Self.schema(folder.database) != schema)
        _ = try SQLiteDatabase(path: folder.database)
        #expect(try Self.schema(folder.database) == schema)
    }

    @Test(
        "Law 12: The upgrade that moves tombstones to a table of their own forgets no deletion, and changes no record",
        arguments: [25, 26])
    func tombstones(version: Int) async throws {
        let old = try Town(SQLiteDatabase(path: folder.database))
        var ada = try old.phone()
        let list: FeedID = old.id()
        let items = (0..<4).map { _ in ada.item(old.id(), in: list) }
        try ada.sync([ada.create(list)] + items)
        var tablet = Phone(old, account: ada.account)
        try tablet.sync()
        try ada.sync(items[1...2].map { ada.mutation(list, .items, $0.record, .delete) })
        try ada.sync(ada.item(old.id(), in: list))
        let before = try items.map { try old.record(list, $0.record) }
        let statements = version == 25 ? Self.withoutLiveRecords : Self.withoutTombstones
        try goBack(to: version, statements)
        let town = try Town(SQLiteDatabase(path: folder.database))
        func sync(_ phone: inout Phone, _ mutations: [Mutation] = []) throws -> SyncAnswer {
            let answer = try town.database.sync(phone.request(mutations), as: phone.account, at: old.now).answer
            phone.apply(answer)
            return answer
        }
        let rows = try town.database.readNow { transaction in
            try transaction.query("SELECT id FROM tombstone ORDER BY sequence")
        }
        #expect(rows == items[1...2].map { SQLRow([.id($0.record)]) })
        #expect(try items.map { try town.record(list, $0.record) } == before)
        // A device that has seen the deleted items learns of their deletion.
        let news = try sync(&tablet)
        #expect(news.feeds.map(\.feed) == [list] && news.feeds[0].page == nil)
        #expect(news.feeds[0].changes.filter { $0.fields == nil }.map(\.id) == items[1...2].map(\.record))
        #expect(tablet.replica == ada.replica)
        var new = Phone(old, account: ada.account)
        _ = try sync(&new)
        #expect(new.replica == ada.replica)
        // What it has edited in the meantime is refused.
        let late = try sync(
            &tablet,
            [
                tablet.mutation(list, .items, items[1].record, .set(["ticked": true]), seen: 3),
                tablet.mutation(list, .items, items[2].record, .delete, seen: 3),
            ])
        #expect(late.outcomes.map(\.result) == [.rejected, .superseded])
        #expect(late.outcomes.map(\.code) == [.deleted, nil])
        // The deletions are kept for 90 days, and no longer.
        let end = old.now + Limits.tombstones
        // Only how many lists were made on a day.
        let housekeeping = Housekeeping(database: town.database, signals: .none)
        #expect(try await housekeeping.purge(end) == 1)
        #expect(try items.map { try town.record(list, $0.record) } == before)
        try await housekeeping.purge(end + .seconds(1))
        #expect(try items[1...2].allSatisfy { try town.record(list, $0.record) == nil })
    }

    @Test("Law 12: A device goes on with its token of the twenty-fourth version, and gets one without positions")
    func revisions() throws {
        let old = try Town(SQLiteDatabase(path: folder.database))
        var (ada, ben) = (try old.phone(), try old.phone())
        let lists: [FeedID] = (0..<3).map { _ in old.id() }
        try ada.sync(lists.map { ada.create($0) } + lists.map { ada.item(old.id(), in: $0) })
        ben.tokens = .positions
        for list in lists { try old.join(ben, list, of: ada, as: .editor) }
        try ben.sync()
        try ada.sync(ada.item(old.id(), in: lists[1]), ada.mutation(lists[2], .members, ben.me, .delete))
        // As the twenty-fourth version left it, which has written Ben's token.
        try goBack(to: 24, Self.withoutRevisions)
        let town = try Town(SQLiteDatabase(path: folder.database))
        func onward(_ phone: Phone) throws -> Phone {
            var next = Phone(town, account: phone.account)
            next.token = phone.token
            try next.sync()
            return next
        }
        let answer = try town.database.sync(ben.request([]), as: ben.account, at: town.now).answer
        #expect(answer.lost == [lists[2]])
        #expect(answer.feeds.map(\.feed) == [ben.home, lists[1]])
        #expect(answer.feeds.allSatisfy { $0.page == nil })
        ben.apply(answer)
        #expect(answer.token.rawValue.utf8.count < 60)
        #expect(try onward(ben).token == ben.token)
    }

    @Test("The upgrade to revisions rewrites no record") func quickRevisions() throws {
        let town = try Town(SQLiteDatabase(path: folder.database))
        var ada = try town.phone()
        let list: FeedID = town.id()
        try ada.sync(ada.create(list))
        try goBack(to: 24, Self.withoutRevisions)
        let queue = try DatabaseQueue(path: folder.database)
        try queue.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 21000)
                    INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps, deleted)
                    SELECT ?, randomblob(16), 'item', i, 1, '{"title":"' || hex(randomblob(50)) || '"}', '{}', 0 FROM n
                    """, arguments: [list.uuid.data])
        }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
        func size(_ suffix: String) throws -> Int {
            try (FileManager.default.attributesOfItem(atPath: folder.database + suffix)[.size] as? Int) ?? 0
        }
        let upgraded = try SQLiteDatabase(path: folder.database)
        #expect(try size("") > 3_000_000)
        // The index of live records may be written, which is a quarter of that, before a later step removes it.
        #expect(try size("-wal") < 1_500_000)
        #expect(try upgraded.readNow { try $0.query("SELECT DISTINCT revision FROM record") }.count == 1)
    }

    @Test("A server of the nineteenth version gets webhooks") func webhooks() async throws {
        _ = try SQLiteDatabase(path: folder.database)
        try goBack(to: 19, Self.withoutWebhooks)
        let service = WebhookService(database: try SQLiteDatabase(path: folder.database))
        #expect(try await service.list().isEmpty)
        let (webhook, _) = try await service.add("https://tea.example.com/kith", at: noon)
        #expect(try await service.list() == [webhook])
    }

    @Test("requests that waited before the upgrade are counted") func waiting() throws {
        let town = try Town(SQLiteDatabase(path: folder.database))
        var (ada, ben) = (try town.phone(), try town.phone())
        let (cleo, dora) = (try town.phone(), try town.phone())
        for var asker in [ada, cleo, dora] { try asker.sync(asker.wish(.connect, ben)) }
        try ben.sync()
        try ben.sync(ben.contact(cleo, ["isBlocked": true]))
        try ben.sync(ben.wish(.accept, dora))
        try ada.sync(ada.profile(["nick": #""wish":"accept""#]))
        try town.reach()
        try goBack(
            to: 3,
            """
            \(Self.withoutSharing)
            ALTER TABLE feed DROP COLUMN waiting;
            ALTER TABLE feed DROP COLUMN bytes;
            DROP TABLE removed;
            DROP TABLE message;
            DROP TABLE suppression;
            DROP TABLE code;
            DROP TABLE recovery;
            DROP TABLE pairing;
            ALTER TABLE session DROP COLUMN used;
            DROP TABLE sms;
            DROP TABLE prefix_pause;
            DROP TABLE passkey;
            DROP TABLE ceremony;
            DROP TABLE invitation;
            DROP TABLE invitation_link;
            DROP TABLE identity_news;
            DROP TABLE issuer_identity;
            DROP TABLE issuer_login;
            ALTER TABLE session DROP COLUMN device;
            """)
        let upgraded = try Town(SQLiteDatabase(path: folder.database))
        #expect(try upgraded.row(ben.home)?.waiting == 1)
        #expect(try upgraded.row(ada.home)?.waiting == 0)
    }

    @Test("The upgrade corrects the kind of accounts whose identities an operator has changed")
    func kinds() async throws {
        func open() async throws -> NewSession {
            try await SessionService(database: try SQLiteDatabase(path: folder.database), signals: .none).open(at: noon)
        }
        let (vouched, stripped) = (try await open(), try await open())
        try await DatabaseQueue(path: folder.database).write { database in
            try database.execute(
                sql: "INSERT INTO identity (value, account, created) VALUES ('mailto:ada@example.com', ?, 0)",
                arguments: [vouched.account.uuid.data])
            try database.execute(
                sql: "UPDATE account SET kind = 'identified' WHERE id = ?", arguments: [stripped.account.uuid.data])
        }
        try goBack(to: 17, Self.withoutSharing)
        let sessions = SessionService(database: try SQLiteDatabase(path: folder.database), signals: .none)
        #expect(try await sessions.verify(vouched.token)?.kind == "identified")
        #expect(try await sessions.verify(stripped.token)?.kind == "anonymous")
    }

    @Test("An invitation that was to be sent before the upgrade is sent after it") func invitation() throws {
        let old = try InvitationWorld(town: Town(SQLiteDatabase(path: folder.database)))
        var ada = try old.person("Ada")
        try ada.sync(ada.invite("mailto:ben@example.com"))
        try goBack(to: 16, "ALTER TABLE invitation DROP COLUMN network; \(Self.withoutSharing)")
        let upgraded = try InvitationWorld(town: Town(SQLiteDatabase(path: folder.database)))
        try upgraded.work()
        #expect(try upgraded.messages().count == 1)
    }
}
