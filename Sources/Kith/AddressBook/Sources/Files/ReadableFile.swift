import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that is open for reading. It closes itself.
struct ReadableFile: ~Copyable {
    private let descriptor: Int32
    /// The file as it was when it was opened.
    let identity: FileIdentity

    /// - Throws: `POSIXError`. What is no plain file, such as a pipe that would keep us waiting, is `EISDIR`.
    init(_ path: String) throws { try self.init(Array(path.utf8CString)) }

    /// The file at a path that may be no text, a zero at its end.
    init(_ path: [CChar]) throws {
        let descriptor = try checked(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
        do {
            var status = stat()
            _ = try checked(fstat(descriptor, &status))
            guard status.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EISDIR) }
            identity = FileIdentity(status)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The next bytes, as many as `count` if there are so many; none at the end.
    func read(_ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            repeat { filled = Self.read(descriptor, buffer) } while filled < 0 && errno == EINTR
            if filled < 0 {
                filled = 0
                throw POSIXError.latest
            }
        }
    }

    /// The bytes at these offsets; fewer if the file ends before.
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + filled))
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else {
                    let error = POSIXError.latest
                    filled = 0
                    throw error
                }
                if count == 0 { return }
                filled += count
            }
        }
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #else
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}

/// What tells a file's content from any other that it had, without reading it.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    let size: Int
    let mode: UInt32
    let owner: UInt32
    let group: UInt32
    /// When the content, and when anything about it, last changed; in nanoseconds since 1970.
    private let modified: Int64
    private let changed: Int64

    init(_ status: stat) {
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
    /// can change again and look the same; so until then it is read anew.
    func isSettled(at now: Date) -> Bool {
        let age = now.timeIntervalSince1970 - Double(max(modified, changed)) / 1e9
        return age > 2
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension POSIXError {
    /// What the last system call failed with.
    static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

/// The result of a system call, or what it failed with.
func checked(_ call: @autoclosure () -> Int32) throws -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw POSIXError.latest }
    }
}
