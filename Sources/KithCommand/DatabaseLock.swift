import Foundation
import KithModel
import KithServer

/// The lock on a server's database. It allows only one `kith serve` for each database.
///
/// An advisory lock (flock) on a file beside the database, which the system releases when the process ends, even after
/// a crash.
struct DatabaseLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: ``ServerError`` with the code `busy` if another process holds it.
    init(of database: String) throws {
        // If the lock file cannot be created, opening the database fails with a better message.
        descriptor = open(database + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            close(descriptor)
            throw ServerError(
                .busy, "Another kith serve has \(database) open. Stop it, or name another file with --database.")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
