import Foundation
public import KithModel

/// The server's database in PostgreSQL, which several nodes share.
///
/// Each transaction runs on one of a few threads with connections of their own. A transaction that meets others, in a
/// deadlock or because both create the same row, runs again as a whole, so its closure must have no effects outside of it.
/// If the answer to a commit is lost, the error's cause is ``UnknownOutcome``.
///
/// A connection that listens for notifications is another ``PostgresConnection`` on a thread of its own: it is never in a
/// transaction, and does not belong to ``PostgresThreads``.
public final class PostgresDatabase: Database {
    /// The server's id, which is stored in the database.
    public let server: ServerID
    private let threads: PostgresThreads
    private let random: @Sendable () -> [UInt8]

    /// Nodes that start together take this lock one after the other. The number is arbitrary.
    private static let openingLock: Int64 = 0x6B69_7468

    /// Opens the database, and creates or upgrades its tables.
    ///
    /// - Parameters:
    ///   - url: The address, as `postgres://…` or in libpq's `key=value` form.
    ///   - settings: The limits.
    ///   - now: The time in the id of a new server; the current time if nil.
    ///   - random: Returns 32 fresh random bytes; those of libsodium if nil.
    /// - Throws: ``ServerError`` with the code `busy` if the database cannot be opened, or is of a newer version.
    public init(
        url: String, settings: PostgresSettings = PostgresSettings(), at now: Timestamp? = nil,
        random: (@Sendable () -> [UInt8])? = nil
    ) async throws {
        let random = random ?? { Secret.random() }
        let threads = PostgresThreads(try PostgresAddress(url), settings)
        do {
            server = try await threads.run(.opening) { transaction in
                _ = try transaction.query("SELECT pg_advisory_xact_lock(?)", [.integer(Self.openingLock)])
                try Migrations.run(in: transaction)
                if try Meta.value(Meta.epochName, in: transaction) == nil {
                    try Self.setNewEpoch(random, in: transaction)
                }
                return try Meta.settleServer(at: now ?? Timestamp(Date()), random, in: transaction)
            }
        } catch {
            await threads.close()
            throw error
        }
        self.threads = threads
        self.random = random
    }

    /// Runs `body` in a transaction of its own.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await threads.run(.write, body)
    }

    /// Runs `body` over one snapshot.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await threads.run(.read, body)
    }

    /// Waits until all transactions have ended, and closes the connections. New transactions are refused.
    public func close() async {
        await threads.close()
    }

    /// The number of transactions that wait for a connection.
    package var waiting: Int { threads.waiting }

    /// The epoch in the answers.
    public func epoch() async throws -> String {
        try await read { transaction in try Meta.epoch(in: transaction) }
    }

    /// Announces a new epoch. Every device then reads everything again, and resends its edits that this database lacks.
    ///
    /// This is for operators who have restored a database.
    @discardableResult public func newEpoch() async throws -> String {
        try await write { [random] transaction in try Self.setNewEpoch(random, in: transaction) }
    }

    @discardableResult private static func setNewEpoch(
        _ random: () -> [UInt8], in transaction: any Transaction
    ) throws -> String {
        let epoch = Data(random().prefix(16)).base64URL
        try Meta.set(Meta.epochName, to: epoch, in: transaction)
        return epoch
    }
}
