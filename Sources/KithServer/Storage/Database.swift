public import KithModel

/// Where the server keeps everything: SQLite in the process today; shaped so that PostgreSQL can follow.
///
/// Whatever the server decides runs in a synchronous closure over a
/// ``Transaction``, so that what was read still holds when it is written.
public protocol Database: Sendable {
    /// The server's identity: made when the database is first opened, and kept in it.
    ///
    /// A copy of the database has the same one, so that a moved or restored server is recognised.
    var server: ServerID { get }

    /// Runs `body` in a transaction of its own and returns once that is durable.
    ///
    /// If `body` throws, nothing of it stays.
    ///
    /// - Throws: What `body` throws, or a ``ServerError`` with the code `busy`
    ///   when the database is away, locked or full.
    func write<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T

    /// Runs `body` over one snapshot: all that was committed when it began, and nothing later.
    ///
    /// - Throws: What `body` throws, or a ``ServerError`` with the code `busy`.
    func read<T: Sendable>(_ body: @escaping @Sendable (any Transaction) throws -> T) async throws -> T
}

/// A transaction under way.
///
/// The SQL is the language that SQLite and PostgreSQL share, with `?` for
/// parameters. A driver binds each parameter with the type of its ``SQLValue``.
public protocol Transaction {
    /// The few words in which the databases differ.
    var dialect: Dialect { get }

    /// Runs one statement.
    func execute(_ sql: String, _ values: [SQLValue]) throws

    /// Runs one statement and returns its rows.
    func query(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow]

    /// Runs one statement and returns its rows up to the first that is not wanted.
    ///
    /// A driver that can read row by row leaves the rest where it is.
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

/// The few words in which SQLite and PostgreSQL differ.
public struct Dialect: Hashable, Sendable {
    /// The type of a column of bytes.
    public var bytes: String
    /// What follows a `CREATE TABLE` whose rows lie in the order of their primary key.
    public var clustered: String
    /// The most parameters of one statement.
    public var parameters: Int
    /// Whether a row is locked by reading it `FOR UPDATE`; where not, a writer is alone anyway.
    public var locksRows: Bool

    /// A dialect of these words.
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

    /// What SQLite says.
    ///
    /// It takes 32,766 parameters, but to a row set of so many rows 3.40 joins
    /// by reading the whole table for each row. At half of that it does not.
    public static let sqlite = Dialect(
        bytes: "BLOB", clustered: " WITHOUT ROWID", parameters: 16_000, locksRows: false)
}
