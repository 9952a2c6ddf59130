import Foundation
import KithModel
import Synchronization

/// Runs transactions on one connection. It belongs to one thread.
///
/// It opens the connection when the first transaction needs it, and again after it was lost.
final class PostgresWorker {
    /// How often a transaction is run that meets others.
    private static let attempts = 6

    private let address: PostgresAddress
    private let settings: PostgresSettings
    private let backoff: Backoff
    private var connection: PostgresConnection?

    /// The common state of all workers about new connections.
    final class Backoff: Sendable {
        let state = Mutex(PostgresBackoff())
    }

    init(_ address: PostgresAddress, _ settings: PostgresSettings, _ backoff: Backoff) {
        self.address = address
        self.settings = settings
        self.backoff = backoff
    }

    /// Runs a transaction, or several writes in a common one, and answers those that have ended.
    ///
    /// - Returns: The writes that still have to run: those for which the common transaction had no time, and, without
    ///   their turn, those that could not share it.
    func perform(_ jobs: [PostgresJob]) -> [PostgresJob] {
        do {
            return try repeating { try jobs.count > 1 ? runJoined(jobs) : jobs.flatMap(run) }
        } catch {
            for job in jobs { job.work.answer(error) }
            return []
        }
    }

    /// Runs `body`, and again if it meets other transactions.
    ///
    /// - Throws: The error for those who wait.
    private func repeating(_ body: () throws -> [PostgresJob]) throws -> [PostgresJob] {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let failure as PostgresFailure {
                let remedy = failure.remedy
                let isRepeated = remedy == .again || remedy == .againElsewhere
                if remedy == .reconnect || remedy == .againElsewhere { connection = nil }
                guard isRepeated, attempt < Self.attempts else { throw failure.serverError }
            } catch let outcome as UnknownOutcome {
                throw outcome.serverError
            }
            // The other goes first, and those who met meet at another time.
            Thread.sleep(forTimeInterval: .random(in: 0.002...0.006) * Double(1 << attempt))
            attempt += 1
        }
    }

    /// Runs a transaction once, and answers if it succeeds. Leaves a connection on which the next can begin, or none.
    ///
    /// - Returns: Nothing: no job is left.
    private func run(_ job: PostgresJob) throws -> [PostgresJob] {
        let connection = try begin(job.mode)
        defer { if !connection.isIdle { self.connection = nil } }
        let transaction = PostgresTransaction(connection)
        // A failure of PostgreSQL comes first: the closure may have thrown another error because of it.
        if let error = job.work.run(in: transaction) ?? transaction.failure {
            if transaction.failure?.isConnectionLost != true { try? connection.rollback() }
            throw transaction.failure ?? error
        }
        if job.mode == .read {
            // The reader has its rows: it does not wait for the end.
            job.work.answer(nil)
            try? connection.rollback()
        } else {
            try connection.commit()
            job.work.answer(nil)
        }
        return []
    }

    /// Runs several writes that wait for the same turn in one transaction, and answers those that it has committed.
    ///
    /// There are no savepoints: they would cost two statements for each write, and a write seldom fails. If one does,
    /// nobody is answered, and each runs again in a transaction of its own.
    ///
    /// - Returns: The writes that still have to run.
    /// - Throws: ``PostgresFailure`` if the failure concerns all of them; none has then run.
    private func runJoined(_ jobs: [PostgresJob]) throws -> [PostgresJob] {
        let connection = try begin(.write)
        defer { if !connection.isIdle { self.connection = nil } }
        let transaction = PostgresTransaction(connection)
        let (joined, others) = try split(jobs, in: transaction, on: connection)
        let end = ContinuousClock.now + settings.joinedTime
        var ended = 0
        while ended < joined.count, ended == 0 || .now < end {
            if joined[ended].work.run(in: transaction) != nil || transaction.failure != nil {
                if let failure = transaction.failure, failure.isConnectionLost { throw failure }
                try? connection.rollback()
                return jobs.map(Self.alone)
            }
            ended += 1
        }
        var unknown: ServerError?
        do {
            try connection.commit()
        } catch let outcome as UnknownOutcome {
            unknown = outcome.serverError
        }
        for job in joined[..<ended] { job.work.answer(unknown) }
        return joined[ended...] + others.map(Self.alone)
    }

    /// Waits for the turn of the writes.
    ///
    /// - Returns: The writes that can share the transaction, and those that cannot.
    private func split(
        _ jobs: [PostgresJob], in transaction: PostgresTransaction, on connection: PostgresConnection
    ) throws -> (joined: [PostgresJob], others: [PostgresJob]) {
        do {
            guard let feed = jobs.first?.turn?.feed else { return ([], jobs) }
            let devices = try FeedTurn.begin(
                of: feed, for: Set(jobs.compactMap { $0.turn?.device }), in: transaction)
            var (joined, others): ([PostgresJob], [PostgresJob]) = ([], [])
            for job in jobs {
                if let device = job.turn?.device, devices.contains(device) {
                    joined.append(job)
                } else {
                    others.append(job)
                }
            }
            return (joined, others)
        } catch {
            if transaction.failure?.isConnectionLost != true { try? connection.rollback() }
            throw transaction.failure ?? error
        }
    }

    private static func alone(_ job: PostgresJob) -> PostgresJob {
        var job = job
        job.turn = nil
        return job
    }

    /// Begins a transaction. If the connection was lost since the last one, as when PostgreSQL has been restarted, it opens
    /// another.
    private func begin(_ mode: PostgresMode) throws -> PostgresConnection {
        if let connection {
            do {
                try connection.begin(mode)
                return connection
            } catch let failure as PostgresFailure where failure.remedy == .reconnect {
                self.connection = nil
            } catch {
                // It may be in a transaction that has failed.
                self.connection = nil
                throw error
            }
        }
        let connection = try connect()
        try connection.begin(mode)
        self.connection = connection
        return connection
    }

    private func connect() throws -> PostgresConnection {
        if let wait = backoff.state.withLock({ $0.wait(at: .now) }) {
            throw PostgresFailure(
                lost: "Connections have failed, and the next attempt is later.",
                retryAfter: max(.seconds(1), wait))
        }
        do {
            let connection = try PostgresConnection(address, settings)
            backoff.state.withLock { $0.succeeded() }
            return connection
        } catch {
            backoff.state.withLock { $0.failed(at: .now) }
            throw error
        }
    }
}
