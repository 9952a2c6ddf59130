/// The result of a correct code.
///
/// If no account had the identity, the session's account has it now. If another account has it, `account` is that one,
/// and `token` is a new session of it. The session that asked stays open.
package struct ProvedIdentity: Hashable, Sendable, Codable {
    /// The account that has the identity.
    package var account: AccountID
    /// The identity.
    package var identity: Identity
    /// The token of a new session of the account; nil if the session's own account has the identity.
    package var token: String?
    /// The server that has the account.
    package var server: ServerID?

    package init(account: AccountID, identity: Identity, token: String? = nil, server: ServerID?) {
        (self.account, self.identity, self.token, self.server) = (account, identity, token, server)
    }
}
