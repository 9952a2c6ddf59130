package import KithModel

/// Shows the numbers and emails of an account to its owner, and removes them.
package struct IdentityService: Sendable {
    private let database: any Database
    private let discoveryKeys: DiscoveryKeys

    /// A service over `database`, with the secret keys under which identities are evaluated.
    package init(database: any Database, discoveryKeys: DiscoveryKeys) {
        (self.database, self.discoveryKeys) = (database, discoveryKeys)
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

    /// Removes an identity. The account without any identity is anonymous again: if its last session is lost, nobody can
    /// sign in to it.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if the account does not have it.
    package func remove(_ identity: Identity, of account: AccountID, at now: Timestamp) async throws {
        let register = IdentityRegister(keys: try discoveryKeys.all(), at: now)
        try await database.write { transaction in
            guard try register.owner(of: identity, in: transaction) == account else {
                throw ServerError(.notFound, "The account does not have \(identity.shown).")
            }
            try register.remove(identity, in: transaction)
            if try register.identities(of: account, in: transaction).isEmpty {
                try transaction.execute("UPDATE account SET kind = 'anonymous' WHERE id = ?", [.id(account)])
            }
        }
    }
}
