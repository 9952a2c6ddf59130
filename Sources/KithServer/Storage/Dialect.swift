/// The differences between SQLite and PostgreSQL.
public enum Dialect: Hashable, Sendable {
    /// SQLite, with one writer at a time.
    case sqlite
    /// PostgreSQL, with several writers.
    case postgres

    /// Whether several transactions write at once. Then a row that was read can change until it is locked.
    public var hasSeveralWriters: Bool { self == .postgres }

    /// What people call the database.
    package var name: String { self == .sqlite ? "SQLite" : "PostgreSQL" }

    // MARK: Types and tables

    /// The type of a column of bytes.
    public var bytes: String { self == .sqlite ? "BLOB" : "BYTEA" }

    /// The suffix of a `CREATE TABLE` whose rows are stored in the order of their primary key.
    public var clustered: String { self == .sqlite ? " WITHOUT ROWID" : "" }

    /// What stands before `TABLE` when a table is created whose rows may be lost in a crash.
    var unlogged: String { self == .sqlite ? "" : "UNLOGGED " }

    /// How a statement receives the rows of a row set.
    ///
    /// SQLite accepts 32,766 parameters. But SQLite 3.40 joins a row set of that size by reading the whole table for
    /// each row. With half as many parameters it does not. A statement of PostgreSQL over 10,000 rows ends long before its
    /// time limit, and its values fit into memory.
    public var rowSets: RowSetForm { self == .sqlite ? .values(parameters: 16_000) : .arrays(rows: 10_000) }

    // MARK: Locks

    /// The end of a query that locks the rows of `table` that it finds.
    public func locking(_ table: String) -> String {
        hasSeveralWriters ? " FOR UPDATE OF \(table)" : ""
    }

    /// The end of a query that locks those rows of `table` that it finds and that nobody has locked. It leaves out the
    /// others.
    func lockingUnlocked(_ table: String) -> String {
        hasSeveralWriters ? "\(locking(table)) SKIP LOCKED" : ""
    }

    /// The end of a query that keeps others from deleting the rows of `table` that it finds. They may change them.
    func keeping(_ table: String) -> String {
        hasSeveralWriters ? " FOR KEY SHARE OF \(table)" : ""
    }

    /// A query that locks a number until the transaction ends, and first waits for others that have locked it; nil if
    /// there is only one writer at a time anyway.
    var nameLock: String? { hasSeveralWriters ? "SELECT 1 FROM pg_advisory_xact_lock(?)" : nil }

    /// A statement that waits for all transactions that have written to `table`, and keeps others from writing to it
    /// until this transaction ends; nil if there is only one writer at a time anyway.
    func stoppingWriters(of table: String) -> String? {
        hasSeveralWriters ? "LOCK TABLE \(table) IN SHARE MODE" : nil
    }

    /// The number of the transaction, which grows from one transaction to the next, but is given at the beginning; nil
    /// if there is only one writer at a time, so that commits can be counted in their order.
    var transactionNumber: String? { hasSeveralWriters ? "CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)" : nil }

    /// The highest number up to which every transaction had ended when the snapshot was taken; nil where
    /// ``transactionNumber`` is nil.
    var endedTransactions: String? {
        hasSeveralWriters ? "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT) - 1" : nil
    }

    // MARK: Expressions

    /// The time of the database, in milliseconds since 1970.
    var time: String {
        self == .postgres
            ? "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)"
            : "CAST((JULIANDAY('now') - 2440587.5) * 86400000 AS INTEGER)"
    }

    /// The number of bytes of a text column in UTF-8.
    ///
    /// PostgreSQL reads backslashes in a cast of a text to bytes as escapes. SQLite has `OCTET_LENGTH` from 3.43 on.
    func byteCount(of text: String) -> String {
        self == .postgres ? "OCTET_LENGTH(\(text))" : "LENGTH(CAST(\(text) AS \(bytes)))"
    }

    /// A text column, compared by its bytes in UTF-8. In PostgreSQL, the language of the database would decide.
    func bytewise(_ text: String) -> String {
        self == .postgres ? "\(text) COLLATE \"C\"" : text
    }

    /// A query of all columns of all tables: the table, the column, its type, and its place in the primary key, from 1;
    /// 0 if it is not part of the key.
    var catalogue: String {
        guard self == .postgres else {
            return """
                SELECT owner.name, item.name, item.type, item.pk
                FROM sqlite_master AS owner CROSS JOIN pragma_table_info(owner.name) AS item
                WHERE owner.type = 'table' AND owner.name NOT LIKE 'sqlite_%'
                """
        }
        return """
            SELECT owner.relname, item.attname, pg_catalog.format_type(item.atttypid, item.atttypmod),
                COALESCE(array_position(keys.conkey, item.attnum), 0)
            FROM pg_catalog.pg_class AS owner
            JOIN pg_catalog.pg_namespace AS place ON place.oid = owner.relnamespace AND place.nspname = current_schema()
            JOIN pg_catalog.pg_attribute AS item
                ON item.attrelid = owner.oid AND item.attnum > 0 AND NOT item.attisdropped
            LEFT JOIN pg_catalog.pg_constraint AS keys ON keys.conrelid = owner.oid AND keys.contype = 'p'
            WHERE owner.relkind IN ('r', 'p')
            """
    }
}
