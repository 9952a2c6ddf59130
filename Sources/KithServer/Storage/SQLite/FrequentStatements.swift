import GRDB

/// The statements with few parameters that a connection has run. They stay prepared as long as the connection is open.
///
/// GRDB keeps statements, too, but hashes the whole text to find one. That takes longer than running a short statement.
// @unchecked: only the thread that uses the connection uses it.
final class FrequentStatements: @unchecked Sendable {
    /// The text of a statement. Only its length is hashed. Texts of the same length are told apart by comparing them; for a
    /// constant, Swift compares only the addresses.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    private var statements: [Text: Statement] = [:]

    /// The statement with this text. It may be running.
    func statement(_ sql: String, in database: GRDB.Database) throws -> Statement {
        if let known = statements[Text(sql: sql)] { return known }
        let new = try database.cachedStatement(sql: sql)
        statements[Text(sql: sql)] = new
        return new
    }
}
