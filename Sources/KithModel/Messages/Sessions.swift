/// A new session: `POST /v1/sessions`.
package struct NewSession: Hashable, Sendable, Codable {
    /// The session's account.
    package var account: AccountID
    /// 256 random bits in Base64url. They are returned only once; the server stores their SHA-256.
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

/// The state of a session: `GET /v1/session`.
public struct SessionDescription: Hashable, Sendable, Codable {
    /// The session's account.
    public var account: AccountID
    /// The kind, always `anonymous`; later versions have others.
    public var kind: String
    /// The beginning of the session, in the server's time.
    public var created: Timestamp
    /// The server that has the account; nil from older servers.
    public var server: ServerID?

    /// Creates a description with these properties.
    public init(account: AccountID, kind: String, created: Timestamp, server: ServerID? = nil) {
        self.account = account
        self.kind = kind
        self.created = created
        self.server = server
    }
}
