import KithModel
import KithServer
import Synchronization

/// A database that counts the statements that reach it.
final class CountingDatabase: Database {
    /// A statement with its parameters.
    struct Call: Hashable {
        let sql: String
        let values: [SQLValue]
    }

    private let database: any Database
    private let tally = Mutex<[Call]>([])

    init(_ database: any Database) { self.database = database }

    var statements: [String] { calls.map(\.sql) }

    var calls: [Call] { tally.withLock { $0 } }

    func reset() { tally.withLock { $0 = [] } }

    var server: ServerID { database.server }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.write { try body(CountingTransaction(base: $0, count: self.count)) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.read { try body(CountingTransaction(base: $0, count: self.count)) }
    }

    private func count(_ sql: String, _ values: [SQLValue]) {
        tally.withLock { $0.append(Call(sql: sql, values: values)) }
    }
}

private struct CountingTransaction: Transaction {
    let base: any Transaction
    let count: (String, [SQLValue]) -> Void

    var dialect: Dialect { base.dialect }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        count(sql, values)
        try base.execute(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        count(sql, values)
        return try base.query(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        count(sql, values)
        return try base.query(sql, values, while: isWanted)
    }
}
