package import KithModel

/// The times when people were last online, stored with their accounts.
package enum LastSeen {
    /// When an account was last seen; nil if it never was, or does not exist.
    static func read(of account: AccountID, in transaction: any Transaction) throws -> Timestamp? {
        let row = try transaction.query("SELECT seen_at FROM account WHERE id = ?", [.id(account)]).first
        return try row.flatMap { try $0.optionalTime(0) }
    }

    /// Stores when these accounts were last seen. A later stored time stays.
    package static func write(_ seen: [AccountID: Timestamp], in transaction: any Transaction) throws {
        try AccountLock.take(Set(seen.keys), in: transaction)
        try transaction.execute(
            wanted: ["id", "seen"], seen.sorted { $0.key < $1.key }.map { [.id($0.key), .time($0.value)] },
            """
            UPDATE account SET seen_at = wanted.seen FROM wanted
            WHERE account.id = wanted.id AND (account.seen_at IS NULL OR account.seen_at < wanted.seen)
            """)
    }
}
