import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Opening a replica") struct ReplicaTests {
    @Test("The folder of the file is made if it is missing, and the file is for its owner only") func file() throws {
        let folder = TemporaryFolder()
        let url = folder.url.appending(path: "a/b/kith.sqlite")
        _ = try Replica(.file(url))
        let rights = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
        #expect((rights as? NSNumber)?.intValue == 0o600)
    }

    @Test("Several processes can make one replica at the same time; each sees the edits of the others") func together()
        async throws
    {
        for _ in 1...20 {
            let folder = TemporaryFolder()
            let file = folder.replica
            let made = try await withThrowingTaskGroup(of: Replica.self) { group in
                for _ in 1...4 { group.addTask { @concurrent in try Replica(.file(file)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let accounts = try made.map { try $0.content().account.key }
            #expect(accounts.count == 4 && Set(accounts).count == 1)
            let numbers = try made.map { replica in
                try replica.database.write { db in
                    try db.execute(sql: "UPDATE account SET attempt = attempt + 1")
                    return try Int.fetchOne(db, sql: "SELECT attempt FROM account")
                }
            }
            #expect(numbers == [1, 2, 3, 4])
        }
    }

    @Test("An opening waits for another process that is just making the replica") func waitsForMaker() throws {
        let folder = TemporaryFolder()
        var unsafe = Configuration()
        unsafe.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.replica.path, configuration: unsafe)
        try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        var waiting = Replica.configuration
        // SQLite calls this when it would wait. The other process then ends its transaction.
        waiting.busyMode = .callback { _ in
            (try? other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }) != nil
        }
        let (database, _) = try DatabaseFile(url: folder.replica, tables: []).open(configuration: waiting) { _, _ in }
        let mode = try database.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
    }

    @Test("If another program holds the file, as one does that was started on a full disk, the error says so")
    func heldByAnother() throws {
        let folder = TemporaryFolder()
        var exclusive = Configuration()
        exclusive.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let other = try DatabaseQueue(path: folder.replica.path, configuration: exclusive)
        try other.write { try $0.execute(sql: "CREATE TABLE held (id)") }
        var impatient = Replica.configuration
        impatient.busyMode = .immediateError
        let error = #expect(throws: KithError.self) {
            try DatabaseFile(url: folder.replica, tables: []).open(configuration: impatient) { _, _ in }
        }
        #expect(error?.code == .database && error?.sentence.contains("the disk was full") == true)
        withExtendedLifetime(other) {}
    }

    #if os(Linux)
        @Test("A second opening keeps the locks of the first, so that no other process deletes the log in use")
        func keepsLocks() throws {
            let folder = TemporaryFolder()
            let first = try Replica(.file(folder.replica))
            // It stays open, because closing it would take the locks away, too.
            let file = open(folder.replica.path, O_RDWR)
            try #require(file >= 0)
            defer { close(file) }
            func isLocked() -> Bool {
                var lock = flock()
                (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
                // The bytes of SQLite's shared locks.
                (lock.l_start, lock.l_len) = (0x4000_0002, 510)
                // F_OFD_GETLK finds the locks of this process, too.
                return fcntl(file, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
            }
            #expect(isLocked())
            let second = try Replica(.file(folder.replica))
            #expect(isLocked())
            withExtendedLifetime((first, second)) {}
        }
    #endif

    @Test("A replica that is opened again over the same connection keeps the prepared statements")
    func preparedStatements() throws {
        let queue = try DatabaseQueue()
        _ = try Replica(.open(queue))
        let statement = try queue.unsafeRead { try $0.cachedStatement(sql: "SELECT key FROM account") }
        _ = try Replica(.open(queue))
        #expect(try queue.unsafeRead { try $0.cachedStatement(sql: "SELECT key FROM account") === statement })
    }

    @Test("A pinned replica needs its store; the userless one is made") func scopes() async throws {
        let (phone, list) = try await Phone.withList()
        let me = try present(phone.account().id)
        let database = phone.client.replica.database
        #expect(throws: KithError.self) { try Replica(.open(database), scope: .account(AccountID(UUID()))) }
        #expect(try phone.query("SELECT id FROM account").count == 1)
        #expect(try Replica(.open(database), scope: .account(me)).content().lists.map(\.id) == [list])
        // The first session has taken the userless store over.
        #expect(try Replica(.open(database), scope: .userless).content().account.id == nil)
        #expect(try Replica(.open(database), scope: .userless).content().account.state == .loggedOut)
        #expect(try phone.query("SELECT id FROM account").count == 2)
        #expect(try phone.account().id == me)
    }

    @Test(
        "SQLite's errors become errors of the SDK",
        arguments: [
            (ResultCode.SQLITE_FULL, KithError.Code.diskFull), (.SQLITE_IOERR_WRITE, .diskFull),
            (.SQLITE_IOERR_READ, .database), (.SQLITE_CORRUPT, .replicaBroken), (.SQLITE_NOTADB, .replicaBroken),
            (.SQLITE_BUSY, .database),
        ])
    func errors(from result: ResultCode, to expected: KithError.Code) async throws {
        let replica = try Replica(.inMemory)
        let writing = await code { try replica.writeNow { _ in throw DatabaseError(resultCode: result) } }
        let reading = await code { try replica.readNow { _ in throw DatabaseError(resultCode: result) } }
        #expect((writing, reading) == (expected, expected))
    }

    @Test("An observer of the account's row is notified of rounds, and not of edits") func accountRow()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let heard = Kept(0)
        let observation = DatabaseRegionObservation(tracking: Table("account")).start(
            in: phone.client.replica.database, onError: { _ in }, onChange: { _ in heard.change { $0 += 1 } })
        defer { observation.cancel() }
        try await phone.lists.add("Milk", to: list)
        #expect(heard.value == 0)
        phone.clock.advance(by: .seconds(1))
        try await phone.client.syncNow()
        #expect(heard.value > 0)
    }

    @Test("The last error is stored with its code and its sentence") func lastError() async throws {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        phone.server.goAway()
        #expect(await code { try await phone.client.syncNow() } == .offline)
        let again = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let error = try #require(try await again.client.status().lastError)
        #expect(error.code == .offline)
        #expect("\(error)".contains("cannot be reached"))
    }

    @Test("Work for one account cannot end with another, even with one that reuses its number") func marks()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        let first = try phone.account()
        try first.check(first.mark)
        try await phone.client.session.open()
        let second = try phone.account()
        #expect(await code { try second.check(first.mark) } == .refused)
        var heir = second
        heir.id = first.id
        #expect(await code { try heir.check(second.mark) } == .refused)
    }

    @Test("The simulation can dismiss a rejection") func dismissNow() async throws {
        let (phone, list, milk) = try await Phone.withItem()
        phone.othersRemove(milk.id, in: list)
        try await phone.lists.setTicked(milk.id, true)
        try await phone.client.syncNow()
        let rejection = try #require(try await phone.client.rejections().first)
        try phone.client.replica.dismissNow(rejection.id)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A relative address is resolved before it is compared") func relativeAddress() throws {
        let url = try #require(URL(string: "lists/", relativeTo: URL(string: "https://Kith.example.com/app/")))
        #expect(ServerIdentity.address(of: url) == "https://kith.example.com/app/lists")
    }

    @Test(
        "An address has one normal form",
        arguments: [
            ("https://Kith.Example.COM/", "https://kith.example.com"),
            ("HTTPS://kith.example.com:443", "https://kith.example.com"),
            ("http://kith.example.com:80/", "http://kith.example.com"),
            ("https://kith.example.com:80", "https://kith.example.com:80"),
            ("http://kith.example.com:443", "http://kith.example.com:443"),
            ("https://ada:secret@kith.example.com/a/b//?c=d#e", "https://kith.example.com/a/b"),
        ])
    func address(of text: String, is expected: String) throws {
        let url = try #require(URL(string: text))
        #expect(ServerIdentity.address(of: url) == expected)
    }
}
