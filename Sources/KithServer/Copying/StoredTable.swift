/// A table, as the database's own catalogue describes it.
package struct StoredTable: Hashable, Sendable {
    /// A column.
    package struct Column: Hashable, Sendable {
        package let name: String
        /// The type, with the same word in every database: `BIGINT`, `TEXT` or `BYTES`.
        package let type: String
    }

    package let name: String
    /// The columns in the order of their names, which is the same in every database.
    package let columns: [Column]
    /// The indices of the columns of the primary key, in its order.
    private let key: [Int]

    private init(_ name: String, _ rows: [SQLRow], _ dialect: Dialect) throws {
        let parts = try rows.map { row in
            let type = try row.text(2).uppercased()
            return (
                column: Column(name: try row.text(1), type: type == dialect.bytes ? "BYTES" : type),
                place: try row.integer(3)
            )
        }.sorted { $0.column.name < $1.column.name }
        self.name = name
        columns = parts.map(\.column)
        key = parts.indices.filter { parts[$0].place > 0 }.sorted { parts[$0].place < parts[$1].place }
    }

    /// All tables of the database, in the order of their names.
    package static func all(in transaction: any Transaction) throws -> [StoredTable] {
        let dialect = transaction.dialect
        return try Dictionary(grouping: transaction.query(dialect.catalogue)) { try $0.text(0) }
            .map { try StoredTable($0.key, $0.value, dialect) }
            .sorted { $0.name < $1.name }
    }

    /// The names of the columns.
    package var columnNames: [String] { columns.map(\.name) }

    /// The names of the columns of the primary key.
    package var keyNames: [String] { key.map { columns[$0].name } }

    /// The index of the column with this name.
    func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    /// The key of a row that ``rows(after:limit:in:)`` has returned.
    func key(of row: SQLRow) -> [SQLValue] { key.map { row.values[$0] } }

    /// The next rows after the one with the key `place`, or the first rows if it is nil.
    ///
    /// They are in the order of the key, which is the same in every database.
    func rows(after place: [SQLValue]?, limit: Int, in transaction: any Transaction) throws -> [SQLRow] {
        let order = key.map { index in
            let column = columns[index]
            return column.type == "TEXT" ? transaction.dialect.bytewise(column.name) : column.name
        }.joined(separator: ", ")
        let parameters = Array(repeating: "?", count: key.count).joined(separator: ", ")
        let condition = place == nil ? "" : " WHERE (\(order)) > (\(parameters))"
        return try transaction.query(
            "SELECT \(columnNames.joined(separator: ", ")) FROM \(name)\(condition) ORDER BY \(order) LIMIT ?",
            (place ?? []) + [.integer(Int64(limit))])
    }
}
