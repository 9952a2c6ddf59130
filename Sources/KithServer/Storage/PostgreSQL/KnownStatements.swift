import CPostgreSQL

/// The statements that a session runs often, with their numbered parameters, and the names of those that are prepared.
struct KnownStatements {
    /// The most statements that are known or prepared. Each prepared one takes memory in PostgreSQL, and none is
    /// removed.
    private static let limit = 4_000

    private var known: [String: Known] = [:]
    private var names = 0

    /// A statement, and its names in PostgreSQL: one for each list of types.
    private struct Known {
        let numbered: NumberedStatement
        var names: [[Oid]: String] = [:]
    }

    /// Numbers the parameters of a statement. If it `isFrequent`, they are numbered once.
    mutating func numbered(_ sql: String, isFrequent: Bool) -> NumberedStatement {
        if let known = known[sql] { return known.numbered }
        let numbered = NumberedStatement(sql)
        if isFrequent, known.count < Self.limit { known[sql] = Known(numbered: numbered) }
        return numbered
    }

    /// The name under which a statement is prepared for these types; nil if it is not.
    func name(of statement: PostgresStatement) -> String? {
        known[statement.sql]?.names[statement.parameters.types]
    }

    /// A new name for a statement that is about to be prepared; nil if there are too many.
    mutating func newName(of statement: PostgresStatement) -> String? {
        guard names < Self.limit, known[statement.sql] != nil else { return nil }
        let name = "kith_\(names)"
        names += 1
        known[statement.sql]?.names[statement.parameters.types] = name
        return name
    }

    /// Forgets the name of a statement that could not be prepared.
    mutating func forget(_ statement: PostgresStatement) {
        known[statement.sql]?.names[statement.parameters.types] = nil
    }
}
