import KithModel
import Logging
import Synchronization

/// A database that refuses writes while its disk is nearly full, and knows whether writes succeed. Reads are not
/// affected.
///
/// A wrapper of ``WriteHealth``.
final class WritableDatabase: Database {
    private let database: any Database
    private let clock: ServerClock
    private let logger: Logger
    /// Measures the free part of the disk; nil if it is unknown.
    private let freeDisk: @Sendable () -> Double?
    private let health: Mutex<WriteHealth>

    init(
        _ database: any Database, freeDisk needed: Int, clock: ServerClock, logger: Logger,
        measure: @escaping @Sendable () -> Double?
    ) {
        self.database = database
        self.clock = clock
        self.logger = logger
        freeDisk = measure
        health = Mutex(WriteHealth(freeDisk: needed))
    }

    var server: ServerID { database.server }
    var hasTurns: Bool { database.hasTurns }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await write(inTurn: nil, body)
    }

    func write<T: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T
    ) async throws -> T {
        try await watching { try await database.write(inTurn: turn, body) }
    }

    func write<T: Sendable, Value: Sendable>(
        inTurn turn: FeedTurn?, _ body: @escaping @Sendable (any Transaction) throws -> T,
        thenRead read: @escaping @Sendable (T, any Transaction) throws -> Value
    ) async throws -> (written: T, read: Result<Value, any Error>) {
        try await watching { try await database.write(inTurn: turn, body, thenRead: read) }
    }

    /// Writes, and notes whether it succeeds.
    private func watching<T>(_ write: () async throws -> T) async throws -> T {
        try checkDisk()
        do {
            let value = try await write()
            note { $0.wrote(nil, at: $1) }
            return value
        } catch {
            // The error of one write alone says nothing about other writes.
            if let failure = (error as? ServerError)?.cause as? any DatabaseFailure, failure.isLasting {
                note { $0.wrote((error as? ServerError)?.sentence, at: $1) }
            }
            throw error
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func peek<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.peek(body)
    }

    func check<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.check(body)
    }

    func waitUntilDurable() async throws { try await database.waitUntilDurable() }

    /// Checks that writes succeed. If that is not known, it performs a write that changes nothing.
    ///
    /// - Throws: ``ServerError`` with the code `busy` and the reason if they do not.
    func checkThatWritesSucceed() async throws {
        try checkDisk()
        guard health.withLock({ $0.needsProbe(at: clock.uptime()) }) else { return }
        try await write { try $0.execute("UPDATE meta SET value = value WHERE name = ?", [.text(Meta.versionName)]) }
    }

    private func checkDisk() throws {
        note { health, now in
            if health.needsMeasure(at: now) { health.measured(self.freeDisk(), at: now) }
        }
        guard let reason = health.withLock({ $0.isFull ? $0.reason : nil }) else { return }
        throw ServerError(.busy, "\(reason) Nothing was changed; try again later.", retryAfter: .seconds(60))
    }

    /// Updates the state. Logs once when writes begin to fail, and once when they succeed again.
    private func note(_ change: (inout WriteHealth, Duration) -> Void) {
        let now = clock.uptime()
        let (before, after) = health.withLock { health in
            let before = health.reason
            change(&health, now)
            return (before, health.reason)
        }
        if (before == nil) == (after == nil) { return }
        if let after {
            logger.error("Writes fail.", metadata: ["reason": "\(after)"])
        } else {
            logger.notice("Writes succeed again.")
        }
    }
}
