package import Foundation
import Kith
import KithCards
import KithModel

/// A temporary file that gets its final name only when it is completely written to the disk.
///
/// It has a hidden name in the same folder, which every reader of vCards ignores. After a crash, a kill or a power cut,
/// the old file is unchanged, and at most the hidden file is left over. A file that never gets its final name is
/// deleted.
package struct AtomicFile: ~Copyable {
    private let folder: String
    private let hidden: String
    private let descriptor: Int32

    /// Readable only by the owner.
    package static let privateMode: mode_t = 0o600
    /// The usual mode of new files, which the umask then restricts.
    static let usualMode: mode_t = 0o666

    /// - Throws: `POSIXError` if no file can be created in the folder.
    package init(in folder: String, mode: mode_t = privateMode) throws {
        self.folder = folder
        hidden = folder + "/" + Self.prefix + UUID().uuidString + Self.suffix
        descriptor = try checked(open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode))
    }

    deinit {
        close(descriptor)
        unlink(hidden)
    }

    /// Appends bytes.
    package func write(_ bytes: some Collection<UInt8>) throws {
        try Self.write(bytes, to: descriptor)
    }

    /// Writes all of the bytes to an open file.
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) throws {
        let done: Void? = try bytes.withContiguousStorageIfAvailable { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = try checked(Int32(writeOnce(rest, to: descriptor)))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(written)))
            }
        }
        if done == nil { try write(Array(bytes), to: descriptor) }
    }

    /// The bytes at these offsets; fewer if the file ends before.
    func bytes(_ range: Range<Int>) throws -> [UInt8] { try ReadableFile.bytes(range, of: descriptor) }

    /// How many bytes are read at once.
    private static let piece = 1 << 20

    /// Calls `body` with each card that a reader finds. `start` is the offset of a card.
    func forEachCard(from start: Int = 0, _ body: (VCard) -> Void) throws {
        var reader = VCardReader()
        var place = start
        while case let bytes = try self.bytes(place..<place + Self.piece), !bytes.isEmpty {
            reader.feed(bytes) { if case .card(let card) = $0 { body(card) } }
            place += bytes.count
        }
        reader.finish { if case .card(let card) = $0 { body(card) } }
    }

    /// Changes the owner and the group of an open file. The value `unchanged` keeps the owner or the group.
    package typealias ChangeOwner = (_ descriptor: Int32, _ owner: uid_t, _ group: gid_t) -> Int32
    private static let unchanged = uid_t.max

    /// Gives the file the owner, the group and the mode of the file that it replaces.
    ///
    /// Only root can give a file to another user; otherwise the new file belongs to the current user. The former owner
    /// can then read it only as a member of the group, so the group must stay the same.
    ///
    /// - Throws: ``KithError`` with `forbidden` if members of the group could no longer read it, or strangers could.
    package func resemble(_ file: FileIdentity, changeOwner: ChangeOwner = fchown) throws {
        let own = try FileStatus(of: descriptor)
        // Two separate calls, because a user who may not change the owner may still change the group.
        if own.group != file.group, changeOwner(descriptor, Self.unchanged, file.group) != 0, file.groupMatters {
            throw KithError(
                .forbidden,
                "The file belongs to a group that you are not in, and whose members could no longer read it. Nothing was "
                    + "written. Ask one of them to do it, or give the file another group (chgrp).")
        }
        if own.owner != file.owner { _ = changeOwner(descriptor, file.owner, Self.unchanged) }
        _ = try checked(fchmod(descriptor, mode_t(file.mode) & 0o7777))
    }

    /// Replaces the file of this name.
    package consuming func replace(_ name: String) throws {
        _ = try replace(Array((folder + "/" + name).utf8CString)) { true }
    }

    /// Replaces the file at this path, a C string, in the same folder, if `isCurrent` says so.
    ///
    /// `isCurrent` is asked when the new file is on the disk, directly before the new file takes its place.
    consuming func replace(_ path: [CChar], if isCurrent: () throws -> Bool) throws -> Bool {
        try synchronize(descriptor)
        guard try isCurrent() else { return false }
        _ = try checked(rename(hidden, path))
        try synchronizeFolder(folder)
        return true
    }

    /// Gives the file this name, unless another file has it.
    ///
    /// - Returns: Whether the file has the name now. The name survives a power cut once the folder is synchronized.
    func place(_ name: String) throws -> Bool {
        try synchronize(descriptor)
        do {
            _ = try checked(link(hidden, folder + "/" + name))
        } catch let error as POSIXError where error.code == .EEXIST {
            return false
        } catch let error as POSIXError where [EPERM, ENOTSUP, EOPNOTSUPP].contains(error.code.rawValue) {
            // A file system without hard links, such as FAT.
            if access(folder + "/" + name, F_OK) == 0 { return false }
            _ = try checked(rename(hidden, folder + "/" + name))
        }
        return true
    }
}

extension AtomicFile {
    fileprivate static let prefix = ".kith-"
    fileprivate static let suffix = ".tmp"

    /// The age after which a hidden file counts as abandoned. No write takes that long.
    package static let abandonedAge: TimeInterval = 60 * 60

    /// Deletes the hidden files that killed programs have left in a folder.
    ///
    /// - Important: Call this only while holding the folder's lock.
    static func removeAbandoned(in folder: String, at now: Date) {
        // Errors are ignored: a hidden file that cannot be deleted does no harm.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = folder + "/" + name
            if let file = FileIdentity(at: path), file.isPlainFile, file.age(at: now) > abandonedAge { unlink(path) }
        }
    }
}

/// Calls `write` once. It is outside of the type, because methods of the type have the same name.
private func writeOnce(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    // A call writes 1 MiB at most, so that its result fits.
    write(descriptor, bytes.baseAddress, min(bytes.count, 1 << 20))
}
