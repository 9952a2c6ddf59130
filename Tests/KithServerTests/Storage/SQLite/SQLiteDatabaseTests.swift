import Foundation
import GRDB
import KithModel
import KithServer
import Processes
import Testing

@Suite("SQLite as the server's database") struct SQLiteDatabaseTests {
    private let folder = Folder()

    private struct Crash: Error {}

    @Test("keeps statements of the same length apart", arguments: [Backend.memory, .file])
    func statementsOfOneLength(backend: Backend) async throws {
        try await backend.withSQLite { database, _ in
            for _ in 0..<3 {
                for number in 0..<10 as Range<Int64> {
                    let read = try database.readNow { try $0.query("SELECT \(number)")[0].integer(0) }
                    let written = try await database.write { try $0.query("SELECT \(number)")[0].integer(0) }
                    #expect(read == number && written == number)
                }
            }
        }
    }

    @Test("runs a statement within the loop over its own rows", arguments: [Backend.memory, .file])
    func statementInItself(backend: Backend) async throws {
        try await backend.withSQLite { database, _ in
            @Sendable func count(_ depth: Int, in transaction: any Transaction) throws -> Int {
                if depth == 0 { return 1 }
                var sum = 0
                _ = try transaction.query("SELECT 1 UNION ALL SELECT 2", []) { _ in
                    sum += try count(depth - 1, in: transaction)
                    return true
                }
                return sum
            }
            let read = try database.readNow { try count(3, in: $0) }
            let written = try await database.write { try count(3, in: $0) }
            #expect(read == 8 && written == 8)
        }
    }

    /// Makes a table of 500 rows, each of which fills a page.
    private static func fill(in transaction: any Transaction) throws {
        try transaction.execute("CREATE TABLE page (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
        try transaction.execute(
            """
            INSERT INTO page SELECT value, randomblob(4000)
            FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 500) SELECT * FROM n)
            """)
    }

    private static func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    @Test("the log of the writes is copied to the file without another write") func logIsCopied() async throws {
        try await Backend.file.withSQLite { database, folder in
            try await database.write { try Self.fill(in: $0) }
            #expect(try Self.size(folder.database) < 500 * 4_096)
            // SQLite itself copies nothing.
            #expect(try await database.write { try $0.query("PRAGMA wal_autocheckpoint")[0].integer(0) } == 0)
            // Each writes 500 pages to the log.
            for _ in 0..<(CheckpointPlan.many / 500) {
                try await database.write { try $0.execute("UPDATE page SET data = randomblob(4000)") }
            }
            try await Limit("the file has the pages").until { try Self.size(folder.database) >= 500 * 4_096 }
        }
    }

    @Test("the log does not grow without end while others write and read") func logEnds() async throws {
        try await Backend.file.withSQLite { database, folder in
            try await database.write { try Self.fill(in: $0) }
            for _ in 0..<72 {
                try await database.write { try $0.execute("UPDATE page SET data = randomblob(4000)") }
                #expect(try await database.peek { try $0.query("SELECT COUNT(*) FROM page")[0].integer(0) } == 500)
            }
            // A page of the log has a head of 24 bytes.
            #expect(try Self.size(folder.database + "-wal") < (CheckpointPlan.tooLong + 1_000) * (4_096 + 24))
        }
    }

    @Test("writes go on during a long read, and the log begins again after it") func longRead() throws {
        let database = try SQLiteDatabase(path: folder.database)
        func update(_ times: Int) throws {
            for _ in 0..<times { try database.writeNow { try $0.execute("UPDATE page SET data = randomblob(4000)") } }
        }
        try database.writeNow { try Self.fill(in: $0) }
        var unsafe = Configuration()
        unsafe.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: folder.database, configuration: unsafe)
        try reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT COUNT(*) FROM page") }
        try update(72)
        let log = try Self.size(folder.database + "-wal")
        #expect(log > CheckpointPlan.tooLong * 4_096)
        // The writer waits for others as long as before.
        #expect(try database.writeNow { try $0.query("PRAGMA busy_timeout")[0].integer(0) } == 5_000)
        try reader.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try update(12)
        #expect(try Self.size(folder.database + "-wal") < log + 4 * 600 * 4_096)
    }

    @Test("a closed database leaves no log, also if it was just being copied") func logIsGone() throws {
        var database: SQLiteDatabase? = try SQLiteDatabase(path: folder.database)
        try database?.writeNow { try Self.fill(in: $0) }
        try database?.writeNow { try $0.execute("UPDATE page SET data = randomblob(4000)") }
        database = nil
        #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
    }

    /// The sum of the numbers up to `count`, as a long row set. `each` is called for each row.
    private static func sum(
        _ count: Int64, in transaction: any Transaction, _ each: () throws -> Void = {}
    ) throws -> Int64 {
        var sum: Int64 = 0
        let rows: [[SQLValue]] = (1...count).map { [.integer($0)] }
        _ = try transaction.query(wanted: ["number"], rows, "SELECT number FROM wanted") { row in
            sum += try row.integer(0)
            try each()
            return true
        }
        return sum
    }

    @Test("more long row sets than stay prepared are read, again and again") func longRowSets() async throws {
        try await Backend.file.withSQLite { database, _ in
            for _ in 0..<2 {
                for count: Int64 in [60, 70, 60, 80, 90, 100, 110, 120, 130, 140, 150, 60, 5_000] {
                    let sum = try await database.write { try Self.sum(count, in: $0) }
                    #expect(sum == count * (count + 1) / 2)
                }
            }
        }
    }

    @Test("frequent statements are told apart, also if the lengths of their texts are the same, or lead to one place")
    func statementsInOnePlace() async throws {
        try await Backend.file.withSQLite { database, _ in
            let texts = (1...6).map { "SELECT" + String(repeating: " ", count: $0 < 4 ? 1 : 513) + "\($0)" }
            for _ in 0..<2 {
                let found = try await database.peek { transaction in
                    try texts.map { try transaction.query($0)[0].integer(0) }
                }
                #expect(found == [1, 2, 3, 4, 5, 6])
            }
        }
    }

    @Test("a long row set is read while it is read") func longRowSetTwice() async throws {
        try await Backend.file.withSQLite { database, _ in
            for _ in 0..<2 {
                let sum = try await database.write { transaction in
                    try Self.sum(60, in: transaction) {
                        let inner = try Self.sum(60, in: transaction)
                        #expect(inner == 1_830)
                    }
                }
                #expect(sum == 1_830)
            }
        }
    }

    @Test("an array is refused") func array() async throws {
        try await Backend.memory.withSQLite { database, _ in
            let error = await #expect(throws: ServerError.self) {
                try await database.read { try $0.query("SELECT ?", [.array([.integer(1)])]) }
            }
            #expect(error?.code == .internalError)
        }
    }

    @Test("acknowledged writes exist when the file is opened again") func reopened() async throws {
        try await SQLiteDatabase(path: folder.database).put("kept")
        #expect(try SQLiteDatabase(path: folder.database).has("kept"))
    }

    @Test("the first opening makes the server's id; a second opening and a restored backup keep it")
    func serverID() async throws {
        let backup = folder.url.appending(path: "backup.sqlite").path
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let first = try SQLiteDatabase(path: folder.database, at: now, random: RandomBytes(seed: 3))
        #expect(first.server.uuid.halves.high >> 16 == UInt64(now.milliseconds))
        try first.backup(to: backup)
        #expect(try SQLiteDatabase(path: folder.database).server == first.server)
        #expect(try SQLiteDatabase(besideServer: folder.database).server == first.server)
        let restored = try SQLiteDatabase(path: backup)
        #expect(try restored.server == first.server && restored.epoch() != first.epoch())
        #expect(try first.copy().server == first.server)
    }

    @Test("two databases are two servers; the same random bytes and time make the same id") func serverIDs() throws {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let servers = try [1, 1, 2].map {
            try SQLiteDatabase.inMemory(at: now, random: RandomBytes(seed: $0)).server
        }
        #expect(servers[0] == servers[1] && servers[1] != servers[2])
    }

    @Test("a full disk is `busy` and undoes the whole write; reads still work") func diskFull() async throws {
        try await Backend.file.withSQLite { database, _ in
            try await database.write { transaction in
                let pages = try transaction.query("PRAGMA page_count")[0].integer(0)
                _ = try transaction.query("PRAGMA max_page_count = \(pages + 2)")
            }
            let error = await #expect(throws: ServerError.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO meta (name, value) VALUES ('before', '')")
                    let large = String(repeating: "x", count: 100_000)
                    try transaction.execute("INSERT INTO meta (name, value) VALUES ('large', ?)", [.text(large)])
                }
            }
            #expect(error?.code == .busy)
            #expect(error?.retryAfter == .seconds(60))
            #expect(try !database.has("before"))
            #expect(try database.has("epoch"))
        }
    }

    @Test(
        "a temporary refusal of SQLite is `busy` with a time to wait; a permanent one is not",
        arguments: [
            (ResultCode.SQLITE_FULL, 60, .fullDisk(isReachable: true)),
            (.SQLITE_IOERR_SHMSIZE, 60, .fullDisk(isReachable: true)),
            (.SQLITE_BUSY, 1, .passing), (.SQLITE_LOCKED, 1, .passing), (.SQLITE_INTERRUPT, 1, .passing),
            (.SQLITE_IOERR, 30, .unwritable), (.SQLITE_CANTOPEN, 30, .unwritable),
            (.SQLITE_READONLY, 30, .unwritable), (.SQLITE_PERM, 30, .unwritable),
            (.SQLITE_CORRUPT, 60, .damagedFile), (.SQLITE_NOTADB, 60, .damagedFile),
            (.SQLITE_CONSTRAINT, nil, .passing), (.SQLITE_ERROR, nil, .passing),
        ] as [(ResultCode, Int64?, DatabaseFailureKind)])
    func refusals(code: ResultCode, seconds: Int64?, kind: DatabaseFailureKind) async throws {
        let database = try SQLiteDatabase.inMemory()
        database.onCommit = { moment in if moment == .before { throw DatabaseError(resultCode: code) } }
        let error = await #expect(throws: ServerError.self) { try await database.put("lost") }
        #expect(error?.code == (seconds == nil ? .internalError : .busy))
        #expect(error?.retryAfter == seconds.map { .seconds($0) })
        #expect((error?.cause as? SQLiteFailure)?.kind == kind)
    }

    @Test("a failing write reports its own error, even if its commit fails too") func ownFailure() async throws {
        struct Refusal: Error {}
        let database = try SQLiteDatabase.inMemory()
        database.onCommit = { moment in if moment == .before { throw Crash() } }
        await #expect(throws: Refusal.self) { try await database.write { _ in throw Refusal() } }
    }

    @Test("waits for another program that is writing to the file") func otherWriter() async throws {
        try await Backend.file.withSQLite { database, folder in
            let admin = try SQLiteDatabase(besideServer: folder.database)
            try await admin.write { transaction in
                try transaction.execute("INSERT INTO meta (name, value) VALUES ('admin', '')")
                Task { try await database.put("server") }
                while !database.isCommitting { sched_yield() }
                // A write that did not wait would have had the time to fail. One that waits does so for five seconds.
                let end = ContinuousClock.now + Duration.milliseconds(100)
                while ContinuousClock.now <= end { sched_yield() }
            }
            var isWritten = false
            while !isWritten {
                let isUnderWay = database.isCommitting
                isWritten = try database.has("server")
                try #require(isUnderWay || isWritten)
                await Task.yield()
            }
            #expect(try database.has("admin"))
        }
    }

    @Test("says so if a file cannot be opened, is damaged, or is no database") func cannotOpen() throws {
        func sentence() -> String? {
            let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: folder.database) }
            #expect(error?.code == ServerError.cannotOpen)
            return error?.sentence
        }
        let url = URL(filePath: folder.database)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        #expect(sentence()?.contains("cannot be opened for writing.") == true)
        try FileManager.default.removeItem(at: url)
        try Data(repeating: 7, count: 100).write(to: url)
        #expect(sentence()?.contains("is not a SQLite database.") == true)
        try FileManager.default.removeItem(at: url)
        do { _ = try SQLiteDatabase(path: folder.database) }
        var bytes = try Data(contentsOf: url)
        // Trap: SQLite calls a wrong format of the schema a plain error.
        bytes[47] ^= 0x40
        try bytes.write(to: url)
        #expect(sentence()?.contains("is damaged. Move it aside, and restore a backup.") == true)
        bytes[47] ^= 0x40
        // All pages after the first.
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0xA5, count: bytes.count - 4_096))
        try bytes.write(to: url)
        #expect(sentence()?.contains("is damaged. Move it aside, and restore a backup.") == true)
    }

    @Test("Trap: damage that shows late in the start ends it as any other damage does") func lateDamage() async throws {
        let long = String(repeating: "Q", count: 20_000)
        // So long a value is on pages of its own, which only the end of the start reads.
        try SQLiteDatabase(path: folder.database).writeNow {
            try $0.execute("UPDATE meta SET value = ? WHERE name = 'epoch'", [.text(long)])
        }
        var bytes = try Data(contentsOf: URL(filePath: folder.database))
        let text = Data(long.utf8.prefix(1_000))
        let pages = stride(from: 0, to: bytes.count, by: 4_096).filter { bytes[($0 + 4)..<($0 + 1_004)] == text }
        try #require(!pages.isEmpty)
        // The number of the next page.
        for page in pages { bytes.replaceSubrange(page..<(page + 4), with: Data([0x7F, 0xFF, 0xFF, 0xFF])) }
        try bytes.write(to: URL(filePath: folder.database))
        let error = await #expect(throws: ServerError.self) {
            try await ServerDatabase.open(
                .file(folder.database), PostgresSettings(), at: Timestamp(milliseconds: 0), newEpoch: false,
                whenCommitted: {})
        }
        #expect(error?.code == ServerError.cannotOpen && error?.isDamage == true)
        #expect(error?.sentence == "\(folder.database) is damaged. Move it aside, and restore a backup.")
    }

    @Test("a database of a newer program is left alone") func newerVersion() throws {
        try SQLiteDatabase(path: folder.database).writeNow {
            try $0.execute("UPDATE meta SET value = '99' WHERE name IN ('version', 'oldest')")
        }
        let error = #expect(throws: ServerError.self) { try SQLiteDatabase(path: folder.database) }
        #expect(error?.sentence.contains("99") == true)
    }

    // MARK: Epochs

    @Test("keeps its epoch when it is opened again") func sameEpoch() throws {
        let epochs = try (0..<3).map { _ in try SQLiteDatabase(path: folder.database).epoch() }
        #expect(Set(epochs).count == 1)
        #expect(epochs[0].count == 22)
    }

    @Test("announces a new epoch when its file was replaced by an older one") func replacedFile() throws {
        let backup = folder.url.appending(path: "backup").path
        let first = try SQLiteDatabase(path: folder.database).backedUp(to: backup)
        #expect(try SQLiteDatabase(path: folder.database).epoch() == first)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
        try FileManager.default.copyItem(atPath: backup, toPath: folder.database)
        #expect(try SQLiteDatabase(path: folder.database).epoch() != first)
    }

    @Test("announces a new epoch when the file comes without its incarnation") func movedFile() throws {
        let first = try SQLiteDatabase(path: folder.database).epoch()
        try FileManager.default.removeItem(atPath: folder.database + ".incarnation")
        #expect(try SQLiteDatabase(path: folder.database).epoch() != first)
    }

    @Test("says why a new epoch begins: the operator wants it, or the file was replaced; not for a new file")
    func reasonOfNewEpoch() async throws {
        func reason(newEpoch: Bool = false) async throws -> String? {
            try await ServerDatabase.open(
                .file(folder.database), PostgresSettings(), at: Timestamp(milliseconds: 0), newEpoch: newEpoch,
                whenCommitted: {}
            ).reasonOfNewEpoch
        }
        #expect(try await reason() == nil)
        #expect(try await reason() == nil)
        try FileManager.default.removeItem(atPath: folder.database + ".incarnation")
        #expect(try await reason() == "the file is not as the last server has left it")
        #expect(try await reason() == nil)
        #expect(try await reason(newEpoch: true) == "--new-epoch")
    }

    @Test("does not mistake a crash during a change of the incarnation for a restored file")
    func crashBetweenFiles() async throws {
        struct Crash: Error {}
        let database = try SQLiteDatabase(path: folder.database)
        for moment in [SQLiteDatabase.CommitMoment.before, .after] {
            database.onCommit = { if $0 == moment { throw Crash() } }
            await #expect(throws: Crash.self) { try await database.renewIncarnation() }
            #expect(try SQLiteDatabase(path: folder.database).epoch() == database.epoch())
        }
    }

    @Test("recognises a backup of the current run as older after the incarnation was renewed")
    func renewed() async throws {
        let backup = folder.url.appending(path: "backup").path
        var database: SQLiteDatabase? = try SQLiteDatabase(path: folder.database)
        let first = try database?.backedUp(to: backup)
        try await database?.renewIncarnation()
        database = nil
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
        try FileManager.default.copyItem(atPath: backup, toPath: folder.database)
        #expect(try SQLiteDatabase(path: folder.database).epoch() != first)
    }

    @Test("gets a new incarnation also while writes never stop waiting", .timeLimit(.minutes(15)))
    func renewedUnderLoad() async throws {
        let database = try SQLiteDatabase(path: folder.database)
        let file = URL(filePath: folder.database + ".incarnation")
        let before = try String(contentsOf: file, encoding: .utf8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var count = 0
                    while !Task.isCancelled {
                        try await database.put("name \(number) \(count)")
                        count += 1
                    }
                }
            }
            while try !database.has("name 7 0") { await Task.yield() }
            try await database.renewIncarnation()
            group.cancelAll()
            try await group.waitForAll()
        }
        let after = try String(contentsOf: file, encoding: .utf8)
        #expect(after != before && after.split(separator: "\n").count == 1)
    }

    @Test("announces a new epoch when a file without an incarnation replaces one with")
    func foreignFile() throws {
        _ = try SQLiteDatabase(path: folder.database)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
        let other = try SQLiteDatabase.inMemory()
        try other.backup(to: folder.database)
        #expect(try SQLiteDatabase(path: folder.database).epoch() != other.epoch())
    }

    @Test("uses sixteen random bytes as incarnation") func incarnation() throws {
        _ = try SQLiteDatabase(path: folder.database)
        let text = try String(contentsOfFile: folder.database + ".incarnation", encoding: .utf8)
        #expect(text.utf8.count == 22 + 1)
    }

    @Test("writes the incarnation as it writes secrets: synchronized, for its owner alone, without a rest")
    func incarnationFile() async throws {
        let database = try SQLiteDatabase(path: folder.database)
        try await database.renewIncarnation()
        let path = folder.database + ".incarnation"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(!FileManager.default.fileExists(atPath: path + ".draft"))
    }

    @Test("an incarnation that cannot be written may need a writable folder, or room on the disk")
    func unwritableIncarnation() async throws {
        let database = try SQLiteDatabase(path: folder.database)
        let draft = folder.database + ".incarnation.draft"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        let error = await #expect(throws: ServerError.self) { try await database.renewIncarnation() }
        #expect(error?.code == .busy && error?.sentence.contains("and make room on its disk.") == true)
    }

    @Test("a copy has all data and the same epoch, and changes independently")
    func copies() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await database.put("both")
        let copy = try database.copy()
        try await database.put("original")
        #expect(try copy.has("both"))
        #expect(try !copy.has("original"))
        #expect(try copy.epoch() == database.epoch())
        try copy.newEpoch()
        #expect(try copy.epoch() != database.epoch())
    }
}

extension SQLiteDatabase {
    /// Writes a backup and returns the epoch at that moment.
    fileprivate func backedUp(to path: String) throws -> String {
        try readNow { _ = try $0.query("SELECT 1") }
        try backup(to: path)
        return try epoch()
    }
}
