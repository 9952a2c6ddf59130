package import Foundation
import Kith
import KithCards

/// A file that appears under its name whole and on the disk, or not at all.
///
/// It is written beside its place under a hidden name, which every reader of vCards passes over. A crash, a kill or a
/// power cut leaves what was there before and at most that hidden file. What is not put in its place is taken away.
package struct FileInMaking: ~Copyable {
    private let folder: String
    private let hidden: String
    private let descriptor: Int32

    /// Nobody else's to read.
    package static let privateMode: mode_t = 0o600
    /// As the user has it for new files: the umask takes off what it should not have.
    static let usualMode: mode_t = 0o666

    /// - Throws: `POSIXError` if the folder takes no new file.
    package init(in folder: String, mode: mode_t = privateMode) throws {
        self.folder = folder
        hidden = folder + "/" + Self.prefix + UUID().uuidString + Self.suffix
        descriptor = try checked(open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode))
    }

    deinit {
        close(descriptor)
        unlink(hidden)
    }

    /// Adds bytes at the end.
    package func write(_ bytes: some Collection<UInt8>) throws {
        try Self.write(bytes, to: descriptor)
    }

    /// Writes bytes to an open file, all of them.
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

    /// How many bytes of cards are read at once.
    private static let piece = 1 << 20

    /// Calls `body` with each card that a reader finds, from the start of one of them on.
    func forEachCard(from start: Int = 0, _ body: (VCard) -> Void) throws {
        var reader = VCardReader()
        var place = start
        while case let bytes = try self.bytes(place..<place + Self.piece), !bytes.isEmpty {
            reader.feed(bytes) { if case .card(let card) = $0 { body(card) } }
            place += bytes.count
        }
        reader.finish { if case .card(let card) = $0 { body(card) } }
    }

    /// Changes the owner and the group of an open file; `unchanged` leaves one as it is.
    package typealias ChangeOwner = (_ descriptor: Int32, _ owner: uid_t, _ group: gid_t) -> Int32
    private static let unchanged = uid_t.max

    /// Gives it the owner, the group and the mode of the file whose place it takes.
    ///
    /// Only root can give a file to somebody else. To others the file is theirs from now on; who had it reads it as before
    /// by the group, which therefore has to stay.
    ///
    /// - Throws: ``KithError`` with `forbidden` if members of the group could no longer read it, or strangers could.
    package func resemble(_ file: FileIdentity, changeOwner: ChangeOwner = fchown) throws {
        var status = stat()
        _ = try checked(fstat(descriptor, &status))
        let own = FileIdentity(status)
        // One by one: who may not give the owner may well give the group.
        if own.group != file.group, changeOwner(descriptor, Self.unchanged, file.group) != 0, file.groupMatters {
            throw KithError(
                .forbidden,
                "The file belongs to a group that you are not in, and whose members could no longer read it. Nothing was "
                    + "written. Ask one of them to do it, or give the file another group (chgrp).")
        }
        if own.owner != file.owner { _ = changeOwner(descriptor, file.owner, Self.unchanged) }
        _ = try checked(fchmod(descriptor, mode_t(file.mode) & 0o7777))
    }

    /// Puts it in the place of the file of this name.
    package consuming func replace(_ name: String) throws { try replace(Array((folder + "/" + name).utf8CString)) }

    /// Puts it in the place of the file at this path in the same folder, a zero at its end.
    consuming func replace(_ path: [CChar]) throws {
        try synchronize(descriptor)
        _ = try checked(rename(hidden, path))
        try synchronizeFolder(folder)
    }

    /// Puts it under this name, unless there is a file of that name.
    ///
    /// - Returns: Whether it is there now; for good once the folder is synchronized.
    func place(_ name: String) throws -> Bool {
        try synchronize(descriptor)
        do {
            _ = try checked(link(hidden, folder + "/" + name))
        } catch let error as POSIXError where error.code == .EEXIST {
            return false
        } catch let error as POSIXError where [EPERM, ENOTSUP, EOPNOTSUPP].contains(error.code.rawValue) {
            // A file system without links, such as FAT.
            if access(folder + "/" + name, F_OK) == 0 { return false }
            _ = try checked(rename(hidden, folder + "/" + name))
        }
        return true
    }
}

extension FileInMaking {
    fileprivate static let prefix = ".kith-"
    fileprivate static let suffix = ".tmp"

    /// How old a hidden file is of which nobody is making anything any more: no write takes that long.
    package static let abandonedAge: TimeInterval = 60 * 60

    /// Takes away what was left in a folder by programs that were killed.
    ///
    /// - Important: Under the folder's lock.
    static func removeAbandoned(in folder: String, at now: Date) {
        // What cannot be taken away harms nobody.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = folder + "/" + name
            if let file = FileIdentity(at: path), file.isPlainFile, file.age(at: now) > abandonedAge { unlink(path) }
        }
    }
}

/// Calls `write` once, outside of the type, whose methods have the same name.
private func writeOnce(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    // A call writes 1 MiB at most, so that its result fits.
    write(descriptor, bytes.baseAddress, min(bytes.count, 1 << 20))
}
