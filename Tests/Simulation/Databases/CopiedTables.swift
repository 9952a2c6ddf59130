import GRDB

/// The tables of databases that all have the same ones, with their rows.
///
/// The table of GRDB's migrations is not among them: it changes only together with the tables.
struct CopiedTables: Sendable {
    /// The rows of the tables that have any, by the places of the tables.
    struct Content: Sendable {
        fileprivate var rows: [(table: Int, rows: CopiedTable.Rows)] = []
    }

    /// In the order in which their rows are written, and deleted backwards: a row refers only to rows of earlier tables. The
    /// first is SQLite's own table of numbers, which SQLite changes when rows of other tables are written.
    private let tables: [CopiedTable]
    /// The query of the places of those tables that have rows.
    private let filled: String

    /// All tables of a database.
    init(_ db: Database) throws { self.init(try Self.names(db).map { try CopiedTable($0, db) }) }

    private init(_ tables: [CopiedTable]) {
        self.tables = tables
        filled = tables.enumerated()
            .map { "SELECT \($0) WHERE EXISTS (SELECT 1 FROM \"\($1.name)\")" }.joined(separator: " UNION ALL ")
    }

    var names: Set<String> { Set(tables.map(\.name)) }

    /// The names of all tables of a database, in the order of ``tables``.
    static func names(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type = 'table' AND name <> 'grdb_migrations'
                        AND (name NOT GLOB 'sqlite_*' OR name = 'sqlite_sequence')
                    ORDER BY name <> 'sqlite_sequence', rowid
                    """))
    }

    /// These tables, and more tables of a database.
    func adding(_ names: [String], _ db: Database) throws -> CopiedTables {
        CopiedTables(tables + (try names.map { try CopiedTable($0, db) }))
    }

    /// The columns, foreign keys and indexes of a database, one line for each, whatever the order in which they were created.
    static func shape(of db: Database) throws -> Set<String> {
        try String.fetchSet(
            db.cachedStatement(
                sql: """
                    SELECT made.name || '.' || part.name || ' ' || part.type || ' ' || part."notnull" || ' '
                        || coalesce(part.dflt_value, '') || ' ' || part.pk
                    FROM sqlite_master AS made JOIN pragma_table_info(made.name) AS part WHERE made.type = 'table'
                    UNION ALL
                    SELECT made.name || '.' || part."from" || ' refers to ' || part."table" || '.'
                        || coalesce(part."to", '') || ' ' || part.on_delete
                    FROM sqlite_master AS made JOIN pragma_foreign_key_list(made.name) AS part
                    WHERE made.type = 'table'
                    UNION ALL
                    SELECT name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE type <> 'table'
                    """))
    }

    /// The texts that define the tables and indexes of a database.
    static func definitions(in db: Database) throws -> Set<String> {
        try String.fetchSet(
            db, sql: "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_master")
    }

    // MARK: Rows

    func content(of db: Database) throws -> Content {
        Content(rows: try filledTables(db).map { (table: $0, rows: try tables[$0].rows(db)) })
    }

    /// Replaces all rows of a database.
    func replace(by content: Content, in db: Database) throws {
        for table in try filledTables(db).reversed() { try tables[table].deleteRows(db) }
        for (table, rows) in content.rows { try tables[table].write(rows, db) }
    }

    private func filledTables(_ db: Database) throws -> [Int] { try Int.fetchAll(db.cachedStatement(sql: filled)) }
}
