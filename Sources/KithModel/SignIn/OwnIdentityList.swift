/// The numbers and emails of an account, sorted, and its identities at issuers, oldest first: `GET /v1/identities`.
package struct OwnIdentityList: Hashable, Sendable, Codable {
    package var identities: [OwnIdentity]
    /// The identities at issuers; nil from older servers.
    package var issuers: [OwnIssuerIdentity]?

    package init(identities: [OwnIdentity], issuers: [OwnIssuerIdentity]? = nil) {
        (self.identities, self.issuers) = (identities, issuers)
    }
}
