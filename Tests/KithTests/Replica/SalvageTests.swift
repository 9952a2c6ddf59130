import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Salvaging a damaged replica") struct SalvageTests {
    private let folder = TemporaryFolder()

    /// A device with one mutation in flight and two that wait.
    private func prepare() async throws -> (Phone, ListID) {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        try await phone.lists.add("In flight", to: list)
        _ = try phone.mutations()
        try await phone.lists.add("Waiting", to: list)
        try await phone.lists.add("Waiting, too", to: list)
        return (phone, list)
    }

    /// Changes the file, and has it taken for damaged at the next start.
    private func damage(_ sql: String) throws {
        let database = try DatabaseQueue(path: folder.replica.path)
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF; " + sql) }
        try database.close()
        _ = FileManager.default.createFile(atPath: folder.replica.path + ".damaged", contents: nil)
    }

    private func restart(_ phone: Phone) throws -> Phone {
        try Phone(phone.server, file: folder.replica, seed: 9, credentials: phone.credentials)
    }

    @Test("If all mutations in flight are readable, the device keeps its identity and the numbers") func numbers()
        async throws
    {
        let (phone, list) = try await prepare()
        let before = try phone.account()
        try damage("")
        let again = try restart(phone)
        #expect(again.client.damagedReplica?.lastPathComponent == "kith.sqlite.broken-1")
        let after = try again.account()
        #expect((after.device, after.sent, after.acknowledged) == (before.device, before.sent, before.acknowledged))
        #expect(try again.query("SELECT number FROM mutation WHERE taken IS NULL AND number IS NOT NULL").count == 1)
        try await again.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["In flight", "Waiting", "Waiting, too"])
        try damage("")
        #expect(try restart(phone).client.damagedReplica?.lastPathComponent == "kith.sqlite.broken-2")
    }

    @Test("If a mutation in flight is lost, the device takes a new identity, and sends the rest under it")
    func lostInFlight() async throws {
        let (phone, list) = try await prepare()
        let before = try phone.account()
        try await phone.lists.add("Waits still", to: list)
        _ = try phone.mutations()
        try damage("DELETE FROM mutation WHERE ordinal = (SELECT min(ordinal) FROM mutation WHERE taken IS NULL)")
        let again = try restart(phone)
        let after = try again.account()
        #expect(after.device != before.device)
        #expect((after.sent, after.acknowledged.number) == (0, 0))
        #expect(try again.query("SELECT 1 FROM mutation WHERE taken IS NULL AND number IS NOT NULL").isEmpty)
        try await again.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Waiting", "Waiting, too", "Waits still"])
        #expect(try await again.waiting() == 0)
    }

    @Test("Law 1: If a mutation in flight is lost, an addition in flight counts once, and is reported")
    func additionInFlight() async throws {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let milk = try await phone.lists.add("Milk", to: list).id
        try await phone.client.syncNow()
        try await phone.lists.add("Tea", to: list)
        try await phone.lists.increase(milk, by: 2)
        // The server takes both, and the answer is lost.
        let request = try #require(try phone.rounds.begin())
        _ = phone.server.answer(request)
        try damage("DELETE FROM mutation WHERE ordinal = (SELECT min(ordinal) FROM mutation WHERE taken IS NULL)")
        let again = try restart(phone)
        #expect(try await again.client.rejections().map(\.code) == [.repeated])
        try await again.client.syncNow()
        #expect(phone.server.change { $0.fields(milk, in: list)?["count"] } == 3)
        #expect(try await again.lists.item(milk)?.count == 3)
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "Tea"])
        #expect(try await again.waiting() == 0)
    }

    @Test("If the accounts cannot be read, unsent edits wait in the userless store, without numbers")
    func noAccounts() async throws {
        let (_, list) = try await prepare()
        // So that the store in the new file has another number.
        try damage(
            """
            UPDATE mutation SET account = 7; UPDATE list SET account = 7; UPDATE membership SET account = 7;
            DELETE FROM account
            """)
        let again = try Phone(file: folder.replica, seed: 9)
        #expect(try again.account().id == nil)
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
        #expect(try await again.waiting() == 3)
        #expect(try again.query("SELECT 1 FROM mutation WHERE number IS NOT NULL").isEmpty)
    }

    @Test("If no account can be copied, there is a userless store that works") func garbageAccounts() async throws {
        let (phone, _) = try await prepare()
        try damage(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'device BLOB NOT NULL', 'device BLOB') WHERE name = 'account';
            PRAGMA writable_schema = RESET;
            UPDATE account SET device = NULL
            """)
        let again = try Phone(phone.server, file: folder.replica, seed: 9)
        #expect(try again.account().id == nil)
        #expect(try await again.waiting() == 3)
        try await again.lists.create("Anew")
        #expect(try await again.lists.all().contains { $0.name == "Anew" })
    }

    @Test("If only the current account cannot be copied, another becomes the current one") func otherAccount()
        async throws
    {
        let (phone, list) = try await prepare()
        let first = try present(phone.account().id)
        try await phone.switchAccount()
        try damage("DELETE FROM account WHERE isCurrent")
        let again = try restart(phone)
        #expect(try again.account().id == first)
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
    }

    @Test("Only unsent pictures are kept, and all sessions that must be ended") func besides()
        async throws
    {
        let (phone, _) = try await prepare()
        try damage(
            """
            INSERT INTO picture (account, hash, bytes, size, used, isUnsent)
            SELECT key, 'mine', zeroblob(3), 3, 1, 1 FROM account
            UNION SELECT key, 'theirs', zeroblob(3), 3, 1, 0 FROM account;
            INSERT INTO endedSession (id, server, address, ended) VALUES ('session', NULL, 'https://example.com', 1)
            """)
        let again = try restart(phone)
        #expect(try again.query("SELECT hash FROM picture").map { $0[0] as String } == ["mine"])
        #expect(try again.query("SELECT id FROM endedSession").map { $0[0] as String } == ["session"])
    }

    @Test("The last removal can be undone after the salvage, and removed identities stay removed") func removals()
        async throws
    {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.client.syncNow()
        let keeping = try Replica(
            .file(folder.replica),
            dependencies: Dependencies(now: { [clock = phone.clock] in clock.now }, random: RandomSource()),
            keepsLastRemoval: true)
        try await KithClient(replica: keeping, transport: phone.server, credentials: phone.credentials)
            .lists.remove(milk.id)
        try damage(
            """
            INSERT INTO removedIdentity (account, list, id, date) SELECT key, zeroblob(16), zeroblob(16), 1 FROM account
            """)
        let again = try restart(phone)
        #expect(try again.query("SELECT 1 FROM removedIdentity").count == 1)
        #expect(try await again.titles(in: list).isEmpty)
        #expect(try await again.lists.undoLastRemoval().items.map(\.title) == ["Milk"])
        try await again.client.syncNow()
        #expect(try await again.titles(in: list) == ["Milk"])
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("The damaged file is not changed") func untouched() async throws {
        let (phone, _) = try await prepare()
        // As a device leaves it that loses its power: what was written last is in the log beside it.
        let place = TemporaryFolder()
        let suffixes = ["", "-wal"]
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: folder.replica.path + suffix, toPath: place.replica.path + suffix)
        }
        func bytes(_ path: String) throws -> [Data] {
            try suffixes.map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
        }
        let before = try bytes(place.replica.path)
        _ = FileManager.default.createFile(atPath: place.replica.path + ".damaged", contents: nil)
        let again = try Phone(phone.server, file: place.replica, seed: 9, credentials: phone.credentials)
        #expect(try await again.waiting() == 3)
        #expect(try bytes(#require(again.client.damagedReplica).path) == before)
    }

    @Test("A start that ends before the salvage leaves the location of the damaged file to the next start")
    func placeIsNoted() throws {
        try Data("no database, and long enough to be looked at as one".utf8).write(to: folder.replica)
        let file = DatabaseFile(url: folder.replica, tables: [])
        var first: URL?
        do {
            _ = try file.open(configuration: Replica.configuration) { _, movedAside in
                first = movedAside
                throw Crash()
            }
        } catch is Crash {}
        let (_, second) = try file.open(configuration: Replica.configuration) { _, _ in }
        #expect(first != nil && first == second)
        let (_, third) = try file.open(configuration: Replica.configuration) { _, _ in }
        #expect(third == nil)
    }

    @Test("A start waits until another one has copied what can be read, so that it does not delete the new file")
    func oneStartAtATime() throws {
        try Data("no database, and long enough to be looked at as one".utf8).write(to: folder.replica)
        let file = DatabaseFile(url: folder.replica, tables: [])
        var canRead = true
        _ = try file.open(configuration: Replica.configuration) { _, _ in canRead = canLock(LOCK_SH) }
        #expect(!canRead)
        #expect(canLock(LOCK_EX))
    }

    @Test("Starts with a sound file do not wait for each other, but a start that replaces it waits for them")
    func soundStarts() throws {
        let file = DatabaseFile(url: folder.replica, tables: [])
        var (canOpen, canReplace) = (false, true)
        _ = try file.open(configuration: Replica.configuration) { _, _ in
            (canOpen, canReplace) = (canLock(LOCK_SH), canLock(LOCK_EX))
        }
        #expect(canOpen && !canReplace)
    }

    /// Whether another process would get this lock without waiting.
    private func canLock(_ kind: Int32) -> Bool {
        let lock = open(folder.replica.path + ".opening", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        return flock(lock, kind | LOCK_NB) == 0
    }

    @Test("A client whose file another process has replaced writes nothing, and does not mark the new file")
    func replacedMeanwhile() async throws {
        let (phone, list) = try await prepare()
        try damage("")
        let again = try restart(phone)
        #expect(again.client.damagedReplica != nil)
        #expect(await code { _ = try await phone.lists.add("Lost", to: list) } == .replicaBroken)
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
        func meetDamage(_ phone: Phone) async {
            let met = await code {
                try phone.client.replica.readNow { _ in throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            }
            #expect(met == .replicaBroken)
        }
        let marker = folder.replica.path + ".damaged"
        await meetDamage(phone)
        #expect(!FileManager.default.fileExists(atPath: marker))
        await meetDamage(again)
        #expect(FileManager.default.fileExists(atPath: marker))
    }

    @Test("A list with a lost removal and another waiting edit is shown with that edit") func lostRemoval()
        async throws
    {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let groceries = try #require(try await phone.lists.list(list))
        try await phone.lists.update(with(groceries) { $0.name = "Food" })
        _ = try phone.mutations()
        try await phone.lists.remove(list)
        try damage("DELETE FROM mutation WHERE number IS NULL")
        let again = try restart(phone)
        #expect(try await again.lists.all().map(\.name) == ["Food"])
    }

    @Test("Damage in a table that every start reads shows at once") func shownAtOnce() async throws {
        let (phone, list) = try await prepare()
        try await phone.client.replica.database.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let place = try #require(
            try phone.query(
                """
                SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema
                WHERE name = 'list' AND type = 'table'
                """
            ).first)
        let (page, size): (Int, Int) = (place[0], place[1])
        let file = try FileHandle(forWritingTo: folder.replica)
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xEE, count: size))
        try file.close()
        let again = try restart(phone)
        #expect(again.client.damagedReplica != nil)
        try await again.client.syncNow()
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
    }

    @Test(
        "Trap: A replica that was cut off keeps its unsent edits, even if its header must be mended",
        arguments: [false, true])
    func cutOff(hasWrongHeader: Bool) async throws {
        let (phone, list) = try await prepare()
        // The last pages of the file are those of a table that nobody needs.
        try await phone.client.replica.database.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE filler (data BLOB NOT NULL)")
            for _ in 0..<50 { try db.execute(sql: "INSERT INTO filler (data) VALUES (zeroblob(4000))") }
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        // A connection that stays open knows the size of the file.
        try phone.client.replica.database.close()
        let file = try FileHandle(forWritingTo: folder.replica)
        try file.truncate(atOffset: file.seekToEnd() - 10 * 4_096)
        if hasWrongHeader {
            // The size of a page.
            try file.seek(toOffset: 16)
            try file.write(contentsOf: Data([0x52]))
        }
        try file.close()
        let again = try restart(phone)
        #expect(again.client.damagedReplica != nil)
        #expect(try await again.waiting() == 3)
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
        try await again.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["In flight", "Waiting", "Waiting, too"])
    }

    @Test("Trap: An entry of the schema is damaged – the other tables are read") func schemaEntry() async throws {
        let (phone, list) = try await prepare()
        try damage(
            """
            CREATE TABLE filler (data BLOB NOT NULL);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'filler'
            """)
        let again = try restart(phone)
        #expect(try await again.waiting() == 3)
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
    }

    @Test("A file that a killed start left in the new file's place is no obstacle") func rubbleInPlace() async throws {
        let (phone, list) = try await prepare()
        try damage("")
        try Data("kith.sqlite.broken-1".utf8).write(to: URL(fileURLWithPath: folder.replica.path + ".damaged"))
        for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: folder.replica.path + suffix) {
            try FileManager.default.moveItem(
                atPath: folder.replica.path + suffix, toPath: folder.replica.path + ".broken-1" + suffix)
        }
        try Data("half a file, and long enough to be looked at as a database".utf8).write(to: folder.replica)
        let again = try restart(phone)
        #expect(try await again.titles(in: list) == ["In flight", "Waiting", "Waiting, too"])
        #expect(try await again.waiting() == 3)
    }
}
