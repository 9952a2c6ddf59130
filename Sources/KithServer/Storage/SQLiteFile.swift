import Foundation
import GRDB
import KithModel

/// The open file of a ``SQLiteDatabase``: its connections, and what stands beside it.
package struct SQLiteFile {
    private let path: String
    let pool: DatabasePool
    let readers: ReadConnections
    /// Copies the log. It must outlive the pool.
    let checkpoints: Checkpoints
    let incarnation: Incarnation
    private let storing: (@Sendable (CInt) -> CInt)?

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
        // SQLite gives its other files the same permissions.
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let checkpoints = Checkpoints(path: path, Self.configuration)
        pool = try Self.naming(path) {
            let pool = try Self.pool(path)
            pool.writeWithoutTransaction { checkpoints.observe($0) }
            return pool
        }
        readers = ReadConnections(path: path, Self.configuration)
        (self.path, self.checkpoints, self.storing) = (path, checkpoints, storing)
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
    static func pool(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB opens a pool with `NORMAL`, which can lose the last commits in a power failure.
        try pool.writeWithoutTransaction { database in try database.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
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
        let sentence: String? =
            switch error.resultCode {
            case .SQLITE_NOTADB: "\(path) is not a SQLite database. Name another file."
            case .SQLITE_CORRUPT: "\(path) is damaged. Move it aside, and restore a backup."
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
                "\(path) cannot be opened for writing. Is it a file, and does it belong to the user that runs this?"
            default: nil
            }
        return sentence.map { ServerError(ServerError.cannotOpen, $0, cause: SQLiteFailure(error)) }
            ?? ServerError(error)
    }

    /// Lets the pool commit without waiting for the disk. The log waits from now on.
    ///
    /// - Returns: The log.
    /// - Throws: ``ServerError`` or `DatabaseError` if the file or its log cannot be opened or copied.
    func log() throws -> DurableLog {
        let log = try DurableLog(of: path, store: storing)
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
