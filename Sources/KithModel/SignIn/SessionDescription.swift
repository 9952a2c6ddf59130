/// The state of a session: `GET /v1/session`.
public struct SessionDescription: Hashable, Sendable, Codable {
    /// The session's account.
    public var account: AccountID
    /// The kind of the account: `identified` if it has a way to sign in to it again, otherwise `anonymous`. Later versions
    /// may have others.
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
