package import KithModel

/// The ways to sign in to an account without one of its sessions. An account without any is lost with its last session.
package enum WaysIn {
    /// The number of ways: proved numbers and emails, identities at issuers, passkeys, and recovery codes that were not used.
    private static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        let tables = [
            "identity WHERE account = ?", "issuer_identity WHERE account = ?", "passkey WHERE account = ?",
            "recovery WHERE account = ? AND used IS NULL",
        ]
        return try tables.reduce(0) { count, table in
            count + Int(try transaction.query("SELECT count(*) FROM \(table)", [.id(account)]).first?.integer(0) ?? 0)
        }
    }

    /// Checks before a way in is removed whether another one is left.
    ///
    /// - Throws: ``ServerError`` with the code `lastWayIn` if `name` is the last way in.
    static func checkAnother(than name: String, of account: AccountID, in transaction: any Transaction) throws {
        guard try count(of: account, in: transaction) > 1 else {
            throw ServerError(
                .lastWayIn,
                """
                \(name) is the last way to sign in to the account. Add another way first, or say that the last one may go.
                """)
        }
    }

    /// Stores whether an account is identified: it has a number, an email, an identity at an issuer, or a passkey. Recovery codes do not count,
    /// because they are used up. The caller has added or removed one.
    package static func settle(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute(
            """
            UPDATE account SET kind = CASE
                WHEN EXISTS (SELECT 1 FROM identity WHERE identity.account = account.id)
                    OR EXISTS (SELECT 1 FROM issuer_identity WHERE issuer_identity.account = account.id)
                    OR EXISTS (SELECT 1 FROM passkey WHERE passkey.account = account.id)
                THEN 'identified' ELSE 'anonymous' END
            WHERE id = ?
            """, [.id(account)])
    }
}
