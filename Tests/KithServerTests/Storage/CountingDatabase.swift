import KithModel
import KithServer
import Synchronization

/// A database that counts the statements that reach it, and the rows that they return.
final class CountingDatabase: Database {
    /// A statement with its parameters.
    struct Call: Hashable {
        let sql: String
        let values: [SQLValue]
    }

    private let database: any Database
    private let tally = Mutex<[Call]>([])
    private let rowTally = Mutex(0)

    init(_ database: any Database) { self.database = database }

    var statements: [String] { calls.map(\.sql) }

    var calls: [Call] { tally.withLock { $0 } }

    /// The number of rows that the queries have returned.
    var rows: Int { rowTally.withLock(\.self) }

    func reset() {
        tally.withLock { $0 = [] }
        rowTally.withLock { $0 = 0 }
    }

    var server: ServerID { database.server }

    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.write { try body(self.counting($0)) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T {
        try await database.read { try body(self.counting($0)) }
    }

    private func counting(_ transaction: any Transaction) -> CountingTransaction {
        CountingTransaction(base: transaction, count: count, countRows: count(rows:))
    }

    private func count(_ sql: String, _ values: [SQLValue]) {
        tally.withLock { $0.append(Call(sql: sql, values: values)) }
    }

    private func count(rows: Int) { rowTally.withLock { $0 += rows } }
}

private struct CountingTransaction: Transaction {
    let base: any Transaction
    let count: (String, [SQLValue]) -> Void
    let countRows: (Int) -> Void

    var dialect: Dialect { base.dialect }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        count(sql, values)
        try base.execute(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        count(sql, values)
        let rows = try base.query(sql, values)
        countRows(rows.count)
        return rows
    }

    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        count(sql, values)
        let rows = try base.query(sql, values, while: isWanted)
        countRows(rows.count)
        return rows
    }
}
