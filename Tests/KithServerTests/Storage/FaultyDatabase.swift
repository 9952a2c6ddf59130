import KithModel
import KithServer
import Synchronization

/// A database that is busy for some statements, as long as a test wants it.
final class FaultyDatabase: Database {
    private let database: any Database
    private let fault = Mutex<String?>(nil)

    init(_ database: any Database) { self.database = database }

    var server: ServerID { database.server }

    /// Refuses the statements that begin with this text; none if it is nil.
    func refuse(_ start: String?) { fault.withLock { $0 = start } }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.write { try body(FaultyTransaction(base: $0, check: self.check)) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.read { try body(FaultyTransaction(base: $0, check: self.check)) }
    }

    private func check(_ sql: String) throws {
        guard let start = fault.withLock({ $0 }), sql.hasPrefix(start) else { return }
        throw ServerError(.busy, "The database is busy. Try again later.", retryAfter: .seconds(1))
    }
}

private struct FaultyTransaction: Transaction {
    let base: any Transaction
    let check: (String) throws -> Void

    var dialect: Dialect { base.dialect }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        try check(sql)
        try base.execute(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        try check(sql)
        return try base.query(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        try check(sql)
        return try base.query(sql, values, while: isWanted)
    }
}
