import Foundation
import Kith
import KithModel

/// Returns when the entries of a folder are on the disk.
func synchronizeFolder(_ folder: String) throws {
    let descriptor = try openFolder(folder)
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

/// Runs `body` while holding the locks of folders, so that no other program that uses these locks runs at the same time.
/// Waits without blocking a thread.
///
/// Every program takes the locks in the same order, by device and inode, so that two of them never wait for each other.
/// Several paths of one folder count as one, also if one is a mount of the other.
///
/// - Throws: `POSIXError`, with `EWOULDBLOCK` after ten seconds; `CancellationError`; the errors of `body`.
func withLock<Result>(on folders: [String], _ body: () async throws -> Result) async throws -> Result {
    var open: [FileStatus.Identity: Int32] = [:]
    // This also releases the locks.
    defer { for descriptor in open.values { close(descriptor) } }
    for folder in folders {
        let descriptor = try openFolder(folder)
        do {
            let identity = try FileStatus(of: descriptor).identity
            if let same = open.updateValue(descriptor, forKey: identity) { close(same) }
        } catch {
            close(descriptor)
            throw error
        }
    }
    var attempts = 1_000
    for (_, descriptor) in open.sorted(by: { $0.key < $1.key }) { try await lock(descriptor, &attempts) }
    return try await body()
}

/// Locks an open folder. Tries it every 10 ms, `attempts` times at most, which counts down.
private func lock(_ descriptor: Int32, _ attempts: inout Int) async throws {
    while attempts > 0 {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
        // Some network file systems have no locks. The identity checks before each write still detect other writers.
        if [EBADF, ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) { return }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw POSIXError.latest }
        attempts -= 1
        try await Task.sleep(for: .milliseconds(10))
    }
    throw POSIXError(.EWOULDBLOCK)
}

private func openFolder(_ folder: String) throws -> Int32 {
    try checked(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
}

/// Calls `attempt`, which writes to a file or folder of cards, under the locks of `folders`.
///
/// If another program has changed the file in the meantime, `attempt` returns nil. The place is then found and locked
/// again, and `attempt` is called again, a few times. `now` is called once the locks are taken.
///
/// `place` finds the file that is written to, and the folders to lock: that of the file, and that of the source. A link can
/// lead to another file at the next attempt.
///
/// - Throws: ``KithError`` with `busy` if other programs keep changing the file, and if `path` cannot be written; what
///   `attempt` throws.
func tryWriting<Place, Written>(
    to path: String, at now: () -> Date, verb: String = "written",
    finding place: () throws -> (file: Place, folders: [String]), _ attempt: (Place) async throws -> Written?
) async throws -> Written {
    do {
        for _ in 0..<VCardFileSource.attempts {
            let (file, folders) = try place()
            let written = try await withLock(on: folders) {
                for folder in folders { AtomicFile.removeAbandoned(in: folder, at: now()) }
                return try await attempt(file)
            }
            if let written { return written }
        }
        throw KithError(.busy, "Other programs keep changing \(path), so nothing was \(verb). Try again.")
    } catch let error as POSIXError {
        throw KithError(writing: path, error)
    }
}
