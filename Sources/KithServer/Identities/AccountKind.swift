package import KithModel

/// The kind of an account: `identified` if it has a number, an email, an identity at an issuer, or a passkey; otherwise
/// `anonymous`. Recovery codes do not count, because they are used up.
package enum AccountKind {
    /// The stored kind of an account; nil if there is no such account.
    static func read(_ account: AccountID, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT kind FROM account WHERE id = ?", [.id(account)]).first?.text(0)
    }

    /// Stores the kind of an account. ``IdentityRegister`` calls it for numbers and emails, ``noteChange(of:in:_:_:)`` for
    /// the other ways in.
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

    /// Does `body`, which adds or removes a way in. Stores the kind of the account, and adds to the signals that it has
    /// changed, if it has.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the account was deleted meanwhile; what `body` throws.
    static func noteChange<Value>(
        of account: AccountID, in transaction: any Transaction, _ signals: inout Signals, _ body: () throws -> Value
    ) throws -> Value {
        try AccountLock.takeExisting(account, in: transaction)
        let before = try read(account, in: transaction)
        let value = try body()
        try update(of: account, in: transaction)
        if try read(account, in: transaction) != before { signals.changedKinds.insert(account) }
        return value
    }
}
