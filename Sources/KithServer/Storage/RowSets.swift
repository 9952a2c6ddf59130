/// Statements over many rows, split at the database's limit of parameters.
extension Transaction {
    /// Inserts `rows`. If a row with the same `key` columns exists, its other columns are replaced.
    ///
    /// Without a key, an existing row is an error. The number of statements grows only with the limit of parameters.
    public func insert(
        into table: String, _ columns: [String], _ rows: [[SQLValue]], replacing key: [String] = []
    ) throws {
        let others = columns.filter { !key.contains($0) }
        var conflict = ""
        if !key.isEmpty {
            let change =
                others.isEmpty
                ? "NOTHING" : "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            conflict = " ON CONFLICT (\(key.joined(separator: ", "))) DO \(change)"
        }
        for chunk in chunks(of: rows, reserving: 0) {
            try execute(
                "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(places(for: chunk))\(conflict)",
                chunk.flatMap(\.self))
        }
    }

    /// The rows of `sql`, which can join the row set `wanted`.
    ///
    /// Join it as `FROM wanted CROSS JOIN table WHERE …`: SQLite then iterates over `wanted` and looks up the rows, and
    /// never scans the table.
    ///
    /// A long row set takes several statements. If `rows` are sorted in the order of `sql`, the whole result is in that
    /// order.
    public func query(
        wanted columns: [String], _ rows: [[SQLValue]], _ sql: String, _ values: [SQLValue] = []
    ) throws -> [SQLRow] {
        var answer: [SQLRow] = []
        for chunk in chunks(of: rows, reserving: values.count) {
            answer += try query(wanted(columns, chunk) + sql, chunk.flatMap(\.self) + values)
        }
        return answer
    }

    /// Like ``query(wanted:_:_:_:)``, up to the first row that is not wanted.
    public func query(
        wanted columns: [String], _ rows: [[SQLValue]], _ sql: String, while isWanted: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        var answer: [SQLRow] = []
        var goesOn = true
        for chunk in chunks(of: rows, reserving: 0) where goesOn {
            answer += try query(wanted(columns, chunk) + sql, chunk.flatMap(\.self)) { row in
                goesOn = try isWanted(row)
                return goesOn
            }
        }
        return answer
    }

    /// Runs `sql`, which can join the row set `wanted`.
    public func execute(
        wanted columns: [String], _ rows: [[SQLValue]], _ sql: String, _ values: [SQLValue] = []
    ) throws {
        for chunk in chunks(of: rows, reserving: values.count) {
            try execute(wanted(columns, chunk) + sql, chunk.flatMap(\.self) + values)
        }
    }

    /// Deletes the rows of a table whose `key` columns equal one of `rows`.
    func delete(from table: String, _ key: [String], _ rows: [[SQLValue]]) throws {
        let columns = key.joined(separator: ", ")
        try execute(wanted: key, rows, "DELETE FROM \(table) WHERE (\(columns)) IN (SELECT \(columns) FROM wanted)")
    }

    /// Deletes up to `limit` rows of a table in which the value of `column` is lower than `bound`.
    ///
    /// - Returns: The number of deleted rows.
    func deleteOld(
        from table: String, _ key: [String], where column: String, isBefore bound: SQLValue, limit: Int64
    ) throws -> Int {
        let old = try query(
            "SELECT \(key.joined(separator: ", ")) FROM \(table) WHERE \(column) < ? LIMIT ?", [bound, .integer(limit)])
        try delete(from: table, key, old.map(\.values))
        return old.count
    }

    private func wanted(_ columns: [String], _ rows: ArraySlice<[SQLValue]>) -> String {
        "WITH wanted(\(columns.joined(separator: ", "))) AS (VALUES \(places(for: rows))) "
    }

    private func places(for rows: ArraySlice<[SQLValue]>) -> String {
        guard let width = rows.first?.count else { return "" }
        let row = "(?" + String(repeating: ", ?", count: width - 1) + ")"
        return row + String(repeating: ", " + row, count: rows.count - 1)
    }

    private func chunks(of rows: [[SQLValue]], reserving others: Int) -> [ArraySlice<[SQLValue]>] {
        guard let width = rows.first?.count else { return [] }
        let size = (dialect.parameters - others) / width
        return stride(from: 0, to: rows.count, by: size).map { rows[$0..<min($0 + size, rows.count)] }
    }
}
