import Foundation

/// The free space of the disk that contains a file.
package enum DiskSpace {
    /// The part of the disk that is free for this process, from 0 to 1; nil if the system does not report it.
    package static func free(at path: String) -> Double? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let share = Double(status.f_bavail) / Double(status.f_blocks)
        // Some file systems have no blocks.
        return share.isFinite ? share : nil
    }
}
