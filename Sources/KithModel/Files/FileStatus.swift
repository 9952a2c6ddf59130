package import Foundation

/// What the system says of a file: which one it is, of which kind, who may use it, and when it has changed.
///
/// `stat` is read here only. In a module that also sees it through libdispatch, the compiler takes it for a part of that.
package struct FileStatus: Sendable {
    /// The file system, and the number of the file in it. Two names with the same identity lead to one file.
    package struct Identity: Hashable, Comparable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }

        /// An order that is the same in every program.
        package static func < (left: Self, right: Self) -> Bool {
            (left.device, left.inode) < (right.device, right.inode)
        }
    }

    package let identity: Identity
    /// The kind of the file, and the permissions.
    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32
    /// The number of bytes.
    package let size: Int
    /// The number of its names (hard links).
    package let names: Int
    /// The time of the last change of the content, in nanoseconds since 1970.
    package let modified: Int64
    /// The time of the last change of the metadata, in nanoseconds since 1970.
    package let changed: Int64

    /// Whether it is a regular file, and no folder or device.
    package var isPlainFile: Bool { mode_t(mode) & S_IFMT == S_IFREG }

    /// The file to which a path leads, with symbolic links followed.
    ///
    /// - Throws: `ENOENT` if there is none, or why it cannot be seen.
    package init(at path: String) throws(POSIXError) { try self.init(at: Array(path.utf8CString)) }

    /// The file to which a path leads, a C string, which need not be valid UTF-8.
    package init(at path: [CChar]) throws(POSIXError) {
        var status = stat()
        try self.init(stat(path, &status), status)
    }

    /// The file or symbolic link at a path.
    package init(ofLink path: String) throws(POSIXError) { try self.init(ofLink: Array(path.utf8CString)) }

    /// The file or symbolic link at a path, a C string.
    package init(ofLink path: [CChar]) throws(POSIXError) {
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
        self.init(status)
    }

    /// The file that the system has described.
    package init(_ status: stat) {
        identity = Identity(status)
        mode = UInt32(status.st_mode)
        (owner, group) = (status.st_uid, status.st_gid)
        (size, names) = (Int(status.st_size), Int(status.st_nlink))
        #if canImport(Darwin)
            (modified, changed) = (Self.nanoseconds(status.st_mtimespec), Self.nanoseconds(status.st_ctimespec))
        #else
            (modified, changed) = (Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim))
        #endif
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
