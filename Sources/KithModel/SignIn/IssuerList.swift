/// The issuers of a server: `GET /v1/issuers`.
package struct IssuerList: Hashable, Sendable, Codable {
    package var issuers: [Issuer]

    package init(issuers: [Issuer]) { self.issuers = issuers }
}
