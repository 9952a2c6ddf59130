import Foundation
import KithModel

/// The file to which a backup is written until it is complete: `FILE.part`, which only its owner can read.
///
/// One process at a time writes it. A lock (flock) on it excludes others.
final class BackupDraft {
    let path: String
    private let file: String
    private let descriptor: CInt

    private init(_ path: String, of file: String, _ descriptor: CInt) {
        (self.path, self.file, self.descriptor) = (path, file, descriptor)
    }

    deinit { close(descriptor) }

    /// The empty draft of the backup at `file`.
    ///
    /// - Throws: ``ServerError`` if it cannot be made; with the code `busy` if another process writes it.
    static func make(for file: String) throws -> BackupDraft {
        let path = file + ".part"
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno, path) }
        let draft = BackupDraft(path, of: file, descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, draft.isInPlace else {
            throw ServerError(.busy, "Another kith admin backup writes to \(path). Try again when it has ended.")
        }
        draft.removeRemains()
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else { throw failure(errno, path) }
        return draft
    }

    /// Whether its name still leads to it. The process that had the lock before has perhaps renamed it.
    private var isInPlace: Bool {
        var (own, named) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &named) == 0 else { return false }
        return (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)
    }

    /// Deletes what SQLite keeps beside a file, and a process that was killed has left.
    private func removeRemains() {
        for suffix in ["-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// Gives the draft, which is complete, the name of the backup. A crash leaves either the old or the new backup.
    func finish() throws {
        guard fsync(descriptor) == 0, rename(path, file) == 0 else { throw Self.failure(errno, file) }
        let folder = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
        let opened = open(folder, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw Self.failure(errno, folder) }
        defer { close(opened) }
        // Some file systems cannot store a folder by itself.
        guard fsync(opened) == 0 || errno == EINVAL else { throw Self.failure(errno, folder) }
    }

    /// Deletes the draft.
    func discard() {
        removeRemains()
        unlink(path)
    }

    private static func failure(_ code: CInt, _ path: String) -> ServerError {
        let words = String(cString: strerror(code))
        return switch code {
        case ENOSPC, EDQUOT: SQLiteBackup.fullDisk(path)
        case ENOENT, ENOTDIR: ServerError(.malformed, "\(path) cannot be made: its folder is not there.")
        default:
            ServerError(
                ServerError.cannotOpen, "\(path) cannot be written: \(words). Choose another file or another user.")
        }
    }
}
