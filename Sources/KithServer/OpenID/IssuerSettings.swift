/// An OpenID Connect issuer at which users can sign in, such as Google, Apple or Keycloak.
public struct IssuerSettings: Hashable, Sendable {
    /// The name in requests and commands: 1 to 32 small letters, digits and dashes.
    public var name: String
    /// The name for people.
    public var displayName: String
    /// The issuer's URL, exactly as its tokens have it.
    public var url: String
    /// The id of this server as a client of the issuer.
    public var clientID: String
    /// The secret of the client; nil for a public client. For Apple, a JWT that the operator signs and renews.
    public var clientSecret: String?
    /// The scopes to ask for. `openid` is always among them.
    public var scopes = ["openid", "email"]
    /// Whether an email that the issuer calls verified counts as proved.
    ///
    /// False by default, because an issuer that vouches for the email of an existing account can sign in to it. Set it
    /// only for an issuer that you trust with all accounts.
    public var vouchesForEmails = false
    /// The redirect addresses of apps: exact `https` addresses, or addresses with a scheme of the app's own.
    public var redirects: [String] = []
    /// Whether programs on the user's machine may be redirected to: `http://127.0.0.1:PORT/…` (RFC 8252, section 7.3).
    public var allowsLoopback = true

    /// Settings with defaults for the rest.
    public init(name: String, displayName: String, url: String, clientID: String, clientSecret: String? = nil) {
        self.name = name
        self.displayName = displayName
        self.url = url
        self.clientID = clientID
        self.clientSecret = clientSecret
    }

    /// Whether a redirect address is allowed.
    func allows(redirect: String) -> Bool {
        guard redirect.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        if redirects.contains(redirect) { return true }
        return allowsLoopback && redirect.wholeMatch(of: Self.loopback) != nil
    }

    // The port is any, because the program takes a free one.
    private static var loopback: Regex<Substring> {
        /http:\/\/(?:127\.0\.0\.1|\[::1\]):[0-9]{1,5}\/[A-Za-z0-9\-._~\/]{0,100}/
    }
}
