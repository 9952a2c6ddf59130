/// A user of an OpenID Connect issuer who signs in to an account, as its owner sees it: an entry of
/// `GET /v1/identities`.
public struct OwnIssuerIdentity: Hashable, Sendable, Codable {
    /// The identity of the entry.
    public var id: IssuerIdentityID
    /// The issuer's URL.
    public var issuer: String
    /// The issuer's name in requests; nil if the server does not offer it.
    public var name: String?
    /// The issuer's name for people.
    public var displayName: String
    /// Since when the account has it, in the server's time.
    public var since: Timestamp

    /// Creates an entry with these properties.
    public init(id: IssuerIdentityID, issuer: String, name: String?, displayName: String, since: Timestamp) {
        (self.id, self.issuer, self.name, self.displayName, self.since) = (id, issuer, name, displayName, since)
    }
}

/// The identity of an identity at an issuer.
public typealias IssuerIdentityID = RecordID<OwnIssuerIdentity>
