/// The result of signing in with a recovery code or at an issuer.
///
/// If the identity belongs to another account than that of the requesting session, the server opens a new session of that
/// account. The requesting session stays open.
package struct SignedIn: Hashable, Sendable, Codable {
    /// The account that is signed in to.
    package var account: AccountID
    /// The token of the new session; nil if the account is that of the requesting session.
    package var token: String?
    /// The server that has the account.
    package var server: ServerID?

    package init(account: AccountID, token: String? = nil, server: ServerID?) {
        (self.account, self.token, self.server) = (account, token, server)
    }
}
