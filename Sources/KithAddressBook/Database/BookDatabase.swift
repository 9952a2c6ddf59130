import Foundation
import GRDB
import Kith

/// The address book's database, which throws ``KithError``.
///
/// Damage is marked next to the file, so that the next start repairs it.
struct BookDatabase: Sendable {
    let writer: any DatabaseWriter

    /// - Throws: ``KithError``: `replicaBroken`, `database` …
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        do { return try writer.read { db in try markingDamage(db, body) } } catch { throw KithError.translated(error) }
    }

    /// - Throws: ``KithError``: `replicaBroken`, `database` …; `CancellationError`.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do {
            return try await writer.read { db in try markingDamage(db, body) }
        } catch {
            throw KithError.translated(error)
        }
    }

    /// Runs `body` in a transaction.
    ///
    /// - Throws: ``KithError``: `replicaBroken`, `diskFull`, `database` …; `CancellationError`.
    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do {
            return try await writer.writeWithoutTransaction { db in
                try markingDamage(db) { db in
                    try file?.checkPlace(of: db)
                    let result = try db.inKeptTransaction("IMMEDIATE") { try body(db) }
                    try file?.checkPlace(of: db)
                    return result
                }
            }
        } catch {
            throw KithError.translated(error)
        }
    }

    private func markingDamage<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        guard let file else { return try body(db) }
        return try file.markingDamage(db) { try body(db) }
    }

    /// The file; nil for a database in memory.
    private var file: DatabaseFile? {
        guard writer.path.hasPrefix("/") else { return nil }
        return DatabaseFile(url: URL(filePath: writer.path), tables: AddressBookSchema.tables)
    }
}
