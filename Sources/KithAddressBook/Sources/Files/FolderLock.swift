import Foundation
import Kith

/// The place of a file with all links followed, and the folder that it is in.
func realPath(_ path: [CChar]) throws -> (path: [CChar], folder: String) {
    guard let resolved = realpath(path, nil) else { throw POSIXError.latest }
    defer { free(resolved) }
    let bytes = Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved)))
    let folder = bytes[..<(bytes.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) ?? 0)]
    return (bytes + [0], String(decoding: folder.map(UInt8.init(bitPattern:)), as: UTF8.self))
}

/// Returns when the names in a folder are on the disk.
func synchronizeFolder(_ folder: String) throws {
    let descriptor = try checked(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    defer { close(descriptor) }
    try synchronize(descriptor)
}

func synchronize(_ descriptor: Int32) throws {
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
        // Where a disk has no locks, as some on a network, what is left is to look twice whether others have written.
        if [EBADF, ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) { return try await body() }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw POSIXError.latest }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw POSIXError(.EWOULDBLOCK)
}

/// Calls `attempt`, which writes to a file or folder of cards, under the lock of `folder`.
///
/// If another program has changed the file in the meantime, `attempt` returns nil. It is then called again, a few
/// times. `now` is called once the lock is taken.
///
/// - Throws: ``KithError`` with `busy` if other programs keep changing the file, and if `path` cannot be written; what
///   `attempt` throws.
func tryWriting<Written>(
    to path: String, in folder: String, at now: () -> Date, verb: String = "written",
    _ attempt: () async throws -> Written?
) async throws -> Written {
    do {
        return try await withLock(on: folder) {
            FileInMaking.removeAbandoned(in: folder, at: now())
            for _ in 0..<VCardFileSource.attempts {
                if let written = try await attempt() { return written }
            }
            throw KithError(.busy, "Other programs keep changing \(path), so nothing was \(verb). Try again.")
        }
    } catch let error as POSIXError {
        throw KithError(writing: path, error)
    }
}
