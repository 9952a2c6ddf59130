package import KithModel

/// The kind of an account: `identified` if it has a number, an email, an identity at an issuer, or a passkey; otherwise
/// `anonymous`. Recovery codes do not count, because they are used up.
package enum AccountKind {
    /// The stored kind of an account; nil if there is no such account.
    static func read(_ account: AccountID, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT kind FROM account WHERE id = ?", [.id(account)]).first?.text(0)
    }

    /// Stores the kind of an account. Call it after a way in was added or removed. ``IdentityRegister`` calls it for
    /// numbers and emails.
    package static func update(of account: AccountID, in transaction: any Transaction) throws {
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

    /// Does `body`, and adds to the signals that the account's kind has changed, if it has.
    static func noteChange<Value>(
        of account: AccountID, in transaction: any Transaction, _ signals: inout Signals, _ body: () throws -> Value
    ) throws -> Value {
        let before = try read(account, in: transaction)
        let value = try body()
        if try read(account, in: transaction) != before { signals.changedKinds.insert(account) }
        return value
    }
}
