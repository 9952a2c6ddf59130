import Foundation
public import KithModel
package import Logging

/// The server's database in PostgreSQL.
///
/// Each transaction runs on one of a few threads with connections of their own. A transaction that meets others, in a
/// deadlock or because both create the same row, runs again as a whole, so its closure must have no effects outside of it.
/// If the answer to a commit is lost, a write fails with the code `busy`, and may have been made.
///
/// The connection that listens for notifications has a thread of its own, and is never in a transaction.
public final class PostgresDatabase: Database, ImmediateDatabase {
    /// The server's id, which is stored in the database.
    public let server: ServerID
    private let threads: PostgresThreads
    private let random: RandomBytes
    private let address: PostgresAddress
    private let settings: PostgresSettings
    /// The migrations that this program knows.
    let migrations: Migrations

    /// Nodes that start together take this lock one after the other. The number is arbitrary.
    private static let openingLock: Int64 = 0x6B69_7468

    /// Opens the database, and creates or upgrades its tables.
    ///
    /// - Parameters:
    ///   - url: The address, as `postgres://…` or in libpq's `key=value` form.
    ///   - settings: The limits.
    ///   - now: The time in the id of a new server; the current time if nil.
    ///   - random: The source of random bytes.
    /// - Throws: ``ServerError`` with the code `malformed` if the address cannot be read, or `busy` if the database cannot
    ///   be opened or is of a newer version.
    public convenience init(
        url: String, settings: PostgresSettings = PostgresSettings(), at now: Timestamp? = nil,
        random: RandomBytes = .system
    ) async throws {
        try await self.init(url: url, settings: settings, at: now, random: random, migrations: Migrations())
    }

    /// ``init(url:settings:at:random:)`` as a program with these migrations. A node of an older program counts as ended
    /// when it was silent for `silence`.
    package convenience init(
        url: String, settings: PostgresSettings = PostgresSettings(), at now: Timestamp? = nil,
        random: RandomBytes = .system, migrations: Migrations, silence: Duration = OlderNodes.silence
    ) async throws {
        let address = try PostgresAddress(url)
        let threads = PostgresThreads(address, settings)
        let server: ServerID
        do {
            let opening = Self.opening(migrations, at: now, random)
            // Nil if older nodes have to stop first. Otherwise one transaction, and so one connection, is enough.
            let opened = try await threads.run(.opening) { transaction -> ServerID? in
                try Self.lockOpening(in: transaction)
                return try migrations.announce(in: transaction) ? nil : try opening(transaction)
            }
            if let opened {
                server = opened
            } else {
                try await Self.waitForOlderNodes(OlderNodes(silence: silence), before: migrations, on: threads)
                server = try await threads.run(.opening, opening)
            }
        } catch {
            await threads.close()
            throw error
        }
        self.init(server, threads, address, settings, migrations, random)
    }

    /// ``init(url:settings:at:random:)`` while the caller's thread waits, for the simulation and for tests.
    package convenience init(
        openingNow url: String, settings: PostgresSettings = PostgresSettings(), at now: Timestamp? = nil,
        random: RandomBytes = .system
    ) throws {
        let address = try PostgresAddress(url)
        let threads = PostgresThreads(address, settings)
        let migrations = Migrations()
        let server = try TransactionClosure.resultNow(of: Self.opening(migrations, at: now, random)) { opening in
            try threads.performNow(opening, .opening)
        }
        self.init(server, threads, address, settings, migrations, random)
    }

    /// Creates or upgrades the tables, and returns the server's id.
    private static func opening(
        _ migrations: Migrations, at now: Timestamp?, _ random: RandomBytes
    ) -> @Sendable (any Transaction) throws -> ServerID {
        { transaction in
            try Self.lockOpening(in: transaction)
            try migrations.run(in: transaction)
            try RevisionBase.raise(in: transaction)
            if try Meta.value(Meta.epochName, in: transaction) == nil {
                try Meta.renewEpoch(random, in: transaction)
            }
            return try Meta.findOrCreateServer(at: now ?? Timestamp(Date()), random, in: transaction)
        }
    }

    /// Waits for other nodes that open the database, until the transaction ends.
    private static func lockOpening(in transaction: any Transaction) throws {
        _ = try transaction.query("SELECT pg_advisory_xact_lock(?)", [.integer(openingLock)])
    }

    /// Waits until the nodes of older programs have seen the announcement and have ended, or another node of this
    /// program has found that and done the steps.
    private static func waitForOlderNodes(
        _ nodes: OlderNodes, before migrations: Migrations, on threads: PostgresThreads
    ) async throws {
        var nodes = nodes
        let start = ContinuousClock.now
        while true {
            let (isDone, beats) = try await threads.run(.read) { transaction in
                (try migrations.isReady(in: transaction), try OlderNodes.beats(in: transaction))
            }
            if isDone || nodes.haveEnded(beats, at: start.duration(to: .now)) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Opens the database of a server from another process, whether the server runs or not. Its tables are neither
    /// created nor upgraded.
    ///
    /// A pooler may be between, whatever the settings say: nothing is kept in a session.
    ///
    /// - Parameters:
    ///   - url: The address, as `postgres://…` or in libpq's `key=value` form.
    ///   - settings: The limits. There are two connections, whatever they say.
    /// - Throws: ``ServerError`` with the code `notFound` if it has no tables of a server, `cannotOpen` if it has another
    ///   version, or `busy` if it cannot be reached.
    public convenience init(besideServer url: String, _ settings: PostgresSettings = PostgresSettings()) async throws {
        var settings = settings
        // A command does one thing after another. The server needs the other connections that PostgreSQL permits.
        settings.connections = 2
        settings.writers = 1
        (settings.isPooled, settings.preparesStatements) = (true, false)
        let address = try PostgresAddress(url)
        let threads = PostgresThreads(address, settings)
        let server: ServerID
        do {
            server = try await threads.run(.read) { transaction in
                guard try Meta.isThere(in: transaction) else {
                    throw ServerError(
                        .notFound, "The database has no tables of a server. Name the server's with --database.")
                }
                guard try Migrations().isReadyForCommand(in: transaction),
                    let server = try Meta.server(in: transaction)
                else {
                    throw ServerError(
                        ServerError.cannotOpen,
                        "The database is not of this program's version. "
                            + "Start “kith serve” of this version with it once.")
                }
                return server
            }
        } catch {
            await threads.close()
            throw error
        }
        self.init(server, threads, address, settings)
    }

    private init(
        _ server: ServerID, _ threads: PostgresThreads, _ address: PostgresAddress, _ settings: PostgresSettings,
        _ migrations: Migrations = Migrations(), _ random: RandomBytes = .system
    ) {
        (self.server, self.threads, self.address, self.settings) = (server, threads, address, settings)
        (self.migrations, self.random) = (migrations, random)
    }

    /// The same database over `connections` further connections, for what must not wait for requests and may be lost
    /// with PostgreSQL's host: its commits do not wait for the disk. It is closed on its own.
    func separatePool(connections: Int) -> PostgresDatabase {
        var settings = settings
        (settings.connections, settings.writers, settings.isDurable) = (connections, connections, false)
        return PostgresDatabase(
            server, PostgresThreads(address, settings, threads.primary), address, settings, migrations, random)
    }

    /// Logs failovers, old primaries and a lack of connections to `logger` from now on.
    package func log(to logger: Logger) { threads.primary.log(to: logger) }

    /// Opens a connection on which the caller's thread can listen for notifications, and waits for it.
    ///
    /// - Throws: ``PostgresFailure``, or ``ServerError`` if the address or the database is not fit.
    func listeningConnection() throws -> PostgresConnection {
        try settings.checkListening()
        return try PostgresConnection(
            settings.listeningURL.map { try PostgresAddress($0) } ?? address, settings, threads.primary)
    }

    /// Called after each commit that PostgreSQL has confirmed; several writes can share one.
    package var onCommit: (@Sendable () -> Void)? {
        get { threads.commits.observer }
        set { threads.commits.observer = newValue }
    }

    /// A database that gets a copy of the data of `server`: see ``DatabaseCopy``. The first transaction connects, and
    /// nothing is created before.
    ///
    /// - Throws: ``ServerError`` with the code `malformed` if the address cannot be read.
    package convenience init(
        copying server: ServerID, to url: String, settings: PostgresSettings = .copying
    ) throws {
        let address = try PostgresAddress(url)
        self.init(server, PostgresThreads(address, settings), address, settings)
    }

    /// True: several connections write.
    public var hasSeveralWriters: Bool { true }

    /// Runs `work` in a transaction, which several writes with the same turn may share. If they do not, the commit and the
    /// first statements of the read that follows travel together.
    public func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws {
        switch mode {
        case .write(let turn): try await threads.perform(work, .write, inTurn: turn)
        case .read, .peek, .check: try await threads.perform(work, .read)
        }
    }

    /// ``perform(_:as:)`` while the caller's thread waits. A write has a transaction of its own.
    package func performNow(_ work: any TransactionWork, as mode: TransactionMode) throws {
        try threads.performNow(work, mode.isWrite ? .write : .read)
    }

    /// Waits until all transactions have ended, and closes the connections. New transactions are refused.
    public func close() async {
        await threads.close()
    }

    /// The number of transactions that wait for a connection.
    package var waiting: Int { threads.waiting }

    /// How often transactions have sent statements and waited for the answers.
    package var flights: Int { threads.flights.count }

    /// The epoch in the answers.
    public func epoch() async throws -> String {
        try await read { transaction in try Meta.epoch(in: transaction) }
    }

    /// Announces a new epoch. Every device then reads everything again, and resends its edits that this database lacks.
    ///
    /// This is for operators who have restored a database.
    @discardableResult public func newEpoch() async throws -> String {
        try await write { [random] transaction in try Meta.renewEpoch(random, in: transaction) }
    }

    /// ``newEpoch()`` while the caller's thread waits.
    @discardableResult package func newEpochNow() throws -> String {
        try writeNow { [random] transaction in try Meta.renewEpoch(random, in: transaction) }
    }
}
