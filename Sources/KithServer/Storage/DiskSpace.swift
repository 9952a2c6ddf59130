import Foundation

/// The room on the disk that a file is on.
package enum DiskSpace {
    /// Which part of the disk is free for this process, from 0 to 1; nil if the system does not tell.
    package static func free(at path: String) -> Double? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let share = Double(status.f_bavail) / Double(status.f_blocks)
        // Some file systems have no blocks.
        return share.isFinite ? share : nil
    }
}
