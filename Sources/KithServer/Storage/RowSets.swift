/// Statements over many rows, split at the limit of the database's ``RowSetForm``.
extension Transaction {
    /// Inserts `rows`. If a row with the same `key` columns exists, its other columns are replaced.
    ///
    /// Without a key, an existing row is an error. One statement inserts all rows, up to the limit of the form.
    public func insert(
        into table: String, _ columns: [String], _ rows: [[SQLValue]], replacing key: [String] = []
    ) throws {
        if rows.isEmpty { return }
        try execute(RowStatement(insertInto: table, columns, replacing: key), rows)
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
        rows.isEmpty ? [] : try query(RowStatement(wanted: columns, sql), rows, values)
    }

    /// Asks for the rows that ``query(wanted:_:_:_:)`` returns. Without `rows`, no statement runs.
    func ask(
        wanted columns: [String], _ rows: [[SQLValue]], _ sql: String, _ values: [SQLValue] = []
    ) throws -> Pending<[SQLRow]> {
        rows.isEmpty ? Pending { [] } : try ask(RowStatement(wanted: columns, sql), rows, values)
    }

    /// Like ``query(wanted:_:_:_:)``, with a statement that is kept.
    package func query(
        _ statement: RowStatement, _ rows: [[SQLValue]], _ values: [SQLValue] = []
    ) throws -> [SQLRow] {
        var answer: [SQLRow] = []
        for call in calls(statement, rows, values) {
            let part = try query(call.sql, call.values)
            if answer.isEmpty { answer = part } else { answer += part }
        }
        return answer
    }

    /// Asks for the rows of a statement that is kept.
    func ask(
        _ statement: RowStatement, _ rows: [[SQLValue]], _ values: [SQLValue] = []
    ) throws -> Pending<[SQLRow]> {
        var parts: [Pending<[SQLRow]>] = []
        for call in calls(statement, rows, values) { parts.append(try ask(call.sql, call.values)) }
        if parts.count == 1 { return parts[0] }
        return Pending { [parts] in try parts.flatMap { try $0.value() } }
    }

    /// Runs a statement that is kept, for each of `rows`.
    package func execute(_ statement: RowStatement, _ rows: [[SQLValue]], _ values: [SQLValue] = []) throws {
        for call in calls(statement, rows, values) { try execute(call.sql, call.values) }
    }

    /// Like ``query(wanted:_:_:_:)``, up to the first row that is not wanted.
    public func query(
        wanted columns: [String], _ rows: [[SQLValue]], _ sql: String, while isWanted: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        let statement = RowStatement(wanted: columns, sql)
        var answer: [SQLRow] = []
        var goesOn = true
        for call in calls(statement, rows, []) where goesOn {
            answer += try query(call.sql, call.values) { row in
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
        if rows.isEmpty { return }
        try execute(RowStatement(wanted: columns, sql), rows, values)
    }

    /// Deletes the rows of a table whose `key` columns equal one of `rows`.
    ///
    /// SQLite compares all of these columns by the type of the first. After a column of bytes, it finds the rows by an index
    /// of columns of any types; after a text or a number, only by those of the same type. So a column of bytes comes first.
    func delete(from table: String, _ key: [String], _ rows: [[SQLValue]]) throws {
        if rows.isEmpty { return }
        try execute(RowStatement(deleteFrom: table, key), rows)
    }

    /// Deletes up to `limit` rows of a table in which the value of `column` is lower than `bound`. A row that gets another
    /// value meanwhile stays.
    ///
    /// - Returns: The number of deleted rows.
    func deleteOld(
        from table: String, _ key: [String], where column: String, isBefore bound: SQLValue, limit: Int64
    ) throws -> Int {
        let columns = key.contains(column) ? key : key + [column]
        let old = try query(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(column) < ? LIMIT ?",
            [bound, .integer(limit)])
        try delete(from: table, columns, old.map(\.values))
        return old.count
    }

    /// The statements over parts of the rows. Each is composed when it is needed.
    private func calls(_ statement: RowStatement, _ rows: [[SQLValue]], _ values: [SQLValue]) -> RowStatement.Calls {
        RowStatement.Calls(of: statement, rows, values, dialect.rowSets)
    }
}
