/// A started sign-in at an issuer: the answer of `POST /v1/issuers/{issuer}/sign-ins`.
public struct IssuerSignIn: Hashable, Sendable, Codable {
    /// The address of the issuer's page, to open in a browser.
    public var url: String
    /// When the sign-in expires, in the server's time.
    public var expires: Timestamp

    /// Creates a sign-in with these properties.
    public init(url: String, expires: Timestamp) { (self.url, self.expires) = (url, expires) }
}
