package import Foundation

/// A private file, such as a copy of the whole address book. A new one is readable only by its owner.
package struct PrivateFile: Sendable {
    private let path: String

    /// The file at `path`, or the target of a link there.
    package init(_ path: String) { self.path = path }

    /// Replaces the file's content completely or not at all. An existing file keeps its mode.
    ///
    /// If the path is not a plain file, for example a pipe, the data is written to it directly.
    ///
    /// - Throws: `POSIXError`; ``KithError`` with `forbidden` if the file's group could no longer read it.
    package func write(_ data: Data) throws {
        let file = FileIdentity(at: path)
        if let file, !file.isPlainFile {
            let descriptor = try checked(open(path, O_WRONLY | O_CLOEXEC))
            defer { close(descriptor) }
            return try AtomicFile.write(data, to: descriptor)
        }
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let new = try AtomicFile(in: place.deletingLastPathComponent().path)
        if let file { try new.resemble(file) }
        try new.write(data)
        try new.replace(place.lastPathComponent)
    }
}
