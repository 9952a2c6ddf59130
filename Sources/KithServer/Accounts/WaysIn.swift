import KithModel

/// The ways to sign in to an account without one of its sessions. Without a way in, nobody can use the account after its
/// last session has ended.
enum WaysIn {
    /// The number of ways: proved numbers and emails, identities at issuers, passkeys, and recovery codes that were not used.
    private static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        let tables = [
            "identity WHERE account = ?", "issuer_identity WHERE account = ?", "passkey WHERE account = ?",
            "recovery WHERE account = ? AND used IS NULL",
        ]
        return try tables.reduce(0) { count, table in
            try count + transaction.count("SELECT count(*) FROM \(table)", [.id(account)])
        }
    }

    /// Checks that the account has another way in than the one that is to be removed.
    ///
    /// - Throws: ``ServerError`` with the code `lastWayIn` if it has none.
    static func checkAnother(than name: String, of account: AccountID, in transaction: any Transaction) throws {
        guard try count(of: account, in: transaction) > 1 else {
            throw ServerError(
                .lastWayIn,
                """
                \(name) is the last way to sign in to the account. Add another way first, or confirm that the last one is \
                to be removed.
                """)
        }
    }
}
