package import Foundation

/// What the system says of a file: which one it is, and of which kind.
///
/// `stat` is read here only. In a module that also sees it through libdispatch, the compiler takes it for a part of that.
package struct FileStatus: Sendable {
    /// The file system, and the number of the file in it. Two names with the same identity lead to one file.
    package struct Identity: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    package let identity: Identity
    /// Whether it is a regular file, and no folder or device.
    package let isPlainFile: Bool
    /// The number of bytes.
    package let size: Int
    /// The number of its names (hard links).
    package let names: Int

    /// The file to which a path leads, with symbolic links followed.
    ///
    /// - Throws: `ENOENT` if there is none, or why it cannot be seen.
    package init(at path: String) throws(POSIXError) {
        var status = stat()
        try self.init(stat(path, &status), status)
    }

    /// The file or symbolic link at a path.
    package init(ofLink path: String) throws(POSIXError) {
        var status = stat()
        try self.init(lstat(path, &status), status)
    }

    /// An open file.
    package init(of descriptor: CInt) throws(POSIXError) {
        var status = stat()
        try self.init(fstat(descriptor, &status), status)
    }

    private init(_ result: CInt, _ status: stat) throws(POSIXError) {
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        identity = Identity(status)
        isPlainFile = status.st_mode & S_IFMT == S_IFREG
        (size, names) = (Int(status.st_size), Int(status.st_nlink))
    }
}
