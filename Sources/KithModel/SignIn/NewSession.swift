/// A new session: `POST /v1/sessions`.
package struct NewSession: Hashable, Sendable, Codable {
    /// The session's account.
    package var account: AccountID
    /// 256 random bits in Base64url. The token is returned only once; the server stores its SHA-256 hash.
    package var token: String
    /// The server that has the account; nil from older servers.
    package var server: ServerID?

    /// Creates a new session with these properties.
    package init(account: AccountID, token: String, server: ServerID? = nil) {
        self.account = account
        self.token = token
        self.server = server
    }
}
