import Foundation

/// The room on the disk that a file is on.
enum DiskSpace {
    /// Which part of the disk is free for this process, from 0 to 1; nil if the system does not tell.
    static func free(at path: String) -> Double? {
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        return Double(status.f_bavail) / Double(status.f_blocks)
    }
}
