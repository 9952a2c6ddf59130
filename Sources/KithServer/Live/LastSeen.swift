package import KithModel

/// The times when people were last online, stored with their accounts.
package enum LastSeen {
    /// When an account was last seen; nil if it never was, or does not exist.
    static func read(of account: AccountID, in transaction: any Transaction) throws -> Timestamp? {
        let row = try transaction.query("SELECT seen_at FROM account WHERE id = ?", [.id(account)]).first
        return try row.flatMap { try $0.optionalTime(0) }
    }

    /// How much later a stored time is if it was stored while the clock was ahead. Smaller differences are from other
    /// servers, or from people whose time could not be stored at once.
    private static let lead = Duration.days(1)

    /// Stores when these accounts were last seen. A later stored time stays, unless it is too late to be right.
    package static func write(_ seen: [AccountID: Timestamp], in transaction: any Transaction) throws {
        try AccountLock.take(Set(seen.keys), in: transaction)
        try update(seen, in: transaction)
    }

    /// Stores the same for those of these accounts that nobody has locked. It waits for nothing.
    ///
    /// - Returns: The times of these accounts.
    static func writeUnlocked(
        _ seen: [AccountID: Timestamp], in transaction: any Transaction
    ) throws -> [AccountID: Timestamp] {
        if seen.isEmpty { return [:] }
        let rows = try transaction.query(
            wanted: ["id"], seen.keys.sorted().map { [.id($0)] },
            """
            SELECT account.id FROM wanted CROSS JOIN account WHERE account.id = wanted.id
            ORDER BY account.id\(transaction.dialect.lockingUnlocked("account"))
            """)
        let free: Set<AccountID> = Set(try rows.map { try $0.id(0) })
        let stored = seen.filter { free.contains($0.key) }
        try update(stored, in: transaction)
        return stored
    }

    private static func update(_ seen: [AccountID: Timestamp], in transaction: any Transaction) throws {
        if seen.isEmpty { return }
        try transaction.execute(
            wanted: ["id", "seen"], seen.sorted { $0.key < $1.key }.map { [.id($0.key), .time($0.value)] },
            """
            UPDATE account SET seen_at = wanted.seen FROM wanted
            WHERE account.id = wanted.id AND (account.seen_at IS NULL OR account.seen_at < wanted.seen
                OR account.seen_at > wanted.seen + \(lead.milliseconds))
            """)
    }
}
