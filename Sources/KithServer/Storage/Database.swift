public import KithModel

/// The database of the server: SQLite in the process. The design also permits PostgreSQL.
///
/// Every decision of the server runs in a synchronous closure over a ``Transaction``, so that the data that was read is
/// still current when the result is written.
public protocol Database: Sendable {
    /// The server's identity: created when the database is first opened, and stored in it.
    ///
    /// A copy of the database has the same identity, so that devices recognise a moved or restored server.
    var server: ServerID { get }

    /// Runs `body` in a transaction of its own and returns once that is durable.
    ///
    /// If `body` throws, all its changes are undone.
    ///
    /// - Throws: What `body` throws, or a ``ServerError`` with the code `busy`
    ///   when the database is away, locked or full.
    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// Runs `body` over one snapshot: everything that was committed when it began, and nothing later.
    ///
    /// - Throws: What `body` throws, or a ``ServerError`` with the code `busy`.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T
}

/// A running transaction.
///
/// The SQL is the common subset of SQLite and PostgreSQL, with `?` for parameters. A driver binds each parameter with
/// the type of its ``SQLValue``.
public protocol Transaction {
    /// The differences between the databases.
    var dialect: Dialect { get }

    /// Runs one statement.
    func execute(_ sql: String, _ values: [SQLValue]) throws

    /// Runs one statement and returns its rows.
    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow]

    /// Runs one statement and returns its rows up to the first that is not wanted.
    ///
    /// A driver that can read row by row does not read the rest.
    func query(_ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool) throws -> [SQLRow]
}

extension Transaction {
    /// Reads all rows, and drops those that are not wanted.
    public func query(
        _ sql: String, _ values: [SQLValue], while isWanted: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        try Array(query(sql, values).prefix(while: isWanted))
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

/// The differences between SQLite and PostgreSQL.
public struct Dialect: Hashable, Sendable {
    /// The type of a column of bytes.
    public var bytes: String
    /// The suffix of a `CREATE TABLE` whose rows are stored in the order of their primary key.
    public var clustered: String
    /// The maximum number of parameters of one statement.
    public var parameters: Int
    /// Whether `FOR UPDATE` locks the rows that are read; if false, there is only one writer at a time anyway.
    public var locksRows: Bool

    /// A dialect with these values.
    public init(bytes: String, clustered: String, parameters: Int, locksRows: Bool) {
        self.bytes = bytes
        self.clustered = clustered
        self.parameters = parameters
        self.locksRows = locksRows
    }

    /// The end of a query that locks the rows of `table` that it finds.
    public func locking(_ table: String) -> String {
        locksRows ? " FOR UPDATE OF \(table)" : ""
    }

    /// The dialect of SQLite.
    ///
    /// SQLite accepts 32,766 parameters. But SQLite 3.40 joins a row set of that size by reading the whole table for
    /// each row. With half as many parameters it does not.
    public static let sqlite = Dialect(
        bytes: "BLOB", clustered: " WITHOUT ROWID", parameters: 16_000, locksRows: false)
}
