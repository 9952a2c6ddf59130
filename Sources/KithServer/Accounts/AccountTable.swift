import KithModel

/// The statements over the table `account`, except those about the kind of an account and about whether it exists: see
/// ``AccountKind`` and ``AccountLock``.
enum AccountTable {
    /// Stores a new account with its feed, unless it exists.
    static func insertIfMissing(_ account: AccountID, at now: Timestamp, in transaction: any Transaction) throws {
        if try AccountLock.exists(account, in: transaction) { return }
        try transaction.execute(
            "INSERT INTO account (id, kind, created) VALUES (?, ?, ?)",
            [.id(account), .text("anonymous"), .time(now)])
        let feed = FeedRow(id: account.retyped(), kind: .account, writtenAt: now)
        try FeedRow.insert([feed], in: transaction)
        try transaction.execute(
            "INSERT INTO access (account, feed, role) VALUES (?, ?, ?)",
            [.id(account), .id(feed.id), .text(Role.owner.rawValue)])
    }

    /// Stores whether an account is a bot, and returns whether there is such an account.
    static func setBot(_ isBot: Bool, _ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.changes(
            "UPDATE account SET is_bot = ? WHERE id = ? RETURNING id", [.flag(isBot), .id(account)])
    }

    /// The newest accounts, newest first; at most `limit`.
    static func newest(_ limit: Int, in transaction: any Transaction) throws -> [AccountService.Entry] {
        try transaction.query(
            """
            SELECT id, is_bot, created, (SELECT count(*) FROM identity WHERE identity.account = account.id)
            FROM account ORDER BY id DESC LIMIT ?
            """, [.integer(Int64(limit))]
        ).map {
            AccountService.Entry(
                account: try $0.id(0), isBot: try $0.flag(1), created: try $0.time(2),
                identities: Int(try $0.integer(3)))
        }
    }

    /// Deletes an account, and returns whether there was one.
    static func delete(_ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.changes("DELETE FROM account WHERE id = ? RETURNING id", [.id(account)])
    }
}
