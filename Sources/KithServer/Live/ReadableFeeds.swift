package import KithModel

/// The feeds that an account may read.
package enum ReadableFeeds {
    package static func of(_ account: AccountID, in database: any Database) async throws -> Set<FeedID> {
        try await database.read { transaction in
            let rows = try transaction.query("SELECT feed FROM access WHERE account = ?", [.id(account)])
            return Set(try rows.map { try $0.id(0) })
        }
    }
}
