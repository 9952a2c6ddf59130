import Foundation
import KithModel

/// The file to which a backup is written until it is complete: `FILE.part`, which only its owner can read.
///
/// One process at a time writes it. A lock (flock) on `FILE.part.lock` excludes others. SQLite never opens that file: on NFS and
/// SMB, a lock on the draft itself would exclude SQLite as well.
package final class BackupDraft {
    package let path: String
    private let file: String
    /// The locked file.
    private let lock: CInt
    /// The draft; -1 until it is open.
    private var descriptor: CInt = -1

    private init(_ path: String, of file: String, lockedBy lock: CInt) {
        (self.path, self.file, self.lock) = (path, file, lock)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        // While it is locked. Otherwise it could be the lock of the next backup.
        unlink(Self.lockPath(path))
        close(lock)
    }

    /// The empty draft of the backup at `file`.
    ///
    /// - Throws: ``ServerError`` if it cannot be made; with the code `busy` if another process writes it.
    package static func make(for file: String) throws -> BackupDraft {
        let path = file + ".part"
        let draft = BackupDraft(path, of: file, lockedBy: try lock(path))
        try draft.begin()
        return draft
    }

    private static func lockPath(_ path: String) -> String { path + ".lock" }

    /// Takes the lock of the draft at `path`.
    private static func lock(_ path: String) throws -> CInt {
        let name = lockPath(path)
        let descriptor = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno, name) }
        let code = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
        guard code == 0, isInPlace(descriptor, name) else {
            close(descriptor)
            guard code == 0 || code == EWOULDBLOCK else { throw failure(code, name) }
            throw ServerError(.busy, "Another kith admin backup writes to \(path). Try again when it has ended.")
        }
        return descriptor
    }

    /// Whether a name still leads to an open file. The process that had the lock before has perhaps deleted it.
    private static func isInPlace(_ descriptor: CInt, _ path: String) -> Bool {
        guard let own = try? FileStatus(of: descriptor), let named = try? FileStatus(at: path) else { return false }
        return own.identity == named.identity
    }

    /// Makes the empty file. What a process that was killed has left is deleted, and not emptied: it can be a second name of the
    /// backup before.
    private func begin() throws {
        discard()
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else { throw Self.failure(errno, path) }
    }

    /// Gives the draft, which is complete, the name of the backup. A crash leaves either the old or the new backup.
    ///
    /// - Throws: ``ServerError`` with the code `conflict` if the file exists and is not replaced, or another if it cannot be
    ///   stored.
    package func finish(replacing: Bool) throws {
        guard fsync(descriptor) == 0 else { throw Self.failure(errno, path) }
        try publish(replacing: replacing)
        let folder = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
        let opened = open(folder, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw Self.failure(errno, folder) }
        defer { close(opened) }
        // Some file systems cannot store a folder by itself.
        guard fsync(opened) == 0 || errno == EINVAL else { throw Self.failure(errno, folder) }
    }

    /// Renames the draft. Without `replacing`, a link is made, because `rename` would replace a file that was made just now.
    private func publish(replacing: Bool) throws {
        if !replacing {
            if link(path, file) == 0 {
                unlink(path)
                return
            }
            guard errno != EEXIST, (try? FileStatus(ofLink: file)) == nil else { throw SQLiteBackup.exists(file) }
            // Some file systems have no hard links.
        }
        guard rename(path, file) == 0 else { throw Self.failure(errno, file) }
    }

    /// Deletes the draft, and what SQLite keeps beside it.
    package func discard() {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
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
