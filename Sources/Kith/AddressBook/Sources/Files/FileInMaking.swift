import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that appears under its name whole and on the disk, or not at all.
///
/// It is written beside its place under a hidden name, which every reader of vCards passes over. A crash, a kill or a
/// power cut leaves what was there before and at most that hidden file. What is not put in its place is taken away.
struct FileInMaking: ~Copyable {
    private let folder: String
    private let hidden: String
    private let descriptor: Int32

    /// - Throws: `POSIXError` if the folder takes no new file.
    init(in folder: String) throws {
        self.folder = folder
        hidden = folder + "/.kith-\(UUID().uuidString).tmp"
        descriptor = try checked(open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    }

    deinit {
        close(descriptor)
        unlink(hidden)
    }

    /// Adds bytes at the end.
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                written += Int(try checked(Int32(Self.write(descriptor, rest))))
            }
        }
    }

    /// Gives it the mode, and where we may the owner, of the file whose place it takes.
    func resemble(_ file: FileIdentity) throws {
        _ = fchown(descriptor, file.owner, file.group)
        _ = try checked(fchmod(descriptor, mode_t(file.mode) & 0o7777))
    }

    /// Puts it in the place of the file of this name.
    consuming func replace(_ name: String) throws {
        try synchronize(descriptor)
        _ = try checked(rename(hidden, folder + "/" + name))
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

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        // A call writes 1 MiB at most, so that its result fits.
        let count = min(bytes.count, 1 << 20)
        #if canImport(Darwin)
            return Darwin.write(descriptor, bytes.baseAddress, count)
        #elseif canImport(Musl)
            return Musl.write(descriptor, bytes.baseAddress, count)
        #else
            return Glibc.write(descriptor, bytes.baseAddress, count)
        #endif
    }
}

/// Returns when the names in a folder are on the disk.
func synchronizeFolder(_ folder: String) throws {
    let descriptor = try checked(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    defer { close(descriptor) }
    try synchronize(descriptor)
}

private func synchronize(_ descriptor: Int32) throws {
    #if canImport(Darwin)
        // There, fsync leaves the disk's own cache alone.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    _ = try checked(fsync(descriptor))
}

/// Does something while no other program of ours does the like in the folder. Waits without holding up a thread.
///
/// - Throws: `POSIXError`, with `EWOULDBLOCK` after ten seconds; `CancellationError`; what `body` throws.
func withLock<Result>(on folder: String, _ body: () async throws -> Result) async throws -> Result {
    let descriptor = try checked(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    // It ends the lock, too.
    defer { close(descriptor) }
    for _ in 0..<1_000 {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return try await body() }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw POSIXError.latest }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw POSIXError(.EWOULDBLOCK)
}
