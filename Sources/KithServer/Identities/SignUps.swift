package import KithModel

/// The accounts that have proved a number, an email or an identity at an issuer: the table `sign_up`.
///
/// An account signs up once, with the first of them. ``IdentityRegister`` records it, so that no way to prove a number or an
/// email can forget it. A passkey is no sign-up, because it does not say who somebody is.
package enum SignUps {
    /// An account that has signed up.
    struct SignUp: Hashable, Sendable {
        let account: AccountID
        let joined: Timestamp

        /// Reads a row of ``SignUps/next(at:in:)``.
        init(_ row: SQLRow) throws { (account, joined) = (try row.id(0), try row.time(1)) }
    }

    /// Stores that an account has proved who it is. The first time, a background job then finds out who has brought it.
    /// Later, the job stores that the new identity is one of a person who was referred, if the account was.
    ///
    /// The caller has locked the account. So who has brought it is decided before, and the job then knows it, or after, with
    /// the new identity.
    package static func record(_ account: AccountID, at now: Timestamp, in transaction: any Transaction) throws {
        let isFirst = try transaction.changes(
            """
            INSERT INTO sign_up (account, joined, due) VALUES (?, ?, ?)
            ON CONFLICT (account) DO NOTHING RETURNING account
            """, [.id(account), .time(now), .time(now)])
        if isFirst { return }
        try transaction.insert(
            into: "sharing_work", ["account", "record", "kind", "due"],
            [[.id(account), .id(account), .text("identity"), .time(WorkTurn.first(at: now))]],
            replacing: ["account", "record", "kind"])
    }

    /// When an account has signed up; nil if it has not.
    static func joined(_ account: AccountID, in transaction: any Transaction) throws -> Timestamp? {
        try transaction.query("SELECT joined FROM sign_up WHERE account = ?", [.id(account)]).first?.time(0)
    }

    /// Whether an account has signed up, and it is not decided who has brought it.
    static func isWaiting(_ account: AccountID, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM sign_up WHERE account = ? AND due IS NOT NULL", [.id(account)])
    }

    /// Whether there is a sign-up to decide about.
    static func isWaiting(at now: Timestamp, in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT account FROM sign_up WHERE due <= ? LIMIT 1", [.time(now)])
    }

    /// The row of the sign-up to decide about first, as it is stored; nil if there is none.
    static func next(at now: Timestamp, in transaction: any Transaction) throws -> SQLRow? {
        try transaction.query(
            """
            SELECT account, joined FROM sign_up WHERE due <= ? ORDER BY due, account LIMIT 1\
            \(transaction.dialect.locking("sign_up"))
            """, [.time(now)]
        ).first
    }

    /// Stores that it was decided about a sign-up.
    static func end(_ account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute("UPDATE sign_up SET due = NULL WHERE account = ?", [.id(account)])
    }

    /// Lets a sign-up, about which not everything was decided, wait until a later time.
    static func wait(_ account: AccountID, until later: Timestamp, in transaction: any Transaction) throws {
        try transaction.execute("UPDATE sign_up SET due = ? WHERE account = ?", [.time(later), .id(account)])
    }
}
