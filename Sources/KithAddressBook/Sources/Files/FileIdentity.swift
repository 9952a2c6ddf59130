package import Foundation

/// Metadata that tells a version of a file from every other version, without reading the file.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    let size: Int
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    /// The times of the last change of the content (`modified`) and of the metadata (`changed`), in nanoseconds since
    /// 1970.
    private let modified: Int64
    private let changed: Int64

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
        mode = UInt32(status.st_mode)
        (owner, group) = (status.st_uid, status.st_gid)
        #if canImport(Darwin)
            (modified, changed) = (Self.nanoseconds(status.st_mtimespec), Self.nanoseconds(status.st_ctimespec))
        #else
            (modified, changed) = (Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim))
        #endif
    }

    /// The file at a path, with symbolic links followed; nil if it cannot be seen.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file that an entry of a folder is or links to; nil if the entry no longer exists.
    ///
    /// - Throws: `POSIXError`; `ENOENT` for a broken link.
    init?(ofEntry path: [CChar]) throws {
        var status = stat()
        if stat(path, &status) != 0 {
            let error = POSIXError.latest
            if error.code == .ENOENT, lstat(path, &status) != 0 { return nil }
            throw error
        }
        self.init(status)
    }

    package var isPlainFile: Bool { mode_t(mode) & S_IFMT == S_IFREG }

    /// Whether every later change will also change this identity.
    ///
    /// File systems store times in steps, FAT in steps of 2 s. A file that changed in the same step in which it was
    /// read can change again and look the same, so it is read again until that step is over.
    func isSettled(at now: Date) -> Bool {
        age(at: now) > 2
    }

    /// How long ago the file last changed, in seconds.
    func age(at now: Date) -> TimeInterval { now.timeIntervalSince1970 - Double(max(modified, changed)) / 1e9 }

    /// Whether the mode gives the file's group other rights than everyone.
    var groupMatters: Bool { mode >> 3 & 0o7 != mode & 0o7 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
