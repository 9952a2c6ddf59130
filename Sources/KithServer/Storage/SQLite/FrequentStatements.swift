import GRDB

/// The statements with few parameters that a connection has run. They stay prepared as long as the connection is open.
///
/// GRDB keeps statements, too, but hashes the whole text to find one. That takes longer than running a short statement.
// @unchecked: only the thread that uses the connection uses it.
final class FrequentStatements: @unchecked Sendable {
    /// The statements with their texts, by the lengths of the texts modulo the number of places. Texts in the same place are
    /// told apart by comparing them; for a constant, Swift compares only the addresses.
    private var places = [[(sql: String, statement: Statement)]](repeating: [], count: 512)

    /// The statement with this text. It may be running.
    func statement(_ sql: String, in database: GRDB.Database) throws -> Statement {
        let place = sql.utf8.count % places.count
        for known in places[place] where known.sql == sql { return known.statement }
        let new = try database.cachedStatement(sql: sql)
        places[place].append((sql, new))
        return new
    }
}
