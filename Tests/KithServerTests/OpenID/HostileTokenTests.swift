import Foundation
import KithModel
import KithServer
import Testing

/// Each test changes one thing in a token that is accepted otherwise.
@Suite("A hostile id token is refused") struct HostileTokenTests {
    private let world: IssuerWorld

    init() throws { world = try IssuerWorld() }

    @Test(
        "Not if it is right, with each kind of key, with “aud” as a list, and with a clock that differs by a minute",
        arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256"])
    func right(algorithm: String) async throws {
        let refusal = try await world.refusal { draft in
            draft.key = algorithm == "ES256" ? .curve : .rsa
            draft.head = ["alg": algorithm, "kid": draft.key.id, "typ": "JWT"]
            draft.claims["aud"] = #"["kith app"]"#
            draft.claims["azp"] = #""kith app""#
            draft.claims["iat"] = "\(HandClock.start.milliseconds / 1_000 + 60)"
            draft.claims["exp"] = "\(HandClock.start.milliseconds / 1_000 - 59).5"
            draft.claims["extra"] = #"{"a":[1,2.5,null]}"#
        }
        #expect(refusal == nil)
    }

    @Test("Unsigned: alg none, in any case", arguments: ["none", "None", "NONE", ""]) func none(algorithm: String)
        async throws
    {
        let refusal = try await world.refusal { draft in
            let content = draft.token.split(separator: ".")[1]
            draft.raw = Data(#"{"alg":"\#(algorithm)"}"#.utf8).base64URL + ".\(content).AAAA"
        }
        #expect(refusal?.contains("algorithm that is not permitted") == true)
        let empty = try await world.refusal { draft in
            let content = draft.token.split(separator: ".")[1]
            draft.raw = Data(#"{"alg":"none"}"#.utf8).base64URL + ".\(content)."
        }
        #expect(empty?.contains("not signed") == true)
    }

    @Test("HS256, signed with the public key") func symmetric() async throws {
        let key = TokenKey.symmetric(Array(TokenKey.rsa.json.utf8))
        let refusal = try await world.refusal { draft in
            draft.key = key
            draft.head = ["alg": "HS256", "kid": "rsa"]
        }
        #expect(refusal?.contains("algorithm that is not permitted") == true)
        // Not even the library accepts it.
        let known = try #require(SigningKey.all(Data("{\"keys\":[\(TokenKey.rsa.json)]}".utf8)).first)
        let token = key.sign(["alg": "HS256", "kid": "rsa"], "{}")
        #expect(!token.isEmpty && TokenSignature.content(of: token, signedBy: known) == nil)
    }

    @Test("A signature that is not the key's, or was cut off, or is of another token") func signature() async throws {
        let changes: [@Sendable (inout TestIssuer.Draft) -> Void] = [
            { $0.key = .otherRSA },
            { $0.raw = String($0.token.dropLast(2)) },
            { draft in
                let parts = draft.token.split(separator: ".")
                draft.raw = "\(parts[0]).\(Data(#"{"sub":"eve"}"#.utf8).base64URL).\(parts[2])"
            },
        ]
        for change in changes {
            let refusal = try await world.refusal(change)
            #expect(refusal?.contains("signature of its token is wrong") == true)
        }
    }

    @Test("For another client: aud") func audience() async throws {
        for aud in [#""other""#, "[]", #"["other"]"#, #""""#, #""KITH APP""#] {
            let refusal = try await world.refusal { $0.claims["aud"] = aud }
            #expect(refusal?.contains("(aud)") == true, "\(aud)")
        }
    }

    @Test("Of another issuer: iss, even by a slash") func issuer() async throws {
        for iss in [#""https://evil.example""#, #""https://issuer.example/""#, #""http://issuer.example""#] {
            let refusal = try await world.refusal { $0.claims["iss"] = iss }
            #expect(refusal?.contains("(iss)") == true)
        }
    }

    @Test("For another sign-in: nonce") func nonce() async throws {
        for nonce in [nil, #""""#, #""AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#] {
            let refusal = try await world.refusal { $0.claims["nonce"] = nonce }
            #expect(refusal?.contains("(nonce)") == true)
        }
    }

    @Test("With a key that the issuer does not have: kid") func key() async throws {
        let refusal = try await world.refusal { $0.head["kid"] = "unknown" }
        #expect(refusal?.contains("a key that it does not have") == true)
    }

    @Test("Without kid, if several keys fit") func severalKeys() async throws {
        world.issuer.set { $0.keys = [.rsa, .otherRSA] }
        let refusal = try await world.refusal { $0.head["kid"] = nil }
        #expect(refusal?.contains("a key that it does not have") == true)
    }

    @Test("With a key of its own in the header: jwk, jku, x5u") func ownKey() async throws {
        let refusal = try await world.refusal { draft in
            draft.key = .otherRSA
            draft.head["jku"] = "https://evil.example/keys"
            draft.head["x5u"] = "https://evil.example/certificate"
            draft.head["jwk"] = TokenKey.otherRSA.json
        }
        #expect(refusal?.contains("signature of its token is wrong") == true)
        #expect(
            world.issuer.paths.allSatisfy { ["/.well-known/openid-configuration", "/keys", "/token"].contains($0) })
    }

    @Test("For several clients, without azp or with that of another") func authorizedParty() async throws {
        for azp in [nil, #""other""#] {
            let refusal = try await world.refusal {
                $0.claims["aud"] = #"["kith app","other"]"#
                $0.claims["azp"] = azp
            }
            #expect(refusal?.contains("(azp)") == true)
        }
        let refusal = try await world.refusal { $0.claims["azp"] = #""other""# }
        #expect(refusal?.contains("(azp)") == true)
    }

    @Test(
        "Expired (exp), not valid yet (nbf), or issued in the future (iat)",
        arguments: [("exp", -60), ("nbf", 61), ("iat", 61)] as [(String, Int64)])
    func times(claim: String, seconds: Int64) async throws {
        let time = HandClock.start.milliseconds / 1_000 + seconds
        let refusal = try await world.refusal { $0.claims[claim] = "\(time)" }
        #expect(refusal?.contains("(\(claim))") == true)
    }

    @Test("Without exp, iat, aud, iss or sub, or with one of the wrong type") func missing() async throws {
        for name in ["exp", "iat", "aud", "iss", "sub"] {
            for value in [nil, "true", "null"] {
                let refusal = try await world.refusal { $0.claims[name] = value }
                #expect(refusal?.contains("malformed") == true, "\(name) \(value ?? "")")
            }
        }
    }

    @Test("With a subject that is empty, too long, or not ASCII") func subject() async throws {
        for sub in ["", String(repeating: "a", count: 256), "ädä", #"a\u0000"#] {
            let refusal = try await world.refusal { $0.claims["sub"] = "\"\(sub)\"" }
            #expect(refusal?.contains("(sub)") == true || refusal?.contains("malformed") == true)
        }
    }

    @Test("Huge") func huge() async throws {
        let refusal = try await world.refusal { $0.claims["x"] = "\"\(String(repeating: "a", count: 16 << 10))\"" }
        #expect(refusal?.contains("larger than 16384 bytes") == true)
    }

    @Test("Not JSON, or not an object") func notJSON() async throws {
        for content in ["", "x", "[]", "null", "{", #"{"iss":"https://issuer.example"}{}"#, "{\"a\":\"\u{1}\"}"] {
            let refusal = try await world.refusal { $0.content = content }
            #expect(refusal?.contains("malformed") == true || refusal?.contains("not signed") == true, "\(content)")
        }
    }

    @Test("With one name twice, in the content or in the header") func twice() async throws {
        let refusal = try await world.refusal { draft in
            let claims = draft.claims.map { "\"\($0.key)\":\($0.value)" }
            draft.content = "{" + (claims + [#""sub":"eve""#]).joined(separator: ",") + "}"
        }
        #expect(refusal?.contains("malformed") == true)
        let head = try await world.refusal { draft in
            let parts = draft.token.split(separator: ".")
            draft.raw = Data(#"{"alg":"RS256","alg":"none","kid":"rsa"}"#.utf8).base64URL + ".\(parts[1]).\(parts[2])"
        }
        #expect(head?.contains("malformed") == true)
    }

    @Test("Not in compact form") func form() async throws {
        for raw in ["", ".", "..", "a.b.c", "a.b", "e30.e30.e30.e30", "e30.e30.e30.e30.e30", "é.é.é"] {
            let refusal = try await world.refusal { $0.raw = raw }
            #expect(refusal != nil && refusal != "An identity was stored.", "\(raw)")
        }
        // A longer signature in canonical Base64url has the form, but is not the issuer's.
        for suffix in ["A", "AA"] {
            let refusal = try await world.refusal { $0.raw = $0.token + suffix }
            #expect(refusal?.contains("signature") == true, "\(suffix): \(refusal ?? "nothing")")
        }
        // On a part of one character more than a multiple of four, libcjose ends the process.
        for suffix in ["AAA", "=", "==", "\u{0}", " "] {
            let refusal = try await world.refusal { $0.raw = $0.token + suffix }
            #expect(refusal?.contains("compact form") == true || refusal?.contains("malformed") == true, "\(suffix)")
        }
    }

    @Test("With a required extension (crit), or with another type") func extensions() async throws {
        let type = try await world.refusal { $0.head["typ"] = "logout+jwt" }
        #expect(type?.contains("no id token") == true)
        let head = try await world.refusal { draft in
            let parts = draft.token.split(separator: ".")
            draft.raw =
                Data(#"{"alg":"RS256","kid":"rsa","crit":["b64"],"b64":false}"#.utf8).base64URL
                + ".\(parts[1]).\(parts[2])"
        }
        #expect(head?.contains("demands an extension") == true)
    }

    @Test("Any byte of a right token that changes makes it wrong, and nothing crashes") func mutations() throws {
        let key = try #require(SigningKey.all(Data("{\"keys\":[\(TokenKey.curve.json)]}".utf8)).first)
        let token = TokenKey.curve.sign(["alg": "ES256", "kid": "curve"], #"{"sub":"ada"}"#)
        #expect(TokenSignature.content(of: token, signedBy: key) == Data(#"{"sub":"ada"}"#.utf8))
        let random = RandomBytes(seed: 5)
        for _ in 0..<2_000 {
            var bytes = Array(token.utf8)
            let noise = random.bytes()
            // The last character has bits that are not part of the signature.
            bytes[(Int(noise[0]) << 8 | Int(noise[1])) % (bytes.count - 1)] = noise[2] & 0x7F | 1
            let mutant = String(decoding: bytes, as: UTF8.self)
            guard mutant != token, (try? TokenHeader(of: mutant)) != nil else { continue }
            let content = TokenSignature.content(of: mutant, signedBy: key)
            #expect(content == nil, "\(mutant)")
        }
    }
}
