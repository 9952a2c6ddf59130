import Foundation
import Kith

/// The path of a file with all symbolic links resolved, and the folder that contains it.
func realPath(_ path: [CChar]) throws -> (path: [CChar], folder: String) {
    guard let resolved = realpath(path, nil) else { throw POSIXError.latest }
    defer { free(resolved) }
    let bytes = Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved)))
    let folder = bytes[..<(bytes.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) ?? 0)]
    return (bytes + [0], String(decoding: folder.map(UInt8.init(bitPattern:)), as: UTF8.self))
}

/// Returns when the entries of a folder are on the disk.
func synchronizeFolder(_ folder: String) throws {
    let descriptor = try checked(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    defer { close(descriptor) }
    try synchronize(descriptor)
}

func synchronize(_ descriptor: Int32) throws {
    #if canImport(Darwin)
        // On Darwin, fsync does not flush the disk's own cache.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    _ = try checked(fsync(descriptor))
}

/// Runs `body` while holding the lock of a folder, so that no other program that uses this lock runs at the same time.
/// Waits without blocking a thread.
///
/// - Throws: `POSIXError`, with `EWOULDBLOCK` after ten seconds; `CancellationError`; the errors of `body`.
func withLock<Result>(on folder: String, _ body: () async throws -> Result) async throws -> Result {
    let descriptor = try checked(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    // This also releases the lock.
    defer { close(descriptor) }
    for _ in 0..<1_000 {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return try await body() }
        // Some network file systems have no locks. The identity checks before each write still detect other writers.
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
            AtomicFile.removeAbandoned(in: folder, at: now())
            for _ in 0..<VCardFileSource.attempts {
                if let written = try await attempt() { return written }
            }
            throw KithError(.busy, "Other programs keep changing \(path), so nothing was \(verb). Try again.")
        }
    } catch let error as POSIXError {
        throw KithError(writing: path, error)
    }
}
