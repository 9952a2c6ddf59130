import Foundation
import KithModel

/// A running transaction.
///
/// The SQL is the common subset of SQLite and PostgreSQL, with `?` for parameters. A driver binds each parameter with
/// the type of its ``SQLValue``.
///
/// The columns of an answer are whole numbers, texts and bytes. A sum of PostgreSQL is none of them, so it is cast to
/// BIGINT. Rows without `ORDER BY` are in no order, and a statement that inserts or replaces has each key once.
public protocol Transaction {
    /// The differences between the databases.
    var dialect: Dialect { get }

    /// Runs one statement that returns nothing.
    ///
    /// A driver may send it together with later ones. Its error is then thrown by one of these, or by the commit, and in
    /// each case undoes the whole transaction.
    func execute(_ sql: String, _ values: [SQLValue]) throws

    /// Runs one statement and returns its rows.
    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow]

    /// Runs one statement whose rows are read later, or never.
    ///
    /// A driver may send it together with others, before the first of their answers is read.
    func ask(_ sql: String, _ values: [SQLValue]) throws -> Pending<[SQLRow]>

    /// Runs one statement and returns its rows up to the first that is not wanted.
    ///
    /// A driver that can read row by row does not read the rest.
    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow]

    /// Runs the last statement of a transaction that only reads, and returns its rows. A further statement is an error.
    ///
    /// A driver may end the transaction together with it.
    func lastQuery(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow]
}

extension Transaction {
    /// Runs the statement at once.
    public func ask(_ sql: String, _ values: [SQLValue]) throws -> Pending<[SQLRow]> {
        let rows = try query(sql, values)
        return Pending { rows }
    }

    /// Runs the statement as ``query(_:_:)`` does.
    public func lastQuery(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        try query(sql, values)
    }

    /// Reads all rows, and drops those that are not wanted.
    public func query(
        _ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        try Array(query(sql, values).prefix(while: isWanted))
    }

    /// Whether a query has a row.
    func exists(_ sql: String, _ values: [SQLValue] = []) throws -> Bool {
        try !query(sql, values).isEmpty
    }

    /// Runs a statement with `RETURNING`, and returns whether it has changed a row.
    func changes(_ sql: String, _ values: [SQLValue]) throws -> Bool {
        try !query(sql, values).isEmpty
    }

    /// The whole number in the first column of a query's first row; 0 without a row.
    func count(_ sql: String, _ values: [SQLValue] = []) throws -> Int {
        Int(try query(sql, values).first?.integer(0) ?? 0)
    }

    /// The number of rows of a table that were created between two times and have `value` in `column`; the number of all
    /// such rows if `column` is nil.
    ///
    /// Rows after `until` were created while the clock was ahead. If they counted, a limit would refuse everything until it has
    /// caught up.
    func count(
        in table: String, _ column: String?, _ value: SQLValue, since: Timestamp, until: Timestamp
    ) throws -> Int {
        let condition = column.map { "\($0) = ? AND " } ?? ""
        return try count(
            "SELECT count(*) FROM \(table) WHERE \(condition)created > ? AND created < ?",
            (column == nil ? [] : [value]) + [.time(since), .time(until)])
    }

    /// Makes other transactions that lock the same name wait until this one ends. It is for decisions about rows that do
    /// not exist yet, such as the number of codes for an identity.
    ///
    /// A database with one writer runs no statement.
    func lockName(_ name: Data) throws {
        guard let sql = dialect.nameLock else { return }
        let number = name.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        _ = try ask(sql, [.integer(Int64(bitPattern: number))])
    }

    /// Runs one statement without parameters.
    public func execute(_ sql: String) throws {
        try execute(sql, [])
    }

    /// Runs one statement without parameters and returns its rows.
    public func query(_ sql: String) throws -> [SQLRow] {
        try query(sql, [])
    }
}
