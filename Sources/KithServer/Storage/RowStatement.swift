import Synchronization

/// A statement over rows. Its text depends on the ``RowSetForm`` of the database.
///
/// A statement that runs often is kept, because its texts are then composed once. With a parameter for each value, it
/// keeps one for each small number of rows, and one for the last larger number. Large pushes are taken in parts of the
/// same size.
package final class RowStatement: Sendable {
    /// The most rows of a text that is kept beside others.
    private static let fewRows = 16

    private struct Texts {
        var few: [Int: String] = [:]
        var many: (rows: Int, text: String)?
        /// The texts with arrays, by the columns that have only nulls.
        var arrays: [[Int]: String] = [:]
    }

    /// The number of values of a row.
    let width: Int
    private let columns: [String]
    private let isInsertion: Bool
    private let head: String
    private let tail: String
    private let texts = Mutex(Texts())

    /// A statement that can join the row set `wanted`, which has these columns.
    package init(wanted columns: [String], _ sql: String) {
        width = columns.count
        self.columns = columns
        isInsertion = false
        head = "WITH wanted(\(columns.joined(separator: ", "))) AS ("
        tail = ") \(sql)"
    }

    /// A statement that inserts rows. If a row with the same `key` columns exists, its other columns are replaced, except
    /// those of `fixed`. SQLite renews each index whose columns or condition name a replaced column, even if it has the
    /// same value.
    package init(
        insertInto table: String, _ columns: [String], replacing key: [String] = [], keeping fixed: [String] = []
    ) {
        precondition(fixed.isEmpty || !key.isEmpty, "Without a key, nothing is replaced.")
        width = columns.count
        self.columns = columns
        isInsertion = true
        head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) "
        let others = columns.filter { !key.contains($0) && !fixed.contains($0) }.map { "\($0) = excluded.\($0)" }
        if key.isEmpty {
            tail = ""
        } else {
            let change = others.isEmpty ? "NOTHING" : "UPDATE SET " + others.joined(separator: ", ")
            tail = " ON CONFLICT (\(key.joined(separator: ", "))) DO \(change)"
        }
    }

    /// A statement that deletes the rows of a table whose `key` columns equal one of the rows.
    package convenience init(deleteFrom table: String, _ key: [String]) {
        let columns = key.joined(separator: ", ")
        self.init(wanted: key, "DELETE FROM \(table) WHERE (\(columns)) IN (SELECT \(columns) FROM wanted)")
    }

    /// The text over `rows`, and its parameters, of which `others` are the last.
    func call(
        _ rows: ArraySlice<[SQLValue]>, _ others: [SQLValue], _ form: RowSetForm
    ) -> (sql: String, values: [SQLValue]) {
        switch form {
        case .arrays where rows.count > 1:
            let arrays = (0..<width).map { column in rows.map { $0[column] } }
            return (text(arrays), arrays.map(SQLValue.array) + others)
        case .arrays, .values:
            if rows.count == 1, others.isEmpty { return (text(rows: 1), rows[rows.startIndex]) }
            var values: [SQLValue] = []
            values.reserveCapacity(rows.count * width + others.count)
            for row in rows { values += row }
            values += others
            return (text(rows: rows.count), values)
        }
    }

    /// The text with a parameter for each value of this number of rows.
    private func text(rows: Int) -> String {
        texts.withLock { texts in
            if let known = texts.few[rows] { return known }
            if let known = texts.many, known.rows == rows { return known.text }
            let row = "(?" + String(repeating: ", ?", count: width - 1) + ")"
            let text = head + "VALUES " + row + String(repeating: ", " + row, count: rows - 1) + tail
            if rows <= Self.fewRows { texts.few[rows] = text } else { texts.many = (rows, text) }
            return text
        }
    }

    /// The text with an array for each column.
    private func text(_ arrays: [[SQLValue]]) -> String {
        let empty = isInsertion ? arrays.indices.filter { arrays[$0].allSatisfy { $0 == .null } } : []
        return texts.withLock { texts in
            if let known = texts.arrays[empty] { return known }
            let text = head + (isInsertion ? added(without: empty) : wanted) + tail
            texts.arrays[empty] = text
            return text
        }
    }

    /// The rows of `wanted`.
    ///
    /// PostgreSQL looks at the length of an array when it plans. It would plan for short ones each time, and for long
    /// ones it would scan tables. It does not look into a query, where it expects an array to have ten rows, and a
    /// limit to leave a tenth of them. So it plans for one row, keeps that plan, and looks each row up in an index. A
    /// limit that is NULL is no limit.
    private var wanted: String {
        let arrays = "(SELECT ?)" + String(repeating: ", (SELECT ?)", count: width - 1)
        return "SELECT * FROM unnest(\(arrays)) LIMIT (SELECT CAST(NULL AS BIGINT))"
    }

    /// The inserted rows.
    ///
    /// If a column has only nulls, its array does not have the type of the column. NULL fits each type.
    private func added(without empty: [Int]) -> String {
        let selection = columns.enumerated().map { empty.contains($0) ? "NULL" : $1 }.joined(separator: ", ")
        let arrays = "?" + String(repeating: ", ?", count: width - 1)
        return "SELECT \(selection) FROM unnest(\(arrays)) AS added(\(columns.joined(separator: ", ")))"
    }
}

extension RowStatement {
    /// The texts and parameters of a statement over rows, which are split at the limit of the database's ``RowSetForm``.
    /// Each is composed when it is needed.
    ///
    /// This is not a lazy map of a stride, whose closures take as long as composing a short statement.
    struct Calls: Sequence, IteratorProtocol {
        private let statement: RowStatement
        private let rows: [[SQLValue]]
        private let others: [SQLValue]
        private let form: RowSetForm
        private var start = 0

        init(of statement: RowStatement, _ rows: [[SQLValue]], _ others: [SQLValue], _ form: RowSetForm) {
            (self.statement, self.rows, self.others, self.form) = (statement, rows, others, form)
        }

        mutating func next() -> (sql: String, values: [SQLValue])? {
            guard start < rows.count else { return nil }
            let end = Swift.min(start + form.rows(width: statement.width, others: others.count), rows.count)
            defer { start = end }
            return statement.call(rows[start..<end], others, form)
        }
    }
}
