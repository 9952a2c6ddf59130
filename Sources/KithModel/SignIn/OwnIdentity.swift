/// A number or an email of an account, as its owner sees it: an entry of `GET /v1/identities`.
public struct OwnIdentity: Hashable, Sendable, Codable {
    /// The number or the email.
    public var identity: Identity
    /// Since when the account has it, in the server's time.
    public var since: Timestamp

    /// Creates an entry with these properties.
    public init(identity: Identity, since: Timestamp) { (self.identity, self.since) = (identity, since) }
}
