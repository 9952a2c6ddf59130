import Foundation
import KithModel
import KithServer

/// The lock on a server's SQLite database. It allows only one `kith serve` for each file, and none while it is copied.
/// There is none for PostgreSQL.
///
/// An advisory lock (flock) on a file beside the database, which the system releases when the process ends, even after
/// a crash.
struct DatabaseLock: ~Copyable {
    private let descriptor: Int32

    /// - Parameters:
    ///   - address: Where the database is.
    ///   - advice: What to do if another process holds the lock.
    /// - Throws: ``ServerError`` with the code `busy` if another process holds it, and with the code `cannotOpen` if nobody
    ///   can know that: the lock file cannot be opened, or the database has two names.
    init(
        of address: DatabaseAddress, advice: String = "Stop it, or name another file with --database."
    ) throws {
        descriptor = if case .file(let database) = address { try Self.lock(database, advice) } else { -1 }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func lock(_ database: String, _ advice: String) throws -> Int32 {
        // If a link leads nowhere, opening the database fails with a better message, also if the folder is missing.
        let file = (try? SQLiteFile.target(of: database)) ?? database
        try checkNames(of: file)
        let descriptor = open(file + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT { return descriptor }
            throw ServerError(
                ServerError.cannotOpen,
                "\(file).lock cannot be opened, so another kith serve may have the database open. Is it a file, and does it "
                    + "belong to the user that runs this?")
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            close(descriptor)
            throw ServerError(.busy, "Another kith serve or kith admin copy has \(database) open. \(advice)")
        }
        return descriptor
    }

    /// SQLite keeps the log beside the name with which a database is opened, so two names have two logs, and each program
    /// would overwrite what the other has written.
    private static func checkNames(of file: String) throws {
        guard let status = try? FileStatus(at: file), status.isPlainFile, status.names > 1 else { return }
        throw ServerError(
            ServerError.cannotOpen,
            "\(file) has \(status.names) names (hard links). Edits can be lost if it is used by two of them: remove the "
                + "others.")
    }
}
