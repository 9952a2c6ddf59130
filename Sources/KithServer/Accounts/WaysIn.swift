package import KithModel

/// The ways to sign in to an account without one of its sessions: proved numbers and emails, identities at issuers,
/// passkeys, and recovery codes that were not used. Without a way in, nobody can use the account after its last session
/// has ended.
///
/// A way that the operator has switched off does not count, because nobody can use it.
package struct WaysIn: Sendable {
    private let sendsEmail: Bool
    private let sendsSMS: @Sendable (E164) -> Bool
    private let hasRecoveryCodes: Bool
    private let hasPasskeys: Bool
    private let issuers: Set<String>?

    /// The ways that the operator has switched on; all by default.
    ///
    /// - Parameters:
    ///   - settings: Whether emails and recovery codes sign in.
    ///   - sendsSMS: Whether the server sends codes to a number.
    ///   - hasPasskeys: Whether passkeys sign in.
    ///   - issuers: The URLs of the issuers at which users can sign in; nil for all.
    package init(
        _ settings: SignInSettings = SignInSettings(), sendsSMS: @escaping @Sendable (E164) -> Bool = { _ in true },
        hasPasskeys: Bool = true, issuers: Set<String>? = nil
    ) {
        (sendsEmail, hasRecoveryCodes) = (settings.sendsEmail, settings.hasRecoveryCodes)
        self.sendsSMS = sendsSMS
        (self.hasPasskeys, self.issuers) = (hasPasskeys, issuers)
    }

    /// Removes a way in of an account with `body`, and stores the kind of the account.
    ///
    /// - Parameters:
    ///   - name: The way in, for the user.
    ///   - account: The account.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account.
    ///   - transaction: The transaction of the removal.
    ///   - body: Deletes the row.
    /// - Returns: The signals of the removal.
    /// - Throws: What `body` throws; ``ServerError`` with the code `lastWayIn` if nobody could sign in to the account
    ///   without it, and `evenLast` is false.
    func remove(
        _ name: String, of account: AccountID, evenLast: Bool, in transaction: any Transaction,
        _ body: () throws -> Void
    ) throws -> Committed<Void> {
        var signals = Signals()
        try AccountKind.noteChange(of: account, in: transaction, &signals) {
            try body()
            if !evenLast { try checkOneIsLeft(without: name, of: account, in: transaction) }
        }
        return Committed((), signals: signals)
    }

    /// Checks that the account still has a way in. Call it after the removal of one, in the same transaction.
    ///
    /// - Parameters:
    ///   - name: What was removed, for the user.
    ///   - account: The account.
    ///   - transaction: The transaction of the removal.
    /// - Throws: ``ServerError`` with the code `lastWayIn` if it has none.
    package func checkOneIsLeft(without name: String, of account: AccountID, in transaction: any Transaction) throws {
        guard try hasAny(account, in: transaction) else {
            throw ServerError(
                .lastWayIn,
                """
                \(name) is the last way to sign in to the account. Add another way first, or confirm that the last one is \
                to be removed.
                """)
        }
    }

    private func hasAny(_ account: AccountID, in transaction: any Transaction) throws -> Bool {
        let identities = try transaction.query("SELECT value FROM identity WHERE account = ?", [.id(account)])
            .compactMap { Identity(try $0.text(0)) }
        if identities.contains(where: canProve) { return true }
        if try IssuerIdentityRow.all(of: account, in: transaction).contains(where: { isOn($0.issuer) }) { return true }
        if hasPasskeys,
            try transaction.exists("SELECT 1 FROM passkey WHERE account = ? LIMIT 1", [.id(account)])
        {
            return true
        }
        guard hasRecoveryCodes else { return false }
        return try transaction.exists(
            "SELECT 1 FROM recovery WHERE account = ? AND used IS NULL LIMIT 1", [.id(account)])
    }

    /// Whether the server sends codes to an identity.
    private func canProve(_ identity: Identity) -> Bool {
        switch identity {
        case .email: sendsEmail
        case .phone(let number): sendsSMS(number)
        }
    }

    private func isOn(_ issuer: String) -> Bool { issuers?.contains(issuer) ?? true }
}
