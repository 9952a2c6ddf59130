package import GRDB

extension Database {
    /// Whether a query has a row.
    func exists(_ query: String, _ arguments: StatementArguments = []) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT EXISTS (\(query))"), arguments: arguments) ?? false
    }

    /// Runs `body` in a transaction of this kind, such as `IMMEDIATE`. Commits when it returns, and rolls back when it
    /// throws.
    ///
    /// GRDB's `inTransaction` compiles its statements again each time, which takes longer than a small edit. This method
    /// keeps them. They run through GRDB, so that observers of transactions are notified.
    package func inKeptTransaction<Result>(_ kind: String, _ body: () throws -> Result) throws -> Result {
        try cachedStatement(sql: "BEGIN \(kind) TRANSACTION").execute()
        do {
            let result = try body()
            // SQLite ends a transaction by itself after some errors, for example if the disk is full.
            guard isInsideTransaction else {
                throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
            }
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return result
        } catch {
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}
