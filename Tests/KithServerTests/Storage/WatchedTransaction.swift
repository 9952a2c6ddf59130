import KithServer

/// A transaction in which a test sees each statement before it is executed, and may refuse it.
struct WatchedTransaction: Transaction {
    let base: any Transaction
    let before: (_ sql: String, _ values: [SQLValue]) throws -> Void
    /// Gets the number of rows that a query has returned.
    var countRows: (Int) -> Void = { _ in }

    var dialect: Dialect { base.dialect }

    func execute(_ sql: String, _ values: [SQLValue]) throws {
        try before(sql, values)
        try base.execute(sql, values)
    }

    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        try before(sql, values)
        let rows = try base.query(sql, values)
        countRows(rows.count)
        return rows
    }

    func ask(_ sql: String, _ values: [SQLValue]) throws -> Pending<[SQLRow]> {
        try before(sql, values)
        return try base.ask(sql, values).map { [countRows] rows in
            countRows(rows.count)
            return rows
        }
    }

    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow] {
        try before(sql, values)
        let rows = try base.query(sql, values, while: isWanted)
        countRows(rows.count)
        return rows
    }
}
