/// The parameters that an issuer has sent to the redirect address: `POST /v1/sign-ins`.
package struct IssuerAnswer: Hashable, Sendable, Codable {
    /// The `state` parameter, which identifies the sign-in.
    package var state: String
    /// The authorization code; nil if the issuer refused.
    package var code: String?
    /// The issuer's URL, if the answer contains it (RFC 9207).
    package var issuer: String?
    /// The reason of a refusal, such as `access_denied` (RFC 6749, section 4.1.2.1).
    package var error: String?

    package init(state: String, code: String? = nil, issuer: String? = nil, error: String? = nil) {
        (self.state, self.code, self.issuer, self.error) = (state, code, issuer, error)
    }
}
