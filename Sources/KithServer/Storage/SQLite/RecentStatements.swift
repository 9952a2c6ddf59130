import GRDB

/// The statements over long row sets that a connection has run last. They stay prepared.
///
/// SQLite needs as long to prepare such a statement as to run it. The lengths of row sets vary, so not all statements
/// can be kept. But a job that works in parts of the same length runs the same few statements again and again.
// @unchecked: only the connection that writes uses it, and it runs one statement at a time.
final class RecentStatements: @unchecked Sendable {
    /// The most statements that are kept.
    private static let most = 8
    /// The most parameters of a statement that is kept. Each takes about a hundred bytes. ``ProfileFanout`` needs 6,000:
    /// feeds of 500 people with 12 columns.
    private static let parameters = 8_000

    /// The statements with their texts; the one that ran last comes last.
    private var statements: [(sql: String, statement: Statement)] = []

    /// The statement with this text and number of parameters: a kept one that does not run, or else a new one.
    func statement(_ sql: String, parameters: Int, in database: GRDB.Database) throws -> SQLiteStatement {
        if let index = statements.firstIndex(where: { $0.sql == sql }) {
            let known = statements.remove(at: index)
            statements.append(known)
            let statement = SQLiteStatement(known.statement)
            if !statement.isRunning { return statement }
        }
        let new = try database.makeStatement(sql: sql)
        if parameters <= Self.parameters, !statements.contains(where: { $0.sql == sql }) {
            if statements.count == Self.most { statements.removeFirst() }
            statements.append((sql, new))
        }
        return SQLiteStatement(new)
    }
}
