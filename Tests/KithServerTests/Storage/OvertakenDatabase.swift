import KithServer

/// A database with a moment before each statement of a write, at which others write, as PostgreSQL lets them, or the
/// statement fails.
final class OvertakenDatabase: DatabaseDouble {
    let database: any Database
    private let moment: @Sendable (_ sql: String, _ transaction: any Transaction) throws -> Void

    init(
        _ database: any Database,
        _ moment: @escaping @Sendable (_ sql: String, _ transaction: any Transaction) throws -> Void
    ) {
        (self.database, self.moment) = (database, moment)
    }

    func performWrite(_ work: any TransactionWork, inTurn turn: FeedTurn?) async throws {
        try await database.write { [moment] transaction in
            try work.run(in: WatchedTransaction(base: transaction, before: { sql, _ in try moment(sql, transaction) }))
        }
    }
}
