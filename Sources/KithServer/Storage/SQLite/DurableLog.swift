import Foundation
import KithModel
import Synchronization

/// Waits until the commits to a SQLite file are durable, which means that they survive a power failure.
///
/// With `PRAGMA synchronous = NORMAL`, SQLite writes a commit to its log (WAL), and does not wait for the disk. Others see the
/// commit from then on. Another thread waits until the disk has stored the log (`fdatasync`), while the next writes run. One
/// wait serves all commits that were written before it began. Whoever has made or seen a commit is answered when it is durable.
///
/// A disk that has once failed to store pages may forget them, and report success the next time. So after a failure nothing is
/// written or answered until the database is opened again, which copies the log to the file. So it is after a ``FileCheck`` has
/// found that the file is gone.
final class DurableLog: Sendable {
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "log")
    private let descriptor: CInt
    private let store: @Sendable (CInt) -> CInt

    /// - Parameters:
    ///   - path: The database file, which a connection has open with a log.
    ///   - store: Waits until the disk has stored an open file. Returns zero, or the number of an error.
    /// - Throws: ``ServerError`` with the code `busy` if the log cannot be opened.
    init(of path: String, store: (@Sendable (CInt) -> CInt)? = nil) throws {
        self.store = store ?? Self.store
        // SQLite deletes this file only when nobody has the database open.
        descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            let code = errno
            throw ServerError(
                .busy, "The log of the database, \(path)-wal, cannot be opened: \(Self.words(code)).",
                cause: DiskFailure(code: code))
        }
    }

    deinit { close(descriptor) }

    /// Runs `body`, the commit of the only connection that writes, and begins to wait for the disk.
    ///
    /// - Throws: What `body` throws, or ``ServerError`` with the code `busy` if the disk has failed before.
    func commit(_ body: () throws -> Void) throws {
        try state.withLock { try $0.begin() }
        do {
            try body()
        } catch {
            tell(state.withLock { $0.undo() })
            throw error
        }
        if state.withLock({ $0.write() }) { thread.async { self.storeAll() } }
    }

    /// Calls `tell` when everything that anybody may have seen until now is durable: at once if it is, otherwise on any thread.
    /// It receives an error if the disk has failed.
    func whenDurable(_ tell: @escaping @Sendable (ServerError?) -> Void) {
        self.tell(state.withLock { $0.add(tell) })
    }

    /// Returns when everything that anybody may have seen until now is durable.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the disk has failed.
    func wait() async throws {
        if state.withLock(\.isDurable) { return }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            whenDurable { failure in
                if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
            }
        }
    }

    /// Ends the use of the log: from now on nothing is written or answered. Whoever waits receives the error.
    func fail(_ failure: ServerError) { tell(state.withLock { $0.fail(failure) }) }

    /// Waits for the disk until it has stored all commits.
    private func storeAll() {
        while let commit = state.withLock({ $0.next() }) {
            let code = store(descriptor)
            tell(
                state.withLock { state in
                    code == 0 ? state.stored(upTo: commit) : state.fail(Self.failure(code))
                })
        }
    }

    private func tell(_ released: Released) {
        for waiting in released.waiting { waiting.tell(released.failure) }
    }

    private static func failure(_ code: CInt) -> ServerError {
        ServerError(
            .busy,
            """
            The server's disk has not stored the last changes: \(words(code)). Nothing is read or written until the server \
            is started again.
            """, cause: DiskFailure(code: code))
    }

    private static func words(_ code: CInt) -> String { String(cString: strerror(code)) }

    @Sendable private static func store(_ descriptor: CInt) -> CInt {
        while true {
            #if canImport(Darwin)
                // There, `fsync` does not flush the disk's own cache.
                let result = fcntl(descriptor, F_FULLFSYNC)
            #else
                let result = fdatasync(descriptor)
            #endif
            if result == 0 { return 0 }
            if errno != EINTR { return errno }
        }
    }
}

extension DurableLog {
    /// Who waits until a commit is durable.
    private struct Waiting {
        let commit: Int
        let tell: @Sendable (ServerError?) -> Void
    }

    /// The waiters to call now, and the disk's error.
    private typealias Released = (waiting: [Waiting], failure: ServerError?)

    /// How far the commits have come. They are counted from 1.
    private struct State {
        /// The last commit that anybody may have seen.
        private var begun = 0
        /// The last commit in the log. It follows the last one that has begun, unless that is just being written.
        private var written = 0
        /// The last commit that the disk has stored.
        private var durable = 0
        private var isStoring = false
        private var failure: ServerError?
        private var waiting: [Waiting] = []

        var isDurable: Bool { failure == nil && durable == begun }

        mutating func begin() throws {
            if let failure { throw failure }
            begun += 1
        }

        /// Notes that the commit is in the log. Returns whether the thread must begin to store it.
        mutating func write() -> Bool {
            written = begun
            defer { isStoring = true }
            return !isStoring
        }

        /// Notes that the commit was not made, and that nobody can have seen it.
        mutating func undo() -> Released {
            if durable == written { durable = begun }
            written = begun
            return ready(upTo: durable)
        }

        /// Adds somebody who waits until the last commit is durable.
        mutating func add(_ tell: @escaping @Sendable (ServerError?) -> Void) -> Released {
            waiting.append(Waiting(commit: begun, tell: tell))
            return ready(upTo: failure == nil ? durable : begun)
        }

        /// The last commit in the log, if the disk must store it; nil if the thread has nothing to do.
        mutating func next() -> Int? {
            isStoring = durable < written && failure == nil
            return isStoring ? written : nil
        }

        mutating func stored(upTo commit: Int) -> Released {
            durable = commit
            return ready(upTo: durable)
        }

        mutating func fail(_ failure: ServerError) -> Released {
            // The first failure is the cause of the others.
            if self.failure == nil { self.failure = failure }
            return ready(upTo: begun)
        }

        /// Removes the waiters for commits up to this one, and returns them.
        private mutating func ready(upTo commit: Int) -> Released {
            // They are in the order of their commits.
            let count = waiting.firstIndex { $0.commit > commit } ?? waiting.count
            defer { waiting.removeFirst(count) }
            return (Array(waiting.prefix(count)), failure)
        }
    }
}
