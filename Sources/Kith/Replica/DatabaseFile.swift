package import Foundation
package import GRDB
import KithModel
import Synchronization

/// A database file on disk. It is replaced if it is damaged.
package struct DatabaseFile {
    let url: URL
    /// The tables that every start needs. They are read before anything is written, to detect damage.
    let tables: [String]

    package init(url: URL, tables: [String]) { (self.url, self.tables) = (url, tables) }

    /// Opens the file. If it is damaged, moves it away and creates a new one.
    ///
    /// One client at a time replaces a file, until `prepare` has returned. Otherwise a second one would take the new file, into
    /// which the first still copies, for one that a killed start has left. Clients that find a sound file do not wait for each
    /// other.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the connections.
    ///   - prepare: Prepares the database, and copies what can be read of the damaged file, whose new location it gets.
    /// - Returns: The database, and the new location of a damaged file.
    /// - Throws: ``KithError`` with `database`, `diskFull` …; an error of the file system; what `prepare` throws.
    package func open(
        configuration: Configuration, preparing prepare: (any DatabaseWriter, URL?) throws -> Void
    ) throws -> (any DatabaseWriter, URL?) {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        if let writer = try locked(LOCK_SH, { try sound(configuration, preparing: prepare) }) { return (writer, nil) }
        return try locked(LOCK_EX) {
            // Another client may have replaced it meanwhile.
            if let writer = try sound(configuration, preparing: prepare) { return (writer, nil) }
            let aside = try moveAside()
            let writer = try self.writer(configuration)
            try prepare(writer, aside)
            try? FileManager.default.removeItem(at: marker)
            return (writer, aside)
        }
    }

    /// Opens and prepares the file, unless it is damaged.
    private func sound(
        _ configuration: Configuration, preparing prepare: (any DatabaseWriter, URL?) throws -> Void
    ) throws -> (any DatabaseWriter)? {
        if FileManager.default.fileExists(atPath: marker.path) { return nil }
        let writer: any DatabaseWriter
        do {
            writer = try check(self.writer(configuration))
        } catch let error as DatabaseError where error.isDamage {
            return nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw KithError(
                .database,
                """
                Another program holds the local data. If it was started while the disk was full, it does so until it ends: \
                end it, then repeat this.
                """, cause: error)
        } catch let error as DatabaseError {
            throw KithError(error)
        }
        do {
            try prepare(writer, nil)
        } catch let error as DatabaseError where error.isDamage {
            mark()
            throw error
        }
        return writer
    }

    private func writer(_ configuration: Configuration) throws -> any DatabaseWriter {
        // The file is private to its user. SQLite gives its other files the same permissions.
        makeIfMissing(url.path)
        let writer: any DatabaseWriter
        do {
            writer = try Self.pool(at: url.path, configuration)
        } catch let error as DatabaseError where error.isOfFullDisk {
            writer = try Self.queueForFullDisk(at: url.path, configuration)
        }
        // An edit that a getter has returned must survive a power failure. Opening a pool sets NORMAL, whatever the
        // configuration says.
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Keeps the pages in memory that one answer of the server changes, until the commit: at most 16 MiB.
            try db.execute(sql: "PRAGMA cache_size = -16384")
        }
        return writer
    }

    /// Opens the file without new data on the disk, so that it can be read although the disk is full.
    ///
    /// A pool needs space at its opening: SQLite makes the shared index of the log (`-shm`), and GRDB begins a log that is
    /// empty. A single connection with an exclusive lock has the index in memory. Other processes cannot open the file
    /// until it is closed. As soon as the disk has space again, this connection also writes.
    private static func queueForFullDisk(at path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        var configuration = configuration
        // SQLite only honours this before it reads the file.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Opens a pool, also while other processes do.
    private static func pool(at path: String, _ configuration: Configuration) throws -> DatabasePool {
        for _ in 0..<attempts {
            do {
                return try DatabasePool(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // SQLite does not wait for another writer when it changes the journal mode of a new file. It waits when
                // a transaction begins.
                try DatabaseQueue(path: path, configuration: configuration).write { _ in }
            }
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// How often a file is opened again that other processes write to.
    private static let attempts = 20

    /// This file is created when the database turns out to be damaged during use, so that the next start replaces the
    /// database. It then contains the new name of the damaged file, until everything readable is copied to the new one.
    private var marker: URL { URL(fileURLWithPath: url.path + ".damaged") }

    /// The file that is locked while the database is opened, replaced or marked.
    ///
    /// The database itself is not: when a process closes it, it loses the locks that SQLite has on it. The name does not end
    /// in `.lock`: on a file system without locks, Apple's SQLite takes such a file for the lock of another process.
    private var lockPath: String { url.path + ".opening" }

    /// Runs `body` with a lock of this kind: `LOCK_SH` excludes only clients that replace the file.
    private func locked<T>(_ kind: Int32, _ body: () throws -> T) rethrows -> T {
        let lock = openLock(lockPath)
        defer { closeLock(lock) }
        while flock(lock, kind) != 0 {
            // A signal can interrupt the wait. A file system without locks is used by one process.
            if errno != EINTR { break }
        }
        return try body()
    }

    /// Runs `body` on a connection to the file. If it meets damage, the next start replaces the file.
    package func markingDamage<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError where error.isDamage {
            let lock = openLock(lockPath)
            defer { closeLock(lock) }
            // If another client is replacing the file just now, or has replaced it, the damage is that of the old one.
            let isBusy = flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isBusy && !db.hasMoved { mark() }
            throw error
        }
    }

    /// Marks the file. A marker that is there may contain the location of the damaged file, so it stays as it is.
    private func mark() {
        if FileManager.default.fileExists(atPath: marker.path) { return }
        _ = FileManager.default.createFile(atPath: marker.path, contents: nil)
    }

    /// Checks that the file of a connection has not been replaced. Call it before a transaction that writes, and after its
    /// commit.
    ///
    /// If the file is replaced after the second check, the committed edit is copied to the new one.
    ///
    /// - Throws: ``KithError`` with `replicaBroken`.
    package func checkPlace(of db: Database) throws {
        // Without a file at the path, another client may be replacing it. It has then read nothing yet.
        if db.hasMoved && FileManager.default.fileExists(atPath: url.path) {
            throw KithError(
                .replicaBroken,
                """
                Another program has replaced the local data, for example because it was damaged. Restart this one, then \
                repeat the edit.
                """)
        }
    }

    private func check(_ writer: any DatabaseWriter) throws -> any DatabaseWriter {
        try writer.read { db in
            for table in tables where try db.tableExists(table) {
                _ = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)").next()
            }
        }
        return writer
    }

    /// Moves the damaged file away, with the database itself as the last of its files. If an earlier start was killed
    /// while doing so, continues its work.
    private func moveAside() throws -> URL {
        let manager = FileManager.default
        let begun = (try? String(contentsOf: marker, encoding: .utf8)) ?? ""
        let aside = begun.isEmpty ? freePlace() : url.deletingLastPathComponent().appendingPathComponent(begun)
        try Data(aside.lastPathComponent.utf8).write(to: marker, options: .atomic)
        for suffix in ["-wal", "-shm", ""] where manager.fileExists(atPath: url.path + suffix) {
            let file = URL(fileURLWithPath: url.path + suffix)
            if manager.fileExists(atPath: aside.path) {
                // This is a new file from an earlier start that has not copied anything yet.
                try manager.removeItem(at: file)
            } else {
                try manager.moveItem(at: file, to: URL(fileURLWithPath: aside.path + suffix))
            }
        }
        return aside
    }

    private func freePlace() -> URL {
        var number = 1
        func place() -> URL { URL(fileURLWithPath: "\(url.path).broken-\(number)") }
        while FileManager.default.fileExists(atPath: place().path) { number += 1 }
        return place()
    }

    /// Calls `body` with a damaged file, open for reading only. If that is impossible, it is not called.
    ///
    /// If a number in the header is wrong, or if the file was cut off and this SQLite ignores `writable_schema`, SQLite reads
    /// nothing. Then a copy with a sound header is opened.
    package static func reading(damaged file: URL, _ body: (DatabaseQueue) throws -> Void) throws {
        let copy = URL(fileURLWithPath: file.path + ".mended")
        // Apple's SQLite reads no file that is deleted while it is open.
        defer { removeFiles(copy) }
        guard let database = (try? readable(file)) ?? (try? mended(file, as: copy)) else { return }
        defer { try? database.close() }
        try body(database)
    }

    private static func removeFiles(_ file: URL) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }

    /// SQLite refuses every statement if an entry of the schema is damaged, or if the file has fewer pages than its header
    /// says, because it was cut off. With `writable_schema` it reads the tables and pages that are there. Apple's SQLite
    /// ignores this setting, because its connections are “defensive”.
    private static func readable(_ file: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA writable_schema = ON") }
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Opens a copy of a file, with the numbers in the header that SQLite gives to every file of this kind.
    private static func mended(_ file: URL, as copy: URL) throws -> DatabaseQueue {
        let manager = FileManager.default
        removeFiles(copy)
        for suffix in ["", "-wal"] where manager.fileExists(atPath: file.path + suffix) {
            try manager.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
        }
        let handle = try FileHandle(forUpdating: copy)
        guard var header = try handle.read(upToCount: sizeOfHeader), header.count == sizeOfHeader else {
            throw DatabaseError(resultCode: .SQLITE_NOTADB)
        }
        header.replaceSubrange(0..<16, with: Data("SQLite format 3\0".utf8))
        // The size of a page, the format with a log, no reserved bytes, and how cells fill a page.
        header.replaceSubrange(16..<24, with: Data([0x10, 0, 2, 2, 0, 64, 32, 32]))
        // No number of pages: SQLite then takes it from the size of the file, which may have been cut off.
        header.replaceSubrange(28..<32, with: Data(count: 4))
        // The format of the schema, and the encoding of texts.
        header.replaceSubrange(44..<48, with: Data([0, 0, 0, 4]))
        header.replaceSubrange(56..<60, with: Data([0, 0, 0, 1]))
        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: header)
        try handle.close()
        return try readable(copy)
    }

    /// The size of the header of a SQLite file, in bytes.
    private static let sizeOfHeader = 100

    /// Reads the rows of a table of a damaged file, as far as possible.
    static func rows(of table: String, in damaged: DatabaseQueue) -> [Row] {
        var rows: [Row] = []
        forEachRow(of: table, in: damaged) { rows.append($0.copy()) }
        return rows
    }

    /// Calls `body` with each row of a table of a damaged file, up to the first unreadable row.
    package static func forEachRow(of table: String, in damaged: DatabaseQueue, _ body: (Row) -> Void) {
        try? damaged.read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)")
            while let row = try rows.next() { body(row) }
        }
    }

    /// Copies one row. A row with invalid content is skipped.
    package static func insert(
        _ row: Row, into table: String, setting values: [String: (any DatabaseValueConvertible)?] = [:], _ db: Database
    ) {
        let columns = row.columnNames.map(\.self)
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        try? db.inSavepoint {
            try db.execute(
                sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
                arguments: StatementArguments(
                    columns.map { column in
                        values[column].map { $0?.databaseValue ?? .null } ?? row[column] as DatabaseValue
                    }))
            return .commit
        }
    }
}

extension DatabaseError {
    /// Whether the file is damaged.
    var isDamage: Bool { SQLiteDamage.isReported(by: resultCode.rawValue, message) }

    /// Whether a file cannot grow, because the disk is full, or because a quota is used up.
    var isOfFullDisk: Bool {
        resultCode == .SQLITE_FULL || [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE].contains(extendedResultCode)
    }
}

/// Makes an empty file for its owner only, unless there is one. If the file cannot be made, SQLite says why.
///
/// A file that exists is not opened, and one thread makes a file at a time: when a process closes a file, it loses all its
/// locks on it, also those of SQLite. Another process could then delete the log (`-wal`) that this one writes to.
private func makeIfMissing(_ path: String) {
    making.withLock { _ in
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}

/// Is locked while a thread makes a file.
private let making = Mutex(())

/// Opens the file of a lock. It is negative if there cannot be one, for example on a full disk.
private func openLock(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

/// Closes the file of a lock, which also releases it.
private func closeLock(_ descriptor: Int32) { if descriptor >= 0 { close(descriptor) } }
