import Foundation
import KithModel
import KithServer

/// The lock on a server's database: whoever holds it is the only `kith serve` there.
///
/// An advisory lock (flock) on a file beside the database, which the system
/// releases when the process ends, however it ends.
struct DatabaseLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: ``ServerError`` with the code `busy` if another process holds it.
    init(of database: String) throws {
        // Where no file can be made here, opening the database says so better.
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
