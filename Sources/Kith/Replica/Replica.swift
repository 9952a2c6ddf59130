package import Foundation
package import GRDB
import KithModel

/// The local SQLite copy: what the app reads and writes, online or not.
package final class Replica: Sendable {
    /// Where a replica lives.
    package enum Location: Sendable {
        case inMemory
        case file(URL)
        /// A database that is already open: a replica that was restarted, or copied, in memory.
        case open(any DatabaseWriter)
    }

    /// Called around each commit. A test that throws here is a crash: before the
    /// commit nothing of the write remains, after it all of it does.
    package struct Faults: Sendable {
        package var beforeCommit: @Sendable () throws -> Void = {}
        package var afterCommit: @Sendable () throws -> Void = {}

        package init() {}
    }

    package let database: any DatabaseWriter
    package let hub: ChangeHub
    package let dependencies: Dependencies
    private let faults: Faults
    private let file: DatabaseFile?
    /// The store that is read and written; nil for the current one.
    package let scope: AccountScope?
    private let keepsLastRemoval: Bool
    /// Where a damaged file was moved, if there was one.
    package let movedAside: URL?

    package init(
        _ location: Location, dependencies: Dependencies = .system, postsNotifications: Bool = false,
        faults: Faults = Faults(), scope: AccountScope? = nil, keepsLastRemoval: Bool = false
    ) throws {
        self.dependencies = dependencies
        self.scope = scope
        self.keepsLastRemoval = keepsLastRemoval
        self.hub = ChangeHub(postsNotifications: postsNotifications)
        self.faults = faults
        switch location {
        case .inMemory:
            database = try DatabaseQueue(configuration: Self.configuration)
            (file, movedAside) = (nil, nil)
        case .open(let writer):
            database = writer
            (file, movedAside) = (nil, nil)
        case .file(let url):
            let file = DatabaseFile(url: url, tables: Self.tables)
            self.file = file
            (database, movedAside) = try file.open(configuration: Self.configuration)
        }
        do {
            try ReplicaSchema.migrator.migrate(database)
            let device: DeviceID = dependencies.makeID()
            try database.write { db in
                guard try !Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account)")! else { return }
                try ReplicaAccount.insert(id: nil, state: .initial, device: device, db).makeCurrent(db)
            }
            if let movedAside {
                try Self.salvage(from: movedAside, into: database, device: dependencies.makeID())
                file?.noteSalvaged()
            }
            if scope != nil { try prepareScope() }
        } catch let error as DatabaseError {
            throw noted(error)
        }
    }

    package static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return configuration
    }

    // MARK: Which store

    /// The store that is read and written.
    package func account(_ db: Database) throws -> ReplicaAccount {
        guard let scope else { return try ReplicaAccount.current(db) }
        guard let account = try ReplicaAccount.at(scope, db) else {
            throw KithError(.notFound, "This device has no data of \(scope). See client.accounts for what it has.")
        }
        return account
    }

    /// Checks that the store is there, and makes the userless one if it is missing.
    private func prepareScope() throws {
        let device: DeviceID = dependencies.makeID()
        try database.write { db in
            if scope == .userless, try ReplicaAccount.at(.userless, db) == nil {
                _ = try ReplicaAccount.insert(id: nil, state: .loggedOut, device: device, db)
            }
            _ = try account(db)
        }
    }

    // MARK: Reading and writing

    package func readNow<T>(_ body: (Database, ReplicaAccount) throws -> T) throws -> T {
        try failing { try database.unsafeRead { try snapshot($0, body) } }
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (Database, ReplicaAccount) throws -> T) async throws -> T
    {
        do {
            return try await database.unsafeRead { try self.snapshot($0, body) }
        } catch {
            throw noted(error)
        }
    }

    /// Reads one state of the database.
    ///
    /// GRDB's `read` of a queue switches `query_only` on and off, and with each switch SQLite prepares every statement
    /// anew: half the time of a small read in memory.
    private func snapshot<T>(_ db: Database, _ body: (Database, ReplicaAccount) throws -> T) throws -> T {
        var result: T?
        try db.inTransaction(.deferred) {
            result = try body(db, account(db))
            return .commit
        }
        return result!  // Set by the transaction, which throws if it does not commit.
    }

    /// Runs `body` in one transaction, and tells observers what it changed once it is committed.
    @discardableResult
    package func writeNow<T>(
        origin: ChangeOrigin = .device, _ body: (ReplicaTransaction) throws -> T
    ) throws -> T {
        try failing { try database.writeWithoutTransaction { try transact($0, origin, body) } }
    }

    @discardableResult
    package func write<T: Sendable>(
        origin: ChangeOrigin = .device, _ body: @escaping @Sendable (ReplicaTransaction) throws -> T
    ) async throws -> T {
        do {
            return try await database.writeWithoutTransaction { try self.transact($0, origin, body) }
        } catch {
            throw noted(error)
        }
    }

    private func transact<T>(
        _ db: Database, _ origin: ChangeOrigin, _ body: (ReplicaTransaction) throws -> T
    ) throws -> T {
        var announcements: [Announcement] = []
        var result: T?
        try db.inTransaction(.immediate) {
            let transaction = try ReplicaTransaction(
                db, account(db), dependencies, isPinned: scope != nil, origin: origin, announcesBulk: hub.isHeard)
            transaction.keepsLastRemoval = keepsLastRemoval
            result = try body(transaction)
            announcements = try transaction.finish()
            try faults.beforeCommit()
            return .commit
        }
        try faults.afterCommit()
        hub.announce(announcements)
        return result!  // Set by the transaction, which throws if it does not commit.
    }

    /// Runs `body` on the writer's queue, between two writes.
    package func between<T: Sendable>(_ body: @escaping @Sendable (Database, ReplicaAccount) throws -> T) async throws
        -> T
    {
        do {
            return try await database.writeWithoutTransaction { try body($0, self.account($0)) }
        } catch {
            throw noted(error)
        }
    }

    private func failing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw noted(error) }
    }

    /// The error as the SDK's own. Damage is noted for the next start.
    private func noted(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let own = KithError(error)
        if own.code == .replicaBroken { file?.markDamaged() }
        return own
    }
}

extension KithError {
    package init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_FULL:
            self.init(
                .diskFull, "The disk is full, so nothing was saved. Free some space and try again.", cause: error)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_WRITE:
            self.init(
                .diskFull, "The disk takes no more, so nothing was saved. Free some space and try again.", cause: error)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                .replicaBroken, "The local data is damaged. Restart: it is kept aside and filled anew from the server.",
                cause: error)
        default:
            self.init(.database, "The local database failed: \(error.message ?? "no reason given").", cause: error)
        }
    }
}
