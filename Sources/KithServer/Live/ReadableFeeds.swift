package import KithModel

/// The feeds that an account may read.
package enum ReadableFeeds {
    package static func of(_ account: AccountID, in database: any Database) async throws -> Set<FeedID> {
        try await database.read { try ask(account, in: $0).value() }
    }

    /// The same for a stream of a session, which is registered; nil if the session has ended.
    ///
    /// If it ends later, the stream hears of it. If it has ended before, but after the request was admitted, no stream has
    /// heard of it.
    package static func of(
        _ account: AccountID, while session: SessionID, in database: any Database
    ) async throws -> Set<FeedID>? {
        try await database.read { transaction in
            let feeds = try ask(account, in: transaction)
            return try SessionCheck.ended([session], in: transaction).isEmpty ? feeds.value() : nil
        }
    }

    private static func ask(_ account: AccountID, in transaction: any Transaction) throws -> Pending<Set<FeedID>> {
        try transaction.ask("SELECT feed FROM access WHERE account = ?", [.id(account)]).map { rows in
            Set(try rows.map { try $0.id(0) })
        }
    }
}
