package import KithModel

/// The ways to sign in to an account without one of its sessions. An account without any is lost with its last session.
package enum WaysIn {
    /// The number of ways: proved numbers and emails, passkeys, and recovery codes that were not used.
    static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        let tables = [
            "identity WHERE account = ?", "passkey WHERE account = ?", "recovery WHERE account = ? AND used IS NULL",
        ]
        return try tables.reduce(0) { count, table in
            count + Int(try transaction.query("SELECT count(*) FROM \(table)", [.id(account)]).first?.integer(0) ?? 0)
        }
    }

    /// Stores whether an account is identified: it has a number, an email or a passkey. Recovery codes do not count,
    /// because they are used up. The caller has added or removed one.
    package static func settle(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            UPDATE account SET kind = CASE
                WHEN EXISTS (SELECT 1 FROM identity WHERE identity.account = account.id)
                    OR EXISTS (SELECT 1 FROM passkey WHERE passkey.account = account.id)
                THEN 'identified' ELSE 'anonymous' END
            WHERE id = ?
            """, [.id(account)])
    }
}
