/// A new session: `POST /v1/sessions`.
package struct NewSession: Hashable, Sendable, Codable {
    /// The account that the session speaks for.
    package var account: AccountID
    /// 256 random bits in Base64url. Shown once; the server keeps its SHA-256.
    package var token: String
    /// The server that has the account; nil from older servers.
    package var server: ServerID?

    /// A new session with these properties.
    package init(account: AccountID, token: String, server: ServerID? = nil) {
        self.account = account
        self.token = token
        self.server = server
    }
}

/// What a session is: `GET /v1/session`.
public struct SessionDescription: Hashable, Sendable, Codable {
    /// The account that the session speaks for.
    public var account: AccountID
    /// `anonymous`; later versions know more.
    public var kind: String
    /// When the session began, in the server's time.
    public var created: Timestamp
    /// The server that has the account; nil from older servers.
    public var server: ServerID?

    /// A description with these properties.
    public init(account: AccountID, kind: String, created: Timestamp, server: ServerID? = nil) {
        self.account = account
        self.kind = kind
        self.created = created
        self.server = server
    }
}
