package import GRDB
import GRDBSQLite

/// A prepared statement whose values are bound and read directly through SQLite.
///
/// GRDB's `StatementArguments` and `Row` box each value. For a statement that writes or reads one row, that takes
/// several times as long as SQLite itself. This type binds and reads without boxes. The statement still comes from
/// GRDB's cache and runs through GRDB, so that observers see what it reads and writes.
///
/// A statement is valid only during the current access to the database, and is used for one query at a time.
package struct DirectStatement {
    private let statement: Statement

    /// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Prepares a statement, or takes it from the connection's cache.
    ///
    /// - Throws: `DatabaseError` if SQLite cannot compile it.
    package init(_ sql: String, _ db: Database) throws {
        statement = try db.cachedStatement(sql: sql)
    }

    /// Runs the statement with these values for its parameters, in their order.
    package func run<each Value: StatementBinding>(_ values: repeat each Value) throws {
        bind(repeat each values)
        try statement.execute()
    }

    /// Runs the statement with the values that `body` binds. Parameters that it leaves out are NULL.
    package func run(binding body: (inout Parameters) -> Void) throws {
        prepare()
        var parameters = Parameters(statement: statement.sqliteStatement)
        body(&parameters)
        try statement.execute()
    }

    /// Runs the statement once for each element. `body` binds all parameters.
    package func run<Element>(
        forEach elements: [Element], binding body: (Element, inout Parameters) -> Void
    ) throws {
        prepare()
        for element in elements {
            sqlite3_reset(statement.sqliteStatement)
            var parameters = Parameters(statement: statement.sqliteStatement)
            body(element, &parameters)
            try statement.execute()
        }
    }

    /// Reads the first row; nil if there is none.
    package func first<each Value: StatementBinding, Result>(
        _ values: repeat each Value, read: (Columns) throws -> Result
    ) throws -> Result? {
        bind(repeat each values)
        let cursor = ColumnCursor(statement)
        // The columns are valid until the cursor is released.
        return try withExtendedLifetime(cursor) { try cursor.next().map(read) }
    }

    /// Reads all rows.
    package func all<each Value: StatementBinding, Result>(
        _ values: repeat each Value, read: (Columns) throws -> Result
    ) throws -> [Result] {
        bind(repeat each values)
        return try rows(read)
    }

    /// Passes all rows to `body`.
    package func forEach<each Value: StatementBinding>(
        _ values: repeat each Value, body: (Columns) throws -> Void
    ) throws {
        bind(repeat each values)
        let cursor = ColumnCursor(statement)
        try withExtendedLifetime(cursor) { try cursor.forEach(body) }
    }

    private func rows<Result>(_ read: (Columns) throws -> Result) throws -> [Result] {
        var results: [Result] = []
        let cursor = ColumnCursor(statement)
        try withExtendedLifetime(cursor) { try cursor.forEach { results.append(try read($0)) } }
        return results
    }

    /// Whether the query has a row.
    package func hasRow<each Value: StatementBinding>(_ values: repeat each Value) throws -> Bool {
        bind(repeat each values)
        return try ColumnCursor(statement).next() != nil
    }

    /// Reads all rows. Values for parameters that the statement does not have are left out; `?3` is the third value.
    package func allNumbered<each Value: StatementBinding, Result>(
        _ values: repeat each Value, read: (Columns) throws -> Result
    ) throws -> [Result] {
        prepare()
        var index: CInt = 0
        let count = sqlite3_bind_parameter_count(statement.sqliteStatement)
        for value in repeat each values {
            index += 1
            if index <= count { _ = value.bind(to: statement.sqliteStatement, at: index) }
        }
        return try rows(read)
    }

    private func bind<each Value: StatementBinding>(_ values: repeat each Value) {
        prepare()
        var parameters = Parameters(statement: statement.sqliteStatement)
        repeat parameters.append(each values)
    }

    /// Resets the statement, and tells GRDB that its values are bound.
    private func prepare() { statement.setUncheckedArguments(StatementArguments()) }

    /// The values of a statement's parameters, from left to right, or of one column in a ``BulkStatement``.
    package struct Parameters {
        private let statement: SQLiteStatement
        /// The parameter that was bound last. The first one has the number 1.
        private var last: CInt
        /// How far the next parameter is from the last one.
        private let step: CInt

        /// Begins with the parameter `first`.
        init(statement: SQLiteStatement, first: CInt = 1, step: CInt = 1) {
            self.statement = statement
            self.last = first - step
            self.step = step
        }

        /// Binds the next parameter.
        package mutating func append(_ value: some StatementBinding) {
            last += step
            let code = value.bind(to: statement, at: last)
            precondition(code == SQLITE_OK, "The statement has fewer than \(last) parameters.")
        }

        /// Binds a text in UTF-8 to the next parameter; NULL for nil.
        package mutating func append(utf8: UnsafeBufferPointer<UInt8>?) {
            guard let utf8 else { return appendNull() }
            last += step
            // Without an address, SQLite would bind NULL.
            guard let start = utf8.baseAddress, !utf8.isEmpty else {
                sqlite3_bind_text(statement, last, "", 0, DirectStatement.copied)
                return
            }
            start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                _ = sqlite3_bind_text64(
                    statement, last, $0, UInt64(utf8.count), DirectStatement.copied, UInt8(SQLITE_UTF8))
            }
        }

        /// Binds NULL to the next parameter.
        package mutating func appendNull() {
            last += step
            sqlite3_bind_null(statement, last)
        }
    }

    /// The columns of the current row, numbered from 0. They are valid until the next row is read.
    package struct Columns {
        private let statement: SQLiteStatement

        fileprivate init(statement: SQLiteStatement) { self.statement = statement }

        /// The storage classes of SQLite.
        package enum StorageClass { case null, integer, real, text, bytes }

        /// The storage class of the value in a column.
        package func storage(_ column: CInt) -> StorageClass {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .real
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .bytes
            default: .null
            }
        }

        /// An integer; 0 for NULL.
        package func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }

        /// An integer; nil for NULL.
        package func integerIfAny(_ column: CInt) -> Int64? { storage(column) == .null ? nil : integer(column) }

        /// A flag; false for NULL.
        package func flag(_ column: CInt) -> Bool { integer(column) != 0 }

        /// A text; empty for NULL.
        package func text(_ column: CInt) -> String { textIfAny(column) ?? "" }

        /// A text; nil for NULL.
        package func textIfAny(_ column: CInt) -> String? {
            guard let text = sqlite3_column_text(statement, column) else { return nil }
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Passes the bytes of a BLOB or a text to `body`; no bytes for NULL.
        package func withBytes<Result>(_ column: CInt, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
            -> Result
        {
            let bytes = sqlite3_column_blob(statement, column)
            return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
        }
    }
}

/// Steps through the rows of a statement whose values are bound.
private final class ColumnCursor: DatabaseCursor {
    typealias Element = DirectStatement.Columns

    let _statement: Statement
    var _isDone = false

    init(_ statement: Statement) { _statement = statement }

    deinit {
        // An error of the last step was thrown already, and SQLite repeats it here.
        sqlite3_reset(_statement.sqliteStatement)
    }

    func _element(sqliteStatement: SQLiteStatement) throws -> Element {
        Element(statement: sqliteStatement)
    }
}
