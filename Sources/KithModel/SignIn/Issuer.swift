/// An OpenID Connect issuer at which users can sign in: an entry of `GET /v1/issuers`.
public struct Issuer: Hashable, Sendable, Codable {
    /// The name for requests, such as `google`.
    public var name: String
    /// The name for people, such as `Google`.
    public var displayName: String

    /// Creates an issuer with these names.
    public init(name: String, displayName: String) { (self.name, self.displayName) = (name, displayName) }
}
