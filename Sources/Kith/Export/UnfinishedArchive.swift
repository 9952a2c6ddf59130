import Foundation

/// The hidden file beside an archive, in which the archive is written until it is complete.
///
/// It is locked as long as it is written. Without the lock it is what an export has left whose process was killed.
struct UnfinishedArchive {
    private let folder: URL
    private let prefix: String
    /// The location of the file. No other export uses it.
    let url: URL

    init(of archive: URL) {
        folder = archive.deletingLastPathComponent()
        prefix = ".\(archive.lastPathComponent)."
        url = folder.appending(path: prefix + UUID().uuidString)
    }

    /// Locks the file until the handle is closed.
    static func lock(_ handle: FileHandle) { flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) }

    /// Deletes what exports to the same archive have left.
    func removeAbandoned() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let path = folder.appending(path: name).path(percentEncoded: false)
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }
}
