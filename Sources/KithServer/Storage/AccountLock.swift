import KithModel

/// Locks the rows of accounts until the transaction ends. So one transaction at a time decides about an account: about
/// its ways in, its sessions, its limits, and whether it is found.
///
/// A database with one writer needs no lock, and no statement is run.
enum AccountLock {
    /// Locks these accounts. An account that does not exist is not locked.
    static func take(_ accounts: Set<AccountID>, in transaction: any Transaction) throws {
        guard transaction.dialect.hasSeveralWriters else { return }
        _ = try transaction.query(
            wanted: ["id"], accounts.sorted().map { [.id($0)] },
            """
            SELECT account.id FROM wanted CROSS JOIN account WHERE account.id = wanted.id
            ORDER BY account.id\(transaction.dialect.locking("account"))
            """)
    }

    /// Locks an account that was found before.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if it was deleted since. Not `accountClosed`, which a device understands as
    ///   the end of its own account.
    static func takeExisting(_ account: AccountID, in transaction: any Transaction) throws {
        try take([account], in: transaction)
        guard try exists(account, in: transaction) else {
            throw ServerError(
                .busy, "The account was deleted a moment ago. Nothing was changed; try again.", retryAfter: .seconds(1))
        }
    }

    /// Whether there is an account. Nothing is locked: unless its lock was taken before, the account may be deleted meanwhile.
    static func exists(_ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM account WHERE id = ?", [.id(account)])
    }
}
