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

    /// Runs a transaction, and answers whoever waits for it.
    func perform(_ job: PostgresJob) {
        var attempt = 1
        while true {
            do {
                return try run(job)
            } catch let failure as PostgresFailure {
                let remedy = failure.remedy
                let isRepeated = remedy == .again || remedy == .againElsewhere
                if remedy == .reconnect || remedy == .againElsewhere { connection = nil }
                guard isRepeated, attempt < Self.attempts else { return job.work.answer(failure.serverError) }
            } catch let outcome as UnknownOutcome {
                return job.work.answer(outcome.serverError)
            } catch {
                return job.work.answer(error)
            }
            // The other goes first, and those who met meet at another time.
            Thread.sleep(forTimeInterval: .random(in: 0.002...0.006) * Double(1 << attempt))
            attempt += 1
        }
    }

    /// Runs a transaction once, and answers if it succeeds. Leaves a connection on which the next can begin, or none.
    private func run(_ job: PostgresJob) throws {
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
