/// The condition of a query: parts that must all hold.
struct SQLCondition: Hashable, Sendable {
    private var parts: [String] = []
    /// The parameters of ``sql``, in their order.
    private(set) var values: [SQLValue] = []

    /// What follows `WHERE`. Without a part, every row fulfils it.
    var sql: String { parts.isEmpty ? "1 = 1" : parts.joined(separator: " AND ") }

    /// Adds a part with one parameter.
    mutating func require(_ part: String, _ value: SQLValue) {
        parts.append(part)
        values.append(value)
    }
}
