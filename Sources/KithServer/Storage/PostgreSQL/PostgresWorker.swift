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
    private let pool: Pool
    private let flights: PostgresFlightCounter
    private let commits: PostgresCommits
    private var connection: PostgresConnection? {
        didSet {
            if connection == nil, oldValue != nil { pool.connections.withLock { $0.closed() } }
            if connection != nil, oldValue == nil { pool.connections.withLock { $0.opened() } }
        }
    }
    /// If transactions were given back for want of a connection: the time until one may be tried.
    private var pause: Duration?

    /// The common state of all workers about connections.
    final class Pool: Sendable {
        let connections = Mutex(PostgresConnections())
        let primary: PostgresPrimary

        init(_ primary: PostgresPrimary) { self.primary = primary }
    }

    /// There is no connection, and other workers have some.
    private struct NoConnection: Error {
        /// The time until one may be tried.
        let pause: Duration
    }

    init(
        _ address: PostgresAddress, _ settings: PostgresSettings, _ pool: Pool,
        _ flights: PostgresFlightCounter, _ commits: PostgresCommits
    ) {
        self.address = address
        self.settings = settings
        self.pool = pool
        self.flights = flights
        self.commits = commits
    }

    deinit {
        if connection != nil { pool.connections.withLock { $0.closed() } }
    }

    /// Runs a transaction, or several writes in a common one, and answers those that have ended.
    ///
    /// - Returns: The transactions that still have to run. Either these are all, because there is no connection here; or
    ///   writes for which the common transaction had no time, or which were undone with it, and, without their turn, those
    ///   that could not share it.
    func perform(_ jobs: [PostgresJob]) -> [PostgresJob] {
        do {
            return try repeating {
                if jobs.count > 1 { return try runJoined(jobs) }
                for job in jobs { try run(job) }
                return []
            }
        } catch let lack as NoConnection {
            pause = lack.pause
            return jobs
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
                disconnect(after: failure)
                guard isRepeated, attempt < Self.attempts else { throw failure.serverError }
            } catch let outcome as UnknownOutcome {
                pool.primary.note(mayWait: true)
                throw outcome.serverError
            }
            // The other goes first, and those who met meet at another time.
            Thread.sleep(forTimeInterval: .random(in: 0.002...0.006) * Double(1 << attempt))
            attempt += 1
        }
    }

    /// Runs a transaction once, and answers if it succeeds.
    private func run(_ job: PostgresJob) throws {
        try withTransaction(job.mode) { transaction in
            // A failure of PostgreSQL comes first: the closure may have thrown another error because of it.
            if let error = job.work.run(in: transaction) ?? transaction.failure { throw transaction.failure ?? error }
            if job.mode == .read {
                // The reader has its rows: it does not wait for the end.
                job.work.answer(nil)
                transaction.rollback()
            } else {
                let reader = transaction.reader()
                job.work.follow(in: reader)
                try transaction.commit()
                commits.add()
                // What has failed is read again in a transaction of its own.
                if let failure = reader.failure { disconnect(after: failure) }
                job.work.answer(nil)
                reader.rollback()
            }
        }
    }

    /// Lets the next transaction open another connection if that is a remedy.
    private func disconnect(after failure: PostgresFailure) {
        if failure.remedy == .reconnect || failure.remedy == .againElsewhere { connection = nil }
    }

    /// Runs several writes that wait for the same turn in one transaction, and answers those that it has committed.
    ///
    /// There are no savepoints: they would cost two statements for each write, and a write seldom fails. If one does,
    /// nobody is answered. A write that has thrown an error of its own runs again in its own transaction, the others
    /// together. If a statement has failed, all run again one by one, because what a write sends without reading an
    /// answer can fail while the next one runs, or with the commit.
    ///
    /// - Returns: The writes that still have to run. They wait for the same turn again, except for those that could not
    ///   share the transaction.
    /// - Throws: ``PostgresFailure`` if the failure concerns all of them; none has then run.
    private func runJoined(_ jobs: [PostgresJob]) throws -> [PostgresJob] {
        try withTransaction(.write) { transaction in
            let (joined, others) = try Self.split(jobs, in: transaction)
            let end = ContinuousClock.now + settings.joinedTime
            var (ended, hasFailed) = (0, false)
            var thrower: Int?
            while !hasFailed, ended < joined.count, ended == 0 || .now < end {
                let error = joined[ended].work.run(in: transaction)
                if error != nil, transaction.failure == nil { thrower = ended }
                hasFailed = error != nil || transaction.failure != nil
                ended += 1
            }
            var unknown: ServerError?
            do {
                if !hasFailed {
                    try transaction.commit()
                    commits.add()
                }
            } catch let outcome as UnknownOutcome {
                pool.primary.note(mayWait: true)
                unknown = outcome.serverError
            } catch is PostgresFailure {
                hasFailed = true
            }
            if hasFailed {
                if let failure = transaction.failure, failure.isConnectionLost { throw failure }
                transaction.rollback()
                let again = joined.enumerated().map { index, job in
                    thrower == nil || thrower == index ? Self.alone(job) : job
                }
                return again + others.map(Self.withoutTurn)
            }
            for job in joined[..<ended] { job.work.answer(unknown) }
            return joined[ended...] + others.map(Self.withoutTurn)
        }
    }

    /// Waits for the turn of the writes.
    ///
    /// - Returns: The writes that can share the transaction, and those that cannot.
    private static func split(
        _ jobs: [PostgresJob], in transaction: PostgresTransaction
    ) throws -> (joined: [PostgresJob], others: [PostgresJob]) {
        guard let feed = jobs.first?.turn?.feed else { return ([], jobs) }
        let devices: Set<FeedTurn.Device>
        do {
            devices = try FeedTurn.begin(
                of: feed, for: Set(jobs.compactMap { $0.turn?.device }), in: transaction)
        } catch {
            throw transaction.failure ?? error
        }
        var (joined, others): ([PostgresJob], [PostgresJob]) = ([], [])
        for job in jobs {
            if let device = job.turn?.device, devices.contains(device) {
                joined.append(job)
            } else {
                others.append(job)
            }
        }
        return (joined, others)
    }

    /// The job with its turn, but with a transaction of its own.
    private static func alone(_ job: PostgresJob) -> PostgresJob {
        var job = job
        job.turn = job.turn.map { FeedTurn(of: $0.feed, for: nil) }
        return job
    }

    /// The job, which does not hold up those that wait for its turn.
    private static func withoutTurn(_ job: PostgresJob) -> PostgresJob {
        var job = job
        job.turn = nil
        return job
    }

    /// Runs `body`, which ends the transaction or throws. Leaves a connection on which the next transaction can begin, or
    /// none.
    ///
    /// If the connection was lost since the last transaction, as when PostgreSQL has been restarted, it opens another and
    /// runs `body` again.
    private func withTransaction<Value>(
        _ mode: PostgresMode, _ body: (PostgresTransaction) throws -> Value
    ) throws -> Value {
        do { try self.connection?.checkPrimary() } catch { self.connection = nil }
        let isUsed = self.connection != nil
        let connection = try self.connection ?? connect()
        self.connection = connection
        let transaction = PostgresTransaction(connection, mode)
        do {
            defer { if !connection.isIdle { self.connection = nil } }
            do {
                if mode == .write { try checkReplica(connection) }
                return try body(transaction)
            } catch {
                transaction.rollback()
                throw error
            }
        } catch let failure as PostgresFailure
            where isUsed && !transaction.hasBegun && failure.remedy == .reconnect
        {
            self.connection = nil
            return try withTransaction(mode, body)
        }
    }

    /// Checks that a commit would not wait for a replica, if one had no answer. PostgreSQL keeps the session of each commit
    /// that waits, even if nobody waits for its answer any more, so further ones would take all its sessions.
    ///
    /// - Throws: ``PostgresFailure`` if commits wait.
    private func checkReplica(_ connection: PostgresConnection) throws {
        guard settings.isDurable, pool.primary.mayWait else { return }
        let commits = try connection.waitingCommits()
        if commits > 0 { throw PostgresFailure(waiting: commits) }
        pool.primary.note(mayWait: false)
    }

    // MARK: Connecting

    /// Opens a connection for a transaction.
    ///
    /// - Throws: ``NoConnection`` if the transaction is to be given back, otherwise why there is no connection.
    private func connect() throws -> PostgresConnection {
        switch pool.connections.withLock({ $0.step(at: .now) }) {
        case .connect: return try attempt()
        case .giveBack(let pause): throw NoConnection(pause: pause)
        case .fail(let failure): throw failure
        }
    }

    /// If transactions were given back, waits until a connection may be tried, and tries it: no transaction waits for that.
    func reconnect() {
        guard let pause else { return }
        self.pause = nil
        Thread.sleep(forTimeInterval: pause / .seconds(1))
        guard pool.connections.withLock({ $0.mayConnect(at: .now) }) else { return }
        connection = try? attempt()
    }

    /// Tries to open a connection.
    private func attempt() throws -> PostgresConnection {
        do {
            return try PostgresConnection(address, settings, pool.primary, counting: flights)
        } catch {
            let (open, failed) = pool.connections.withLock { connections in
                (connections.open, connections.failed(error as? PostgresFailure, at: .now))
            }
            if failed.isReported { pool.primary.noteShortage(open, of: settings.connections, because: error) }
            if let pause = failed.giveBack { throw NoConnection(pause: pause) }
            throw error
        }
    }
}
