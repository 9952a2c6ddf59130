/// The numbers and emails of an account, sorted: `GET /v1/identities`.
package struct OwnIdentityList: Hashable, Sendable, Codable {
    package var identities: [OwnIdentity]

    package init(identities: [OwnIdentity]) { self.identities = identities }
}
