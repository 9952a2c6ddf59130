import Foundation
package import KithModel

/// Metadata that tells a version of a file from every other version, without reading the file.
package struct FileIdentity: Hashable, Sendable {
    private let file: FileStatus.Identity
    let size: Int
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    private let modified: Int64
    private let changed: Int64
    package let isPlainFile: Bool

    package init(_ status: FileStatus) {
        (file, size, isPlainFile) = (status.identity, status.size, status.isPlainFile)
        (mode, owner, group) = (status.mode, status.owner, status.group)
        (modified, changed) = (status.modified, status.changed)
    }

    /// The file at a path, with symbolic links followed; nil if it cannot be seen.
    package init?(at path: String) {
        guard let status = try? FileStatus(at: path) else { return nil }
        self.init(status)
    }

    /// The file that an entry of a folder is or links to; nil if the entry no longer exists.
    ///
    /// - Throws: `POSIXError`; `ENOENT` for a broken link.
    init?(ofEntry path: [CChar]) throws {
        let status: FileStatus
        do throws(POSIXError) {
            status = try FileStatus(at: path)
        } catch {
            if error.code == .ENOENT, (try? FileStatus(ofLink: path)) == nil { return nil }
            throw error
        }
        self.init(status)
    }

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
}
