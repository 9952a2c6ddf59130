package import Foundation

/// A file that only its owner can read (mode 0600), such as that of the tokens.
package enum OwnerOnlyFile {
    /// Writes a file, or replaces it: a crash leaves either the old or the new content. No other user can read the file
    /// at any time. After a power failure, it has the new content.
    ///
    /// Processes that write the same file must exclude each other, because they use the same draft.
    package static func write(_ content: Data, to path: String) throws {
        let draft = path + ".draft"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: content)
            // Synchronized before the rename. Otherwise a power failure could leave the new name without its content.
            try file.synchronize()
            try file.close()
            guard rename(draft, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(draft)
            throw error
        }
        synchronizeFolder(of: path)
    }

    /// Synchronizes the new name. Some file systems cannot do that for a folder; the name is then stored a little later.
    private static func synchronizeFolder(of path: String) {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}
