import GRDB

extension Database {
    /// Whether a query has a row.
    func exists(_ query: String, _ arguments: StatementArguments = []) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT EXISTS (\(query))"), arguments: arguments) ?? false
    }
}
