/// A request to start a sign-in at an issuer: `POST /v1/issuers/{issuer}/sign-ins`.
package struct IssuerSignInRequest: Hashable, Sendable, Codable {
    /// The address to which the issuer redirects the browser.
    package var redirect: String
    /// The name of the device, for the list of sessions.
    package var device: String?

    package init(redirect: String, device: String? = nil) { (self.redirect, self.device) = (redirect, device) }
}
