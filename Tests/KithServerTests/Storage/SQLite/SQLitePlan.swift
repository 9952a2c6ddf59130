import KithServer

/// The plan of a statement in SQLite.
struct SQLitePlan {
    /// The steps, as SQLite describes them.
    let steps: [String]
    /// The steps that read a whole table, or the rows of fewer columns of an index than the statement names.
    let faults: [String]

    /// The plan of a statement, whatever the values of its parameters are.
    init(of sql: String, in database: any ImmediateDatabase) throws {
        let parameters = [SQLValue](repeating: .null, count: sql.count { $0 == "?" })
        let target = Target(of: sql)
        (steps, faults) = try database.writeNow { transaction in
            let steps = try transaction.query("EXPLAIN QUERY PLAN \(sql)", parameters).map { try $0.text(3) }
            return (steps, try steps.filter { try Self.isFault($0, target, in: transaction) })
        }
    }

    /// The table from which a statement deletes rows of a row set, or in which it changes them, and the columns with values
    /// that it names.
    private struct Target: Sendable {
        let table: String
        let columns: Set<String>

        init?(of sql: String) {
            guard let change = sql.firstMatch(of: /(?:UPDATE|DELETE FROM)\s+(\w+)\s/) else { return nil }
            let rest = sql[change.range.upperBound...]
            guard let start = rest.firstRange(of: "WHERE")?.upperBound else { return nil }
            let condition = rest[start...]
            let rows = condition.matches(of: /\(([\w, ]+)\) IN \(\s*SELECT/).flatMap { match in
                match.output.1.split(separator: ", ").map { String($0) }
            }
            if rows.isEmpty { return nil }
            table = String(change.output.1)
            columns = Set(rows + condition.matches(of: /\b(\w+) = \?/).map { String($0.output.1) })
        }
    }

    private static func isFault(_ step: String, _ target: Target?, in transaction: any Transaction) throws -> Bool {
        if step.hasPrefix("SCAN") { return !step.contains("CONSTANT ROW") && step != "SCAN wanted" }
        let search = step.wholeMatch(of: /SEARCH (\w+) USING (?:COVERING )?(?:INDEX (\w+)|PRIMARY KEY) \((.+)\)/)
        guard let target, let search, search.output.1 == target.table else { return false }
        let columns = try columns(of: search.output.2.map { String($0) }, of: target.table, in: transaction)
        let used = search.output.3.split(separator: " AND ").count { $0.hasSuffix("=?") }
        return used < columns.count && target.columns.contains(columns[used])
    }

    /// The columns of an index in their order; those of the primary key if it is nil.
    private static func columns(
        of index: String?, of table: String, in transaction: any Transaction
    ) throws -> [String] {
        let sql =
            index == nil
            ? "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
            : "SELECT name FROM pragma_index_xinfo(?) WHERE name IS NOT NULL ORDER BY seqno"
        return try transaction.query(sql, [.text(index ?? table)]).map { try $0.text(0) }
    }
}
