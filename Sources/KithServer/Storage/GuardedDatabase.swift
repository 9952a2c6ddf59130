import KithModel
import Logging
import Synchronization

/// A database that refuses writes while its disk is nearly full, and knows whether writes succeed, and whether it is damaged or
/// its file was moved. Reads are affected only if the file was moved.
///
/// A wrapper of ``WriteHealth``.
final class GuardedDatabase: Database {
    private let database: any Database
    private let clock: ServerClock
    private let logger: Logger
    /// Measures the free part of the disk; nil if it is unknown. Throws if the database is not there any more.
    private let freeDisk: @Sendable () throws -> Double?
    /// Whether other servers use it, too.
    private let isShared: Bool
    private let health: Mutex<WriteHealth>

    init(
        _ database: any Database, isShared: Bool, freeDisk needed: Int, clock: ServerClock, logger: Logger,
        measure: @escaping @Sendable () throws -> Double?
    ) {
        self.database = database
        self.isShared = isShared
        self.clock = clock
        self.logger = logger
        freeDisk = measure
        health = Mutex(WriteHealth(freeDisk: needed))
    }

    var server: ServerID { database.server }
    var hasSeveralWriters: Bool { database.hasSeveralWriters }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        if mode.isWrite { try checkDisk() }
        do {
            try await database.perform(work, as: mode)
            if mode.isWrite { note { $0.succeeded(at: $1) } }
        } catch {
            // The error of one write alone says nothing about other writes. If a read finds no database, neither do they.
            if let error = error as? ServerError, let failure = Self.failure(error), failure.kind.isLasting,
                mode.isWrite || failure.kind.isUnreachable
            {
                note(because: failure) {
                    $0.failed(because: error.sentence, onFullDisk: failure.kind.isFullDisk, at: $1)
                }
            }
            notice(error)
            throw error
        }
    }

    func waitUntilDurable() async throws { try await database.waitUntilDurable() }

    /// The database for background jobs. It reports damage and a moved file as this one does, but accepts writes while the disk is
    /// nearly full: some of them make room, and the others are few.
    var forJobs: any Database { JobDatabase(guarded: self) }

    private struct JobDatabase: Database {
        let guarded: GuardedDatabase

        var server: ServerID { guarded.server }
        var hasSeveralWriters: Bool { guarded.hasSeveralWriters }

        func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
            do {
                try await guarded.database.perform(work, as: mode)
            } catch {
                guarded.notice(error)
                throw error
            }
        }

        func waitUntilDurable() async throws { try await guarded.waitUntilDurable() }
    }

    private static func failure(_ error: any Error) -> (any DatabaseFailure)? {
        (error as? ServerError)?.cause as? any DatabaseFailure
    }

    /// Notes whether an error shows that the database is damaged or was moved.
    private func notice(_ error: any Error) {
        guard let failure = Self.failure(error) else { return }
        switch failure.kind {
        case .damagedFile: notice(.stopping, failure)
        // All servers that share the database find the same record damaged. If that stopped them, no device would have one.
        case .damagedRecord: notice(isShared ? .tolerated : .stopping, failure)
        case .moved:
            guard health.withLock({ $0.foundMoved() }) else { return }
            logger.critical(
                "The database file was moved or replaced. Put it back, and start the server again.",
                metadata: ["reason": "\(failure)"])
        case .passing, .unreachable, .unwritable, .fullDisk: break
        }
    }

    private func notice(_ damage: WriteHealth.Damage, _ failure: any DatabaseFailure) {
        guard health.withLock({ $0.found(damage) }) else { return }
        logger.critical("The database is damaged. Restore a backup.", metadata: ["reason": "\(failure)"])
    }

    /// Checks that no damage was found that stops the server, and that writes succeed. If that is not known, it performs a
    /// write that changes nothing.
    ///
    /// - Throws: ``ServerError`` with the code `busy` and the reason if they do not.
    func checkThatWritesSucceed() async throws {
        try checkDisk()
        guard health.withLock(\.damage) < .stopping else {
            throw ServerError(.busy, "The server's database is damaged. Restore a backup.", retryAfter: .seconds(60))
        }
        if let reason = health.withLock({ $0.fullDisk(at: clock.uptime()) }) {
            throw ServerError(.busy, reason, retryAfter: WriteHealth.full)
        }
        guard health.withLock({ $0.needsProbe(at: clock.uptime()) }) else { return }
        try await write { try $0.execute("UPDATE meta SET value = value WHERE name = ?", [.text(Meta.versionName)]) }
    }

    private func checkDisk() throws {
        var failure: (any Error)?
        note { health, now in
            guard health.needsMeasure(at: now) else { return }
            do { health.measured(try self.freeDisk(), at: now) } catch { failure = error }
        }
        if let failure {
            notice(failure)
            throw failure
        }
        guard let reason = health.withLock({ $0.isFull ? $0.reason : nil }) else { return }
        throw ServerError(.busy, "\(reason) Nothing was changed; try again later.", retryAfter: .seconds(60))
    }

    /// Whether the log says that writes fail, and not yet that they succeed again, or that the file was moved.
    var isFailing: Bool { health.withLock { $0.reason != nil || $0.isMoved } }

    /// Updates the state. Logs once when writes begin to fail, and why, and once when they succeed again.
    private func note(
        because failure: (any DatabaseFailure)? = nil, _ change: (inout WriteHealth, Duration) -> Void
    ) {
        let now = clock.uptime()
        let (before, after) = health.withLock { health in
            let before = health.reason
            change(&health, now)
            return (before, health.reason)
        }
        if (before == nil) == (after == nil) { return }
        if let after {
            var details: Logger.Metadata = ["reason": "\(after)"]
            if let failure { details["cause"] = "\(failure)" }
            logger.error("Writes fail.", metadata: details)
        } else {
            logger.notice("Writes succeed again.")
        }
    }
}
