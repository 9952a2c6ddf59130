package import Foundation
package import KithModel

/// The content of an id token (OpenID Connect Core 1.0, section 2), and the rules for it (section 3.1.3.7).
package struct TokenClaims: Sendable {
    /// How much the issuer's clock may differ from this server's.
    package static let skew = Duration.seconds(60)

    package let subject: String
    /// The email, if the issuer calls it verified.
    package let verifiedEmail: String?

    /// What the claims must say.
    package struct Expected: Sendable {
        package let issuer: String
        package let client: String
        package let nonce: String
    }

    /// One text, or several.
    private struct Audience: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            all = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    /// True, or `"true"` as Apple writes it.
    private struct Flag: Decodable {
        let isTrue: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            isTrue = try (try? container.decode(Bool.self)) ?? (container.decode(String.self) == "true")
        }
    }

    private struct Fields: Decodable {
        var iss: String
        var sub: String
        var aud: Audience
        var azp: String?
        var exp: Double
        var iat: Double
        var nbf: Double?
        var nonce: String?
        var email: String?
        var isVerified: Flag?

        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, azp, exp, iat, nbf, nonce, email
            case isVerified = "email_verified"
        }
    }

    /// Reads and checks the content of a token whose signature was verified.
    ///
    /// - Throws: ``IssuerFault`` that names the claim.
    package init(_ content: Data, expecting expected: Expected, at now: Timestamp) throws(IssuerFault) {
        let fields: Fields
        do throws(ServerError) { fields = try JSONBody.decode(Fields.self, from: content) } catch {
            throw IssuerFault("its token is malformed: \(error.sentence)")
        }
        guard fields.iss == expected.issuer else { throw IssuerFault("its token is of another issuer (iss)") }
        guard fields.aud.all.contains(expected.client) else {
            throw IssuerFault("its token is for another client (aud)")
        }
        if fields.aud.all.count > 1 && fields.azp == nil {
            throw IssuerFault("its token is for several clients, and does not say which one asked (azp)")
        }
        guard fields.azp ?? expected.client == expected.client else {
            throw IssuerFault("another client has asked for its token (azp)")
        }
        let (second, skew) = (Double(now.milliseconds) / 1_000, Self.skew / .seconds(1))
        guard fields.exp > second - skew else { throw IssuerFault("its token has expired (exp)") }
        guard fields.iat <= second + skew else { throw IssuerFault("its token is of the future (iat)") }
        guard fields.nbf ?? second <= second + skew else { throw IssuerFault("its token is not valid yet (nbf)") }
        guard let nonce = fields.nonce, Secret.areEqual(Data(nonce.utf8), Data(expected.nonce.utf8)) else {
            throw IssuerFault("its token is for another sign-in (nonce)")
        }
        // Section 2: at most 255 ASCII characters.
        guard (1...255).contains(fields.sub.utf8.count), fields.sub.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw IssuerFault("its token names no user (sub)")
        }
        subject = fields.sub
        verifiedEmail = fields.isVerified?.isTrue == true ? fields.email : nil
    }
}
