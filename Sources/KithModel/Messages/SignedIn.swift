/// The result of signing in with a recovery code or at an issuer.
///
/// If the identity belongs to another account than the session's, `account` is that one, and `token` is a new session of
/// it. The session that asked stays open.
package struct SignedIn: Hashable, Sendable, Codable {
    /// The account that is signed in to.
    package var account: AccountID
    /// The token of a new session of the account; nil if it is the session's own account.
    package var token: String?
    /// The server that has the account.
    package var server: ServerID?

    package init(account: AccountID, token: String? = nil, server: ServerID?) {
        (self.account, self.token, self.server) = (account, token, server)
    }
}
