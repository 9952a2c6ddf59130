public import KithModel

/// Stores tokens and passwords outside of the database, as securely as the system allows.
///
/// An app can implement it, for a place of its own. The SDK calls the functions from any thread, several at a time, and waits
/// until they return. It calls some of them within a write to the replica, so that no other process can write meanwhile. So
/// the functions must not use the client, and should return soon.
///
/// If a secret cannot be read or stored, they throw ``KithError`` with `credentials` and a sentence for the user. A secret that
/// cannot be read is not missing: nil would mean that this device does not have it.
public protocol CredentialStore: Sendable {
    /// The secret of this credential, or nil if there is none.
    func secret(for credential: Credential) throws -> String?

    /// Saves a secret. On return it is stored durably and survives a restart.
    func save(_ secret: String, for credential: Credential) throws

    /// Deletes a secret, if there is one.
    func delete(_ credential: Credential) throws

    /// Deletes the token of every ``Credential/session(_:)``. Other secrets stay.
    func deleteAllTokens() throws
}

extension CredentialStore {
    /// The token of an account, or nil if there is none.
    public func token(for account: AccountID) throws -> String? { try secret(for: .session(account)) }

    /// Saves a token. On return it is stored durably and survives a restart.
    public func save(_ token: String, for account: AccountID) throws { try save(token, for: .session(account)) }

    /// Deletes the token of an account, if there is one.
    public func deleteToken(for account: AccountID) throws { try delete(.session(account)) }
}
