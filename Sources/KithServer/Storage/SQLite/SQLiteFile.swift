import Foundation
import GRDB
import GRDBSQLite
import KithModel

/// The open file of a ``SQLiteDatabase``: its connections, and what stands beside it.
package struct SQLiteFile {
    private let path: String
    let pool: DatabasePool
    let readers: ReadConnections
    /// Copies the log. It must outlive the pool.
    let checkpoints: Checkpoints
    let incarnation: Incarnation
    /// Checks that the files are not moved.
    let check: FileCheck
    private let log: DurableLog

    /// Opens a file, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file, or a link to it.
    ///   - storing: Waits until the disk has stored an open file; `fdatasync` if nil.
    /// - Throws: ``ServerError`` if it cannot be opened.
    init(_ path: String, storing: (@Sendable (CInt) -> CInt)? = nil) throws {
        // If a link leads to another file, that one is not as the last server has left it.
        incarnation = Incarnation(beside: path)
        let path = try Self.target(of: path)
        try Self.checkThatNothingIsMissing(at: path, incarnation)
        // SQLite gives its other files the same permissions.
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let check = FileCheck(of: path)
        var configuration = Self.configuration
        // GRDB opens connections when they are first needed.
        configuration.prepareDatabase { _ in try check.run() }
        let checkpoints = Checkpoints(path: path, configuration)
        pool = try Self.naming(path) {
            let pool = try Self.pool(path, configuration)
            pool.writeWithoutTransaction { checkpoints.observe($0) }
            return pool
        }
        readers = ReadConnections(path: path, configuration)
        log = try DurableLog(of: path, store: storing)
        check.begin(failing: log)
        (self.path, self.checkpoints, self.check) = (path, checkpoints, check)
    }

    /// Checks that no file is missing which the last server has left here. A new one would be a new server, to which no device
    /// could go on.
    static func checkThatNothingIsMissing(at path: String, _ incarnation: Incarnation) throws {
        let isMissing: Bool
        do throws(POSIXError) {
            let status = try FileStatus(at: path)
            isMissing = status.isPlainFile && status.size == 0
        } catch {
            isMissing = error.code == .ENOENT
        }
        if isMissing { try checkThatNoServerWas(at: path, incarnation) }
    }

    /// Checks that no server has used the file at `path`, in which there is nothing.
    private static func checkThatNoServerWas(at path: String, _ incarnation: Incarnation) throws {
        guard !incarnation.read().isEmpty else { return }
        throw ServerError(
            ServerError.cannotOpen,
            """
            \(path) is missing or empty, but “\(incarnation.name)” shows that a server has used it. Is its disk mounted? Put the \
            file back, or restore a backup. To begin with a new server, delete “\(incarnation.name)”.
            """)
    }

    /// Checks that the open file is the database of a server, or has no tables, and that no server has used it then. Another
    /// program that opens an empty file can write pages without tables to it.
    func checkContent(in database: GRDB.Database) throws {
        if try Self.isOfServer(database) { return }
        let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        // Litestream adds tables to what it copies.
        guard tables.allSatisfy({ $0.hasPrefix("sqlite_") || $0.hasPrefix("_litestream_") }) else {
            throw ServerError(
                ServerError.cannotOpen,
                "\(path) is the database of another program. Nothing was added to it. Name another file with --database."
            )
        }
        try Self.checkThatNoServerWas(at: path, incarnation)
    }

    /// Whether an open file has the first table of a server. Other programs have tables of the same name, too.
    static func isOfServer(_ database: GRDB.Database) throws -> Bool {
        guard try database.tableExists(Meta.table) else { return false }
        return try database.columns(in: Meta.table).map(\.name) == ["name", "value"]
    }

    /// For all connections to the file.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // With GRDB's default priority, reads and writes would come before the threads that serve connections and
        // small rounds.
        configuration.qos = .default
        return configuration
    }

    /// The file at a path, with all links followed. SQLite keeps its log beside this file, and not beside a link to it.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if a link leads nowhere.
    package static func target(of path: String) throws -> String {
        if let target = realpath(path, nil) {
            defer { free(target) }
            return String(cString: target)
        }
        // A file that is not there is created later.
        if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil { return path }
        throw ServerError(
            .busy,
            "\(path) is a link to a file that is not there. Is its disk mounted? Name another file with --database.")
    }

    /// Opens the file, and creates it if it does not exist.
    static func pool(_ path: String, _ configuration: Configuration = SQLiteFile.configuration) throws -> DatabasePool {
        try checkAccess(to: path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { database in
            // GRDB opens a pool with `NORMAL`, which can lose the last commits in a power failure.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // By default it is 2 MiB. The pages to which a few hundred busy devices write would be read again and again.
            try database.execute(sql: "PRAGMA cache_size = -16384")
        }
        return pool
    }

    /// Checks that SQLite can write to the file, and to its log and the index of that.
    ///
    /// If SQLite could only read the file, it would make a log with the same permissions, to which nobody could write later.
    private static func checkAccess(to path: String) throws {
        let path = (try? target(of: path)) ?? path
        for file in [path, path + "-wal", path + "-shm"] {
            guard let status = try? FileStatus(at: file) else { continue }
            guard status.isPlainFile, FileManager.default.isWritableFile(atPath: file) else { throw unwritable(file) }
        }
    }

    private static func unwritable(_ file: String, cause: (any Error)? = nil) -> ServerError {
        ServerError(
            ServerError.cannotOpen,
            "\(file) cannot be opened for writing. Is it a file, and does it belong to the user that runs this?",
            cause: cause)
    }

    /// The name with which SQLite opens a file that exists, and creates none.
    static func existing(_ path: String) -> String {
        // Without this, a name that begins with “file:” would be that of a file.
        guard sqlite3_compileoption_used("USE_URI") == 1 else { return path }
        let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3F").replacing("#", with: "%23")
        return (path.hasPrefix("/") ? "file://" : "file:") + escaped + "?mode=rw"
    }

    /// Runs `body`, and says what to do with the file if SQLite cannot open it.
    static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw failure(path, error)
        }
    }

    /// The error for this file, if SQLite cannot open it.
    func failure(_ error: DatabaseError) -> ServerError { Self.failure(path, error) }

    /// The error for a file that SQLite cannot open.
    private static func failure(_ path: String, _ error: DatabaseError) -> ServerError {
        let cause = SQLiteFailure(error)
        return switch error.resultCode {
        case .SQLITE_NOTADB:
            ServerError(ServerError.cannotOpen, "\(path) is not a SQLite database. Name another file.", cause: cause)
        case _ where error.isDamage:
            ServerError(
                ServerError.cannotOpen, "\(path) is damaged. Move it aside, and restore a backup.", cause: cause)
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY: unwritable(path, cause: cause)
        default: ServerError(error)
        }
    }

    /// Lets the pool commit without waiting for the disk. The log waits from now on.
    ///
    /// - Returns: The log.
    /// - Throws: ``ServerError`` or `DatabaseError` if the log cannot be copied.
    func beginLog() throws -> DurableLog {
        try pool.writeWithoutTransaction { database in
            // A server that was killed, or whose disk has failed, may have left commits that the disk does not have. While
            // another program reads, only a part may be copied.
            do {
                try database.checkpoint(.truncate)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        return log
    }
}
