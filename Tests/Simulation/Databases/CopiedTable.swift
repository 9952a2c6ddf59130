import GRDB

/// A table whose rows are read and written as a whole.
///
/// Rows keep their numbers, because some queries return rows in the order of these numbers. The statements stay prepared,
/// because SQLite takes longer to prepare a statement than to run it.
struct CopiedTable: Sendable {
    typealias Rows = [[DatabaseValue]]

    let name: String
    private let select: String
    private let insert: String
    private let delete: String

    init(_ name: String, _ db: Database) throws {
        self.name = name
        let names = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [name])
        let hasNumbers = try Bool.fetchOne(
            db, sql: "SELECT NOT wr FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [name])
        let columns = (hasNumbers ?? true ? ["rowid"] : []) + names.map { "\"\($0)\"" }
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        select = "SELECT \(columns.joined(separator: ", ")) FROM \"\(name)\""
        insert = "INSERT INTO \"\(name)\" (\(columns.joined(separator: ", "))) VALUES (\(marks))"
        delete = "DELETE FROM \"\(name)\""
    }

    func rows(_ db: Database) throws -> Rows {
        try Row.fetchAll(db.cachedStatement(sql: select)).map { Array($0.databaseValues) }
    }

    func write(_ rows: Rows, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: insert)
        for row in rows { try statement.execute(arguments: StatementArguments(row)) }
    }

    func deleteRows(_ db: Database) throws { try db.cachedStatement(sql: delete).execute() }
}
