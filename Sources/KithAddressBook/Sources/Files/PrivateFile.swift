package import Foundation

/// A file of one's own, such as a copy of the whole address book: a new one is nobody else's to read.
package struct PrivateFile: Sendable {
    private let path: String

    /// The file at `path`, or to which a link there leads.
    package init(_ path: String) { self.path = path }

    /// Puts `data` in the place of what the file holds, whole or not at all. A file that is there keeps its mode.
    ///
    /// What is no plain file, such as a pipe, is written to.
    ///
    /// - Throws: `POSIXError`; ``KithError`` with `forbidden` if the file's group would be locked out.
    package func write(_ data: Data) throws {
        let file = FileIdentity(at: path)
        if let file, !file.isPlainFile {
            let descriptor = try checked(open(path, O_WRONLY | O_CLOEXEC))
            defer { close(descriptor) }
            return try FileInMaking.write(data, to: descriptor)
        }
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let new = try FileInMaking(in: place.deletingLastPathComponent().path)
        if let file { try new.resemble(file) }
        try new.write(data)
        try new.replace(place.lastPathComponent)
    }
}
