import Foundation
import GRDB
import KithModel
import KithServer
import Processes
import Testing

@Suite("A backup of a SQLite database", .timeLimit(.minutes(15))) struct SQLiteBackupTests {
    private let folder = Folder()

    private var file: String { folder.url.appending(path: "backup.sqlite").path }

    private func backUp(replacing: Bool = false) throws -> SQLiteBackup {
        try SQLiteBackup.make(of: folder.database, at: file, replacing: replacing)
    }

    private func code(replacing: Bool = false) -> Problem.Code? {
        let error = #expect(throws: ServerError.self) { try backUp(replacing: replacing) }
        return error?.code
    }

    @Test("Trap: A backup ends while devices write") func whileOthersWrite() async throws {
        let database = try SQLiteDatabase(path: folder.database)
        // So many pages that each of several steps would be overtaken by a write.
        try await database.write { transaction in
            try transaction.execute("CREATE TABLE page (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
            try transaction.execute(
                """
                INSERT INTO page SELECT value, randomblob(4000)
                FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 3000) SELECT * FROM n)
                """)
        }
        let writing = Task {
            var count = 0
            while !Task.isCancelled {
                try await database.put("name \(count)")
                count += 1
            }
        }
        // Also if something fails.
        defer { writing.cancel() }
        while try !database.has("name 9") { await Task.yield() }
        let backup = try backUp()
        writing.cancel()
        try await writing.value
        #expect(backup.server == database.server)
        let restored = try SQLiteDatabase(besideServer: file)
        #expect(try restored.has("name 9"))
        #expect(try restored.readNow { try $0.query("SELECT COUNT(*) FROM page")[0].integer(0) } == 3_000)
    }

    @Test("It is one file without a log, which only its owner can read, and says what it contains") func contents()
        async throws
    {
        let database = try SQLiteDatabase(path: folder.database)
        _ = try await SessionService(database: database, signals: .none).open(at: Timestamp(.now))
        let backup = try backUp()
        #expect(backup.server == database.server && backup.accounts == 1)
        let data = try Data(contentsOf: URL(filePath: file))
        #expect(data.count == backup.bytes)
        // The format of a file without a log.
        #expect(data[18] == 1 && data[19] == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
    }

    @Test("A file that exists is replaced only if that is wanted, and a file of the server never") func names() throws {
        let database = try SQLiteDatabase(path: folder.database)
        _ = try backUp()
        #expect(code() == .conflict)
        _ = try backUp(replacing: true)
        for suffix in ["", "-wal", ".incarnation"] {
            let error = #expect(throws: ServerError.self) {
                try SQLiteBackup.make(of: folder.database, at: folder.database + suffix, replacing: true)
            }
            #expect(error?.code == .malformed, "\(suffix)")
        }
        let error = #expect(throws: ServerError.self) {
            try SQLiteBackup.make(of: folder.database, at: folder.url.path + "/none/backup", replacing: false)
        }
        #expect(error?.code == .malformed)
        withExtendedLifetime(database) {}
    }

    @Test("Trap: A backup whose draft would have the name of the database is refused") func nameOfDraft() throws {
        let path = file + ".part"
        do { _ = try SQLiteDatabase(path: path) }
        let error = #expect(throws: ServerError.self) { try SQLiteBackup.make(of: path, at: file, replacing: false) }
        #expect(error?.code == .malformed)
        _ = try SQLiteDatabase(besideServer: path)
    }

    @Test("Trap: A file that is made while the backup ends is not replaced") func madeMeanwhile() throws {
        let draft = try BackupDraft.make(for: file)
        try Data("other".utf8).write(to: URL(filePath: file))
        let error = #expect(throws: ServerError.self) { try draft.finish(replacing: false) }
        #expect(error?.code == .conflict)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("other".utf8))
        try draft.finish(replacing: true)
        #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: draft.path))
    }

    @Test("Trap: A backup that was killed while it got its name leaves two names of one file: the next one keeps it")
    func secondName() throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        _ = try backUp()
        let good = try Data(contentsOf: URL(filePath: file))
        try FileManager.default.linkItem(atPath: file, toPath: file + ".part")
        let draft = try BackupDraft.make(for: file)
        #expect(try Data(contentsOf: URL(filePath: file)) == good)
        draft.discard()
    }

    @Test("Trap: A damaged database never replaces a good backup") func damaged() throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        _ = try backUp()
        let good = try Data(contentsOf: URL(filePath: file))
        do {
            let queue = try DatabaseQueue(path: folder.database)
            // A value that its column forbids. Only a check of the whole file finds it.
            try queue.writeWithoutTransaction { database in
                try database.execute(
                    sql: """
                        PRAGMA writable_schema = ON;
                        UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT NOT NULL', 'value TEXT') WHERE name = 'meta';
                        PRAGMA writable_schema = RESET;
                        INSERT INTO meta (name, value) VALUES ('damaged', NULL);
                        PRAGMA writable_schema = ON;
                        UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT', 'value TEXT NOT NULL') WHERE name = 'meta';
                        PRAGMA writable_schema = RESET
                        """)
            }
            try queue.close()
        }
        #expect(code(replacing: true) == ServerError.damaged)
        #expect(try Data(contentsOf: URL(filePath: file)) == good)
        #expect(!FileManager.default.fileExists(atPath: file + ".part"))

        var bytes = try Data(contentsOf: URL(filePath: folder.database))
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0xA5, count: bytes.count - 4_096))
        try bytes.write(to: URL(filePath: folder.database))
        #expect(code(replacing: true) == ServerError.damaged)
        #expect(try Data(contentsOf: URL(filePath: file)) == good)
    }

    @Test("What a backup that was killed has left is no obstacle, and is not read") func remains() throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        for suffix in ["", "-journal", "-wal", ".lock"] {
            try Data("half a backup".utf8).write(to: URL(filePath: file + ".part" + suffix))
        }
        _ = try backUp()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
    }

    @Test("Two backups do not write the same file at once") func together() throws {
        do { _ = try SQLiteDatabase(path: folder.database) }
        let descriptor = open(file + ".part.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        #expect(code() == .busy)
        #expect(FileManager.default.fileExists(atPath: file + ".part.lock"), "It is the lock of the other one.")
        close(descriptor)
        _ = try backUp()
        #expect(!FileManager.default.fileExists(atPath: file + ".part.lock"))
    }

    @Test("Trap: Where a lock of the draft would exclude SQLite, as on NFS, it is not locked") func lock() throws {
        let draft = try BackupDraft.make(for: file)
        let descriptor = open(draft.path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: ServerError.self) { try BackupDraft.make(for: file) }
        draft.discard()
    }

    @Test("Without a database there is no backup") func missing() {
        #expect(code() == .notFound)
    }
}
