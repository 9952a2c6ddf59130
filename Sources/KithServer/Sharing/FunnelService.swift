import KithModel

/// Reads the funnel, for the operator.
package struct FunnelService: Sendable {
    private let database: any Database

    /// A service over `database`.
    package init(database: any Database) { self.database = database }

    /// The numbers of one programme or all.
    ///
    /// - Parameters:
    ///   - programme: The name of the programme; nil for all.
    ///   - first: The first day, counted from 1970; nil for no limit.
    ///   - last: The last day; nil for no limit.
    /// - Returns: The numbers.
    /// - Throws: ``ServerError`` if the database fails.
    package func funnel(
        of programme: String? = nil, from first: Int64? = nil, through last: Int64? = nil
    ) async throws -> Funnel {
        var values: [SQLValue] = [.integer(first ?? 0), .integer(last ?? Int64(Int32.max))]
        if let programme { values.append(.text(programme)) }
        let rows = try await database.read { [values] transaction in
            try transaction.query(
                """
                SELECT programme, day, channel, step, amount FROM funnel WHERE day >= ? AND day <= ?
                    \(programme == nil ? "" : "AND programme = ?")
                """, values
            ).compactMap { row -> Funnel.Row? in
                // Names of a newer version of this program are left out.
                guard let channel = ShareChannel(rawValue: try row.text(2)),
                    let step = Funnel.Step(rawValue: try row.text(3))
                else { return nil }
                return Funnel.Row(
                    programme: try row.text(0), day: try row.integer(1), channel: channel, step: step,
                    count: Int(try row.integer(4)))
            }
        }
        return Funnel(rows: rows)
    }
}
