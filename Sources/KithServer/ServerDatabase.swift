import Foundation
package import KithModel

/// A server's database with what its kind needs besides transactions.
///
/// This is the only place where the server tells the kinds apart. A SQLite file has a folder, a disk with free space
/// and an incarnation; PostgreSQL has connections that are closed.
package struct ServerDatabase: Sendable {
    /// The database.
    package let database: any Database
    /// The same database, if several nodes can share it.
    let shared: PostgresDatabase?
    /// Measures the free part of the database's disk, from 0 to 1; nil if it is unknown, as with PostgreSQL, which may
    /// be on another machine. Throws ``ServerError`` if the file was moved or replaced.
    package let freeDisk: @Sendable () throws -> Double?
    /// The maintenance that belongs to each housekeeping.
    package let refresh: @Sendable () async throws -> Void
    /// Why a new epoch begins, for the log; nil if none does.
    package let reasonOfNewEpoch: String?
    /// Waits for the running transactions, and closes the database.
    package let close: @Sendable () async throws -> Void

    /// A database that is already open.
    package init(
        _ database: any Database, freeDisk: @escaping @Sendable () throws -> Double? = { nil },
        refresh: @escaping @Sendable () async throws -> Void = {}, reasonOfNewEpoch: String? = nil,
        close: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.database = database
        shared = database as? PostgresDatabase
        self.freeDisk = freeDisk
        self.refresh = refresh
        self.reasonOfNewEpoch = reasonOfNewEpoch
        self.close = close
    }

    /// Opens the database of a server that starts, and creates or upgrades its tables.
    ///
    /// - Parameters:
    ///   - address: Where it is.
    ///   - settings: The limits of the use of PostgreSQL.
    ///   - now: The time in the id of a new server.
    ///   - newEpoch: Whether to announce a new epoch.
    ///   - whenUpgrading: Called before an upgrade, with the version of the database and that of this program.
    ///   - whenCommitted: Called after each commit.
    /// - Returns: The open database, and what its server does with it.
    /// - Throws: ``ServerError`` if it cannot be opened. Its code is `cannotOpen` if that needs somebody to mend it.
    package static func open(
        _ address: DatabaseAddress, _ settings: PostgresSettings, at now: Timestamp, newEpoch: Bool,
        whenUpgrading: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
        whenCommitted: @escaping @Sendable () -> Void
    ) async throws -> ServerDatabase {
        let migrations = Migrations(whenUpgrading: whenUpgrading)
        switch address {
        case .file(let path):
            let file = URL(filePath: try SQLiteFile.target(of: path))
            let folder = file.deletingLastPathComponent().path(percentEncoded: false)
            guard FileManager.default.isWritableFile(atPath: folder) else {
                let sentence = "The folder \(folder) is not there or not writable. Choose another --database."
                throw ServerError(ServerError.cannotOpen, sentence)
            }
            var reason = newEpoch ? Self.asked : nil
            let database = try findingDamage(in: path) {
                let database = try SQLiteDatabase(
                    path: path, at: now, migrations: migrations,
                    whenRestored: { reason = reason ?? "the file is not as the last server has left it" })
                if newEpoch { try database.newEpoch() }
                return database
            }
            database.onCommit = { if $0 == .after { whenCommitted() } }
            return ServerDatabase(
                database,
                freeDisk: {
                    try database.checkFiles()
                    return DiskSpace.free(at: folder)
                },
                refresh: {
                    try database.checkFiles()
                    try await database.renewIncarnation()
                }, reasonOfNewEpoch: reason)
        case .postgres(let url):
            let database = try await PostgresDatabase(url: url, settings: settings, at: now, migrations: migrations)
            if newEpoch {
                do {
                    try await database.newEpoch()
                } catch {
                    await database.close()
                    throw error
                }
            }
            database.onCommit = whenCommitted
            return ServerDatabase(
                database, reasonOfNewEpoch: newEpoch ? Self.asked : nil, close: { await database.close() })
        }
    }

    private static let asked = "--new-epoch"

    /// Runs `body`, and says what to do with the file if it turns out to be damaged.
    private static func findingDamage<Value>(in path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ServerError where error.isDamage && error.code != ServerError.cannotOpen {
            throw ServerError(
                ServerError.cannotOpen, "\(path) is damaged. Move it aside, and restore a backup.", cause: error.cause)
        }
    }

    /// Opens the database of a server from another process, whether the server runs or not. It is neither created nor
    /// upgraded.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is none, `cannotOpen` if it has another version, or if its
    ///   file cannot be opened, or `busy` if it is locked or cannot be reached.
    package static func open(
        besideServer address: DatabaseAddress, _ settings: PostgresSettings
    ) async throws -> ServerDatabase {
        switch address {
        case .file(let path):
            return ServerDatabase(try SQLiteDatabase(besideServer: path))
        case .postgres(let url):
            let database = try await PostgresDatabase(besideServer: url, settings)
            return ServerDatabase(database, close: { await database.close() })
        }
    }
}

extension ServerError {
    /// The database cannot be opened, and stays so until somebody mends it: its folder is missing, the file is damaged, has
    /// a wrong owner or is no database, or it is of another version than a command. No answer to a request has this code.
    package static let cannotOpen = Problem.Code(rawValue: "cannotOpen")
}
