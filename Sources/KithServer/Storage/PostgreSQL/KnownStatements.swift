/// The statements that a session runs often, by the texts that their callers write.
///
/// A text is looked up once for each time it is run, because it takes some time to hash it.
struct KnownStatements {
    /// The most statements that are known or prepared. Each prepared one takes memory in PostgreSQL, and none is
    /// removed.
    private static let limit = 4_000

    private var known: [String: KnownStatement] = [:]
    private var names = 0

    /// The statement with this text, whose parameters are numbered. If it `isFrequent`, they are numbered once.
    mutating func statement(_ sql: String, isFrequent: Bool) -> KnownStatement {
        if let statement = known[sql] { return statement }
        let isKept = isFrequent && known.count < Self.limit
        let statement = KnownStatement(NumberedStatement(sql), isKept: isKept)
        if isKept { known[sql] = statement }
        return statement
    }

    /// A new name for a statement that is about to be prepared; nil if there are too many.
    mutating func newName(of statement: PostgresStatement) -> String? {
        guard names < Self.limit else { return nil }
        let name = "kith_\(names)"
        names += 1
        statement.name = name
        return name
    }
}
