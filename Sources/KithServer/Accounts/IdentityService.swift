package import KithModel

/// Shows the numbers and emails of an account to its owner, and removes them.
package struct IdentityService: Sendable {
    private let database: any Database
    private let discoveryKeys: DiscoveryKeys
    private let signals: SignalSender
    private let ways: WaysIn
    private let notices: AccountNotices

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database of the identities.
    ///   - messages: Sends the notice to a removed email.
    ///   - discoveryKeys: The secret keys under which identities are evaluated.
    ///   - signals: Sends the signals of its commits.
    ///   - ways: The ways in that the operator has switched on.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, messages: MessageQueue, discoveryKeys: DiscoveryKeys,
        signals: SignalSender, ways: WaysIn = WaysIn(),
        random: RandomBytes = .system
    ) {
        (self.database, self.discoveryKeys) = (database, discoveryKeys)
        (self.signals, self.ways) = (signals, ways)
        notices = AccountNotices(messages: messages, random: random)
    }

    /// The identities of an account.
    package func list(of account: AccountID) async throws -> OwnIdentityList {
        let identities = try await database.read { transaction in
            try transaction.query(
                "SELECT value, created FROM identity WHERE account = ? ORDER BY value", [.id(account)]
            ).compactMap { row in
                try Identity(try row.text(0)).map { OwnIdentity(identity: $0, since: try row.time(1)) }
            }
        }
        return OwnIdentityList(identities: identities)
    }

    /// Removes an identity. A removed email receives a message.
    ///
    /// An account without a way in is anonymous again: after its last session has ended, nobody can sign in to it.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - account: The account that has it.
    ///   - evenLast: Whether to remove it even if it is the last way to sign in to the account.
    ///   - address: The address of the client, for the message.
    ///   - now: The server's time.
    /// - Throws: ``ServerError``: `notFound` if the account does not have it; `lastWayIn` if nobody could sign in to the
    ///   account without it, and `evenLast` is false.
    package func remove(
        _ identity: Identity, of account: AccountID, evenLast: Bool, from address: String, at now: Timestamp
    ) async throws {
        let register = IdentityRegister(keys: discoveryKeys, at: now)
        try await signals.commit(in: database) { transaction in
            let removal = try ways.remove(identity.shown, of: account, evenLast: evenLast, in: transaction) {
                guard try register.remove(identity, of: account, in: transaction) else {
                    throw ServerError(.notFound, "The account does not have \(identity.shown).")
                }
            }
            try notices.removed(identity, from: address, of: account, at: now, in: transaction)
            return removal
        }
        notices.wake()
    }
}
