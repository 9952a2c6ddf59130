package import Foundation

/// What tells a file's content from any other that it had, without reading it.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    let size: Int
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    /// When the content, and when anything about it, last changed; in nanoseconds since 1970.
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

    /// What is at a path now, links followed; nil if nothing can be seen there.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What an entry of a folder is or leads to; nil if there is no such entry any more.
    ///
    /// - Throws: `POSIXError`; of a link that leads to nothing, `ENOENT`.
    init?(ofEntry path: [CChar]) throws {
        var status = stat()
        if stat(path, &status) != 0 {
            let error = POSIXError.latest
            if error.code == .ENOENT, lstat(path, &status) != 0 { return nil }
            throw error
        }
        self.init(status)
    }

    var isPlainFile: Bool { mode_t(mode) & S_IFMT == S_IFREG }

    /// Whether a later change is sure to show.
    ///
    /// File systems tell the time in steps, FAT in steps of 2 s. What was changed within the step in which it was read
    /// can change again and look the same; so until then it is read again.
    func isSettled(at now: Date) -> Bool {
        age(at: now) > 2
    }

    /// How long ago the file last changed, in seconds.
    func age(at now: Date) -> TimeInterval { now.timeIntervalSince1970 - Double(max(modified, changed)) / 1e9 }

    /// Whether the mode gives the file's group something else than it gives everyone.
    var groupMatters: Bool { mode >> 3 & 0o7 != mode & 0o7 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
