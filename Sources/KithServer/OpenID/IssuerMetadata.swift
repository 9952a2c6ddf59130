package import Foundation

/// The addresses and abilities of an issuer (OpenID Connect Discovery 1.0, section 3).
package struct IssuerMetadata: Hashable, Sendable {
    /// The path of the document, after the issuer's URL.
    static let path = "/.well-known/openid-configuration"

    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keys: String
    /// Whether each answer to the app has the parameter `iss` (RFC 9207, section 3).
    let sendsIssuer: Bool
    /// Whether the client's secret goes into the header `Authorization`; false for the body.
    let usesBasic: Bool

    private struct Document: Decodable {
        var issuer: String
        var authorizationEndpoint: String
        var tokenEndpoint: String
        var keys: String
        var sendsIssuer: Bool?
        var methods: [String]?
        var challenges: [String]?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case keys = "jwks_uri"
            case sendsIssuer = "authorization_response_iss_parameter_supported"
            case methods = "token_endpoint_auth_methods_supported"
            case challenges = "code_challenge_methods_supported"
        }
    }

    /// Reads the document of an issuer.
    ///
    /// - Throws: ``IssuerFault`` if the document is not this issuer's, or names an address that may not be contacted.
    package init(_ data: Data, of issuer: String) throws(IssuerFault) {
        let document: Document
        do throws(ServerError) { document = try JSONBody.decode(Document.self, from: data) } catch {
            throw IssuerFault("its discovery document is malformed: \(error.sentence)")
        }
        // Section 4.3: the two must be identical, so that no issuer speaks for another.
        guard document.issuer == issuer else { throw IssuerFault("its discovery document is of another issuer") }
        for address in [document.authorizationEndpoint, document.tokenEndpoint, document.keys]
        where !IssuerAddress.isAllowed(address, for: issuer) {
            throw IssuerFault("its discovery document names an address without https")
        }
        if let challenges = document.challenges, !challenges.contains("S256") {
            throw IssuerFault("it does not support PKCE with S256")
        }
        self.issuer = issuer
        authorizationEndpoint = document.authorizationEndpoint
        tokenEndpoint = document.tokenEndpoint
        keys = document.keys
        sendsIssuer = document.sendsIssuer ?? false
        usesBasic = document.methods?.contains("client_secret_basic") ?? true
    }
}
