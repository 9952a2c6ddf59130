import KithModel

/// The ways to sign in to an account without one of its sessions. An account without any is lost with its last session.
enum WaysIn {
    /// The number of ways: proved numbers and emails, and recovery codes that were not used.
    static func count(of account: AccountID, in transaction: any Transaction) throws -> Int {
        let tables = ["identity WHERE account = ?", "recovery WHERE account = ? AND used IS NULL"]
        return try tables.reduce(0) { count, table in
            count + Int(try transaction.query("SELECT count(*) FROM \(table)", [.id(account)]).first?.integer(0) ?? 0)
        }
    }
}
