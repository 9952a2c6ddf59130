/// An identity at an OpenID Connect issuer that signs in to an account, as the account's owner sees it: an entry of
/// `GET /v1/identities`.
public struct OwnIssuerIdentity: Hashable, Sendable, Codable {
    /// The id of the entry.
    public var id: IssuerIdentityID
    /// The issuer's URL.
    public var issuer: String
    /// The issuer's name in requests; nil if the server no longer offers this issuer.
    public var name: String?
    /// The issuer's name for people.
    public var displayName: String
    /// When the account got the identity, in the server's time.
    public var since: Timestamp

    /// Creates an entry with these properties.
    public init(id: IssuerIdentityID, issuer: String, name: String?, displayName: String, since: Timestamp) {
        (self.id, self.issuer, self.name, self.displayName, self.since) = (id, issuer, name, displayName, since)
    }
}

/// The id of an ``OwnIssuerIdentity``.
public typealias IssuerIdentityID = RecordID<OwnIssuerIdentity>
