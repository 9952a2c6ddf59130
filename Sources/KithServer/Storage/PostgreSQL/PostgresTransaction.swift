import KithModel

/// A transaction on a connection to PostgreSQL.
///
/// After a failed statement PostgreSQL runs no further one, so each further one throws the same error.
final class PostgresTransaction: Transaction {
    private let connection: PostgresConnection
    /// The failure of a statement, which undoes the transaction even if the statement's caller has caught it.
    private(set) var failure: PostgresFailure?

    init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    var dialect: Dialect { .postgres }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        _ = try run(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        let result = try run(sql, values)
        return try (0..<result.count).map { try result.row($0) }
    }

    /// PostgreSQL sends all rows. Only those up to the first that is not wanted are read.
    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        let result = try run(sql, values)
        var rows: [SQLRow] = []
        for index in 0..<result.count {
            let row = try result.row(index)
            guard try isWanted(row) else { break }
            rows.append(row)
        }
        return rows
    }

    private func run(_ sql: String, _ values: [SQLValue]) throws -> PostgresResult {
        if let failure { throw failure.serverError }
        do {
            return try connection.run(sql, values)
        } catch let failure as PostgresFailure {
            self.failure = failure
            throw failure.serverError
        }
    }
}
