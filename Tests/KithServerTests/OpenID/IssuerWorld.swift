import Foundation
import KithModel
import KithServer

/// A database in memory with the service for signing in at an issuer, the issuer, and a clock that tests move.
struct IssuerWorld {
    static let redirect = "http://127.0.0.1:49152/"

    let base: SignInWorld
    let issuer: TestIssuer
    let service: IssuerService

    init(_ change: (inout IssuerSettings) -> Void = { _ in }) throws {
        base = try SignInWorld()
        issuer = TestIssuer(clock: base.clock)
        var settings = IssuerSettings(
            name: "example", displayName: "Example", url: issuer.url, clientID: "kith app", clientSecret: "s:cret")
        change(&settings)
        service = IssuerService(
            database: base.database, issuers: [settings], transport: issuer, messages: base.queue,
            discoveryKeys: DiscoveryKeys(),
            signals: base.signals.sender, random: RandomBytes(seed: 12))
    }

    func begin(_ session: NewSession, redirect: String = IssuerWorld.redirect) async throws -> IssuerSignIn {
        try await service.begin(
            at: "example", IssuerSignInRequest(redirect: redirect, device: "Ada’s phone"), by: base.requester(session),
            now: base.now)
    }

    func finish(_ answer: IssuerAnswer, _ session: NewSession) async throws -> SignedIn {
        try await service.finish(answer, by: base.requester(session), at: base.now)
    }

    /// Begins, signs in on the issuer's page, and finishes.
    func signIn(_ session: NewSession) async throws -> SignedIn {
        try await finish(issuer.authorize(try await begin(session).url), session)
    }

    /// Signs in as another user of the issuer.
    func signIn(_ session: NewSession, as subject: String, email: String? = nil, verified: String = "true") async throws
        -> SignedIn
    {
        issuer.set {
            $0.change = { draft in
                draft.claims["sub"] = "\"\(subject)\""
                if let email {
                    draft.claims["email"] = "\"\(email)\""
                    draft.claims["email_verified"] = verified
                }
            }
        }
        return try await signIn(session)
    }

    /// The sentence with which a sign-in is refused, after `change` has changed the token; nil if it succeeds.
    func refusal(_ change: @escaping @Sendable (inout TestIssuer.Draft) -> Void) async throws -> String? {
        issuer.set { $0.change = change }
        let session = try await base.open()
        do {
            _ = try await signIn(session)
            return nil
        } catch let error as ServerError where error.code == .forbidden {
            let hasIdentity = try await base.count("issuer_identity") > 0
            return hasIdentity ? "An identity was stored." : error.sentence
        }
    }
}
