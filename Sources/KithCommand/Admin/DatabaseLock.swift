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
    /// - Throws: ``ServerError`` with the code `busy` if another process holds it.
    init(
        of address: DatabaseAddress, advice: String = "Stop it, or name another file with --database."
    ) throws {
        guard case .file(let database) = address else {
            descriptor = -1
            return
        }
        // If the lock file cannot be created, or a link leads nowhere, opening the database fails with a better message.
        let file = (try? SQLiteFile.target(of: database)) ?? database
        descriptor = open(file + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            close(descriptor)
            throw ServerError(.busy, "Another kith serve or kith admin copy has \(database) open. \(advice)")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
