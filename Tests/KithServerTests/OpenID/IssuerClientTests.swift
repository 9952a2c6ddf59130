import Foundation
import KithModel
import KithServer
import Testing

@Suite("The documents of an issuer") struct IssuerClientTests {
    @Test("Keys and metadata are fetched once for many sign-ins") func cached() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        for _ in 0..<3 { _ = try await world.signIn(ada) }
        #expect(world.issuer.paths.filter { $0 == "/keys" }.count == 1)
        #expect(world.issuer.paths.filter { $0 == "/.well-known/openid-configuration" }.count == 1)
    }

    @Test("After a rotation, an unknown key is fetched; invented keys cause one request in five minutes")
    func rotation() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        _ = try await world.signIn(ada)
        world.issuer.set { $0.keys = [.otherRSA] }
        world.base.clock.advance(IssuerCache.pause)
        let rotated = try await world.refusal { draft in
            draft.key = .otherRSA
            draft.head["kid"] = "other"
        }
        #expect(rotated == "An identity was stored." || rotated == nil)
        for number in 0..<3 {
            let refusal = try? await world.refusal { $0.head["kid"] = "invented\(number)" }
            #expect(refusal != nil)
        }
        #expect(world.issuer.paths.filter { $0 == "/keys" }.count == 2)
    }

    @Test(
        "Trap: An issuer changes its key and keeps the id, or has no ids – a wrong signature fetches the keys, once in five minutes",
        arguments: ["rsa", nil])
    func sameID(id: String?) async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        func sign(with key: TokenKey) {
            world.issuer.set {
                $0.change = { draft in (draft.key, draft.head["kid"]) = (key, id) }
            }
        }
        func requests() -> Int { world.issuer.paths.count { $0 == "/keys" } }
        world.issuer.set { state in
            state.keys = [.rsa]
            state.idOfKey = { _ in id }
        }
        sign(with: .rsa)
        #expect(try await world.signIn(ada).account == ada.account)
        world.issuer.set { $0.keys = [.otherRSA] }
        sign(with: .otherRSA)
        #expect(await errorCode { try await world.signIn(ada) } == .forbidden)
        #expect(requests() == 1, "The keys were fetched a moment ago.")
        world.base.clock.advance(IssuerCache.pause)
        #expect(try await world.signIn(ada).account == ada.account)
        #expect(requests() == 2)
        sign(with: .rsa)
        for _ in 0..<3 { #expect(await errorCode { try await world.signIn(ada) } == .forbidden) }
        #expect(requests() == 2)
    }

    @Test("Keys are renewed after an hour, so a withdrawn key is refused then") func withdrawn() async throws {
        let world = try IssuerWorld()
        _ = try await world.signIn(try await world.base.open(), as: "ada")
        world.issuer.set { $0.keys = [.curve] }
        world.base.clock.advance(IssuerCache.fresh)
        #expect(await errorCode { try await world.signIn(try await world.base.open(), as: "ben") } == .forbidden)
    }

    @Test("While an issuer does not answer, its known keys are used for a day; it is not asked for each token")
    func down() throws {
        var cache = IssuerCache()
        let now = HandClock.start
        let keys = try SigningKey.all(Data("{\"keys\":[\(TokenKey.rsa.json)]}".utf8))
        let header = try TokenHeader(of: TokenKey.rsa.sign(["alg": "RS256", "kid": "rsa"], "{}"))
        #expect(cache.step(for: header, at: now) == .fetch)
        cache.store(nil, at: now)
        #expect(cache.step(for: header, at: now) == .refuse)
        #expect(cache.step(for: header, at: now + IssuerCache.failurePause) == .fetch)
        cache.store(keys, at: now)
        #expect(cache.step(for: header, at: now) == .use(keys[0]))
        let stale = now + IssuerCache.fresh
        #expect(cache.step(for: header, at: stale) == .fetch)
        cache.store(nil, at: stale)
        #expect(cache.step(for: header, at: stale) == .use(keys[0]))
        #expect(cache.step(for: header, at: stale + IssuerCache.failurePause) == .fetch)
        cache.store(nil, at: now + IssuerCache.usable)
        #expect(cache.step(for: header, at: now + IssuerCache.usable) == .refuse)
    }

    @Test("An issuer that is down makes beginning fail with busy") func busy() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        world.issuer.set { $0.isDown = true }
        #expect(await errorCode { try await world.begin(ada) } == .busy)
        #expect(try await world.base.count("issuer_login") == 0)
    }

    @Test(
        "Metadata of another issuer, without https, or without S256 is refused",
        arguments: [
            ["issuer": #""https://evil.example""#], ["issuer": #""https://issuer.example/""#],
            ["token_endpoint": #""http://issuer.example/token""#], ["jwks_uri": #""file:///etc/passwd""#],
            ["jwks_uri": #""http://127.0.0.1/keys""#], ["authorization_endpoint": #""https://user@issuer.example/""#],
            ["code_challenge_methods_supported": #"["plain"]"#], ["token_endpoint": "null"],
        ])
    func metadata(changed: [String: String]) async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        world.issuer.set { $0.metadata = changed }
        #expect(await errorCode { try await world.begin(ada) } == .busy)
    }

    @Test("An address may be contacted by https, or by http if the issuer itself is on this machine")
    func addresses() {
        let (local, remote) = ("http://127.0.0.1:9400", "https://issuer.example")
        for address in ["https://issuer.example/a", "https://other.example:8443/a?b=c"] {
            #expect(IssuerAddress.isAllowed(address, for: remote))
        }
        #expect(IssuerAddress.isAllowed("http://127.0.0.1:9400/token", for: local))
        #expect(IssuerAddress.isAllowed("http://localhost:1/token", for: local))
        for address in [
            "http://issuer.example/a", "http://127.0.0.1/a", "ftp://issuer.example", "https:///a", "https://a:b@c/",
            "https://issuer.example/#a", "https://issuer.example/\na", "",
            "https://\(String(repeating: "a", count: 2_000))",
        ] {
            #expect(!IssuerAddress.isAllowed(address, for: remote), "\(address)")
        }
        #expect(!IssuerAddress.isAllowed("http://issuer.example/a", for: local))
    }

    @Test("Keys that cannot verify a token are left out: symmetric ones, those for encryption, short and huge ones")
    func uselessKeys() throws {
        let n = String(repeating: "A", count: 342)
        let short = String(repeating: "A", count: 171)
        let entries = [
            #"{"kty":"oct","k":"AAAA"}"#, #"{"kty":"RSA","use":"enc","n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":"RSA","n":"\#(short)","e":"AQAB"}"#, #"{"kty":"RSA","n":"\#(n)","e":"AAAAAAAAAAAA"}"#,
            #"{"kty":"EC","crv":"secp256k1","x":"AAAA","y":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#, "{}",
        ]
        #expect(try SigningKey.all(Data("{\"keys\":[\(entries.joined(separator: ","))]}".utf8)).isEmpty)
        #expect(throws: IssuerFault.self) { try SigningKey.all(Data("[]".utf8)) }
        // A point that is not on the curve is no key for libcjose.
        let x = String(repeating: "A", count: 43)
        let wrong = try SigningKey.all(Data(#"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}]}"#.utf8))
        let token = TokenKey.curve.sign(["alg": "ES256"], "{}")
        #expect(wrong.count == 1 && TokenSignature.content(of: token, signedBy: wrong[0]) == nil)
    }
}
