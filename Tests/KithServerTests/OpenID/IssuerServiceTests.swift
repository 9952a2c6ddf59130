import Foundation
import KithModel
import KithServer
import Testing

@Suite("Signing in at an issuer") struct IssuerServiceTests {
    @Test("The page's address has PKCE, state and nonce, and keeps the query of the endpoint") func address()
        async throws
    {
        let world = try IssuerWorld { $0.scopes = ["openid", "email"] }
        let ada = try await world.base.open()
        let begun = try await world.begin(ada)
        let url = try #require(URLComponents(string: begun.url))
        let fields = Dictionary(uniqueKeysWithValues: (url.queryItems ?? []).map { ($0.name, $0.value ?? "") })
        #expect(url.host == "issuer.example" && url.path == "/authorize" && fields["tenant"] == "1")
        #expect(fields["response_type"] == "code" && fields["client_id"] == "kith app")
        #expect(fields["scope"] == "openid email" && fields["redirect_uri"] == IssuerWorld.redirect)
        #expect(fields["code_challenge_method"] == "S256")
        for name in ["state", "nonce", "code_challenge"] { #expect(fields[name]?.count == 43, "\(name)") }
        #expect(begun.expires == world.base.now + .seconds(600))
        let second = try #require(URLComponents(string: try await world.begin(ada).url)?.queryItems)
        for item in second where ["state", "nonce", "code_challenge"].contains(item.name) {
            #expect(item.value != fields[item.name])
        }
    }

    @Test("A new identity belongs to the session's account, which becomes identified") func newIdentity() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        let signedIn = try await world.signIn(ada)
        #expect(signedIn == SignedIn(account: ada.account, server: world.base.database.server))
        #expect(try await world.base.sessions.verify(ada.token)?.kind == "identified")
        let own = try await world.service.identities(of: ada.account)
        #expect(own.map(\.displayName) == ["Example"] && own.map(\.name) == ["example"])
        try await world.base.sessions.name(ada.token, SessionName(device: "The red one"))
        #expect(try await world.signIn(ada).token == nil, "Signing in again changes nothing.")
        let sessions = try await world.base.sessions.list(of: ada.account, by: ada.token).sessions
        #expect(sessions.map(\.device) == ["The red one"])
        #expect(try await world.base.count("issuer_identity") == 1)
    }

    @Test("An identity of another account opens a session of that account, and the requesting session stays open")
    func otherAccount() async throws {
        let world = try IssuerWorld()
        let (phone, tablet) = (try await world.base.open(), try await world.base.open())
        _ = try await world.signIn(phone)
        let signedIn = try await world.signIn(tablet)
        #expect(signedIn.account == phone.account)
        let token = try #require(signedIn.token)
        #expect(try await world.base.sessions.verify(token)?.account == phone.account)
        #expect(try await world.base.sessions.verify(tablet.token)?.account == tablet.account)
    }

    @Test("A session that is closed, or an account that is deleted, while the issuer answers gets no identity")
    func endedMeanwhile() async throws {
        for deletes in [false, true] {
            let world = try IssuerWorld()
            let ada = try await world.base.open()
            let (database, now) = (world.base.database, world.base.now)
            // The issuer's answer is signed at the moment at which the account is deleted or the session closed.
            world.issuer.set {
                $0.change = { _ in
                    if deletes {
                        try? database.writeNow { try AccountService.delete(ada.account, at: now, in: $0) }
                    } else {
                        _ = try? database.writeNow { try $0.execute("DELETE FROM session") }
                    }
                }
            }
            let code = await errorCode { try await world.signIn(ada) }
            #expect(code == (deletes ? .accountClosed : .tokenInvalid))
            #expect(try await world.base.count("issuer_identity") == 0)
        }
    }

    @Test("The same subject at two issuers is two people") func issuerAndSubject() async throws {
        let world = try IssuerWorld()
        let (ada, ben) = (try await world.base.open(), try await world.base.open())
        _ = try await world.signIn(ada)
        let other = TestIssuer("https://other.example", clock: world.base.clock)
        var settings = IssuerSettings(
            name: "example", displayName: "Other", url: other.url, clientID: "kith app", clientSecret: "s:cret")
        settings.scopes = ["openid"]
        let service = IssuerService(
            database: world.base.database, issuers: [settings], transport: other, messages: world.base.queue,
            discoveryKeys: DiscoveryKeys(), signals: .none)
        let begun = try await service.begin(
            at: "example", IssuerSignInRequest(redirect: IssuerWorld.redirect), by: world.base.requester(ben),
            now: world.base.now)
        let signedIn = try await service.finish(
            other.authorize(begun.url), by: world.base.requester(ben), at: world.base.now)
        #expect(signedIn.account == ben.account && signedIn.token == nil)
    }

    @Test(
        "Trap: An email of a token signs in to the account that has it – only if the operator trusts the issuer with emails"
    )
    func emails() async throws {
        let world = try IssuerWorld()
        let (ada, eve) = (try await world.base.open(), try await world.base.open())
        _ = try await world.base.signIn("ada@example.com", by: ada)
        #expect(try await world.signIn(eve, as: "eve", email: "ada@example.com").account == eve.account)
        #expect(try await world.base.identities.list(of: eve.account).identities.isEmpty)
    }

    @Test("A verified email of a trusted issuer counts as proved: it finds its account, or is added")
    func trustedEmails()
        async throws
    {
        let world = try IssuerWorld { $0.vouchesForEmails = true }
        let (ada, ben, tablet) = (try await world.base.open(), try await world.base.open(), try await world.base.open())
        _ = try await world.base.signIn("ada@example.com", by: ada)
        #expect(try await world.signIn(tablet, as: "ada", email: "Ada@Example.com").account == ada.account)
        #expect(try await world.signIn(ben, as: "ben", email: "ben@example.com", verified: #""true""#).token == nil)
        #expect(
            try await world.base.identities.list(of: ben.account).identities.map(\.identity.shown) == [
                "ben@example.com"
            ])
        // The subject counts more than an email that it has got since.
        #expect(
            try await world.signIn(try await world.base.open(), as: "ben", email: "ada@example.com").account
                == ben.account)
    }

    @Test("Trap: a removed email comes back with the next sign-in at the issuer – it stays removed")
    func removedEmail() async throws {
        let world = try IssuerWorld { $0.vouchesForEmails = true }
        let (phone, tablet) = (try await world.base.open(), try await world.base.open())
        _ = try await world.signIn(phone, as: "ada", email: "ada@example.com")
        let email = Identity.email(try #require(EmailAddress("ada@example.com")))
        try await world.base.remove(email, of: phone, evenLast: false)
        #expect(try await world.signIn(tablet, as: "ada", email: "ada@example.com").account == phone.account)
        #expect(try await world.base.identities.list(of: phone.account).identities.isEmpty)
    }

    @Test(
        "An email that a trusted issuer does not call verified proves nothing",
        arguments: ["false", #""false""#, #""yes""#])
    func unverified(flag: String) async throws {
        let world = try IssuerWorld { $0.vouchesForEmails = true }
        let (ada, eve) = (try await world.base.open(), try await world.base.open())
        _ = try await world.base.signIn("ada@example.com", by: ada)
        #expect(try await world.signIn(eve, as: "eve", email: "ada@example.com", verified: flag).account == eve.account)
        #expect(try await world.base.identities.list(of: eve.account).identities.isEmpty)
    }

    // MARK: State

    @Test("A state and a code are used once") func replay() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        let answer = world.issuer.authorize(try await world.begin(ada).url)
        _ = try await world.finish(answer, ada)
        #expect(await errorCode { try await world.finish(answer, ada) } == .codeExpired)
        // The code of the first sign-in, with the state of a second one.
        let second = world.issuer.authorize(try await world.begin(ada).url)
        let mixed = IssuerAnswer(state: second.state, code: answer.code)
        #expect(await errorCode { try await world.finish(mixed, ada) } == .forbidden)
        #expect(await errorCode { try await world.finish(second, ada) } == .codeExpired, "The state was used.")
    }

    @Test("A sign-in that was begun while the clock was ahead has expired") func clockAhead() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        world.base.clock.advance(.days(365))
        let begun = try await world.begin(ada)
        world.base.clock.advance(.days(-365))
        #expect(await errorCode { try await world.finish(world.issuer.authorize(begun.url), ada) } == .codeExpired)
    }

    @Test("Another session cannot finish a sign-in, and does not use it up") func otherSession() async throws {
        let world = try IssuerWorld()
        let (ada, eve) = (try await world.base.open(), try await world.base.open())
        let answer = world.issuer.authorize(try await world.begin(ada).url)
        #expect(await errorCode { try await world.finish(answer, eve) } == .codeExpired)
        #expect(try await world.finish(answer, ada).account == ada.account)
    }

    @Test("A code of another session's sign-in is refused: its verifier and nonce differ") func injectedCode()
        async throws
    {
        let world = try IssuerWorld()
        let (ada, eve) = (try await world.base.open(), try await world.base.open())
        let stolen = world.issuer.authorize(try await world.begin(ada).url)
        let own = world.issuer.authorize(try await world.begin(eve).url)
        #expect(
            await errorCode { try await world.finish(IssuerAnswer(state: own.state, code: stolen.code), eve) }
                == .forbidden)
    }

    @Test("A sign-in lasts ten minutes, and housekeeping deletes it then") func lifetime() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        let answer = world.issuer.authorize(try await world.begin(ada).url)
        _ = try await world.begin(ada)
        world.base.clock.advance(.seconds(600))
        #expect(await errorCode { try await world.finish(answer, ada) } == .codeExpired)
        world.base.clock.advance(.seconds(1))
        try await Housekeeping(database: world.base.database, signals: .none).purge(world.base.now)
        #expect(try await world.base.count("issuer_login") == 0)
    }

    @Test("The database has neither state, nonce nor verifier") func stolenDatabase() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        let items = try #require(URLComponents(string: try await world.begin(ada).url)?.queryItems)
        let row = try await world.base.database.read { try $0.query("SELECT * FROM issuer_login").first?.values ?? [] }
        for name in ["state", "nonce"] {
            let secret = try #require(items.first { $0.name == name }?.value)
            #expect(!row.contains(.text(secret)) && !row.contains(.bytes(Data(secret.utf8))))
            #expect(!row.contains(.bytes(Data(base64URL: secret) ?? Data())))
        }
    }

    @Test("Trap: An answer of another issuer is accepted – the parameter iss is checked (RFC 9207)")
    func mixUp() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        var answer = world.issuer.authorize(try await world.begin(ada).url)
        answer.issuer = "https://evil.example"
        #expect(await errorCode { try await world.finish(answer, ada) } == .forbidden)
        #expect(!world.issuer.paths.contains("/token"), "The code was sent nowhere.")
        // An issuer that always sends it must send it.
        let strict = try IssuerWorld()
        strict.issuer.set { $0.metadata["authorization_response_iss_parameter_supported"] = "true" }
        let ben = try await strict.base.open()
        #expect(await errorCode { try await strict.signIn(ben) } == .forbidden)
        var right = strict.issuer.authorize(try await strict.begin(ben).url)
        right.issuer = strict.issuer.url
        #expect(try await strict.finish(right, ben).account == ben.account)
    }

    @Test("A refusal of the issuer ends the sign-in") func denied() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        var answer = world.issuer.authorize(try await world.begin(ada).url)
        answer.error = "access_denied"
        #expect(await errorCode { try await world.finish(answer, ada) } == .forbidden)
        answer.error = nil
        #expect(await errorCode { try await world.finish(answer, ada) } == .codeExpired)
    }

    // MARK: Redirects and limits

    @Test("Only the operator's redirect addresses and those of this machine are allowed") func redirects() async throws
    {
        let world = try IssuerWorld { $0.redirects = ["com.example.app:/signed-in", "https://app.example/in"] }
        let ada = try await world.base.open()
        for redirect in [
            "com.example.app:/signed-in", "https://app.example/in", "http://127.0.0.1:1/", "http://[::1]:65535/a/b",
        ] {
            _ = try await world.begin(ada, redirect: redirect)
        }
        for redirect in [
            "https://app.example/in/", "https://app.example/in?x=1", "https://evil.example/", "http://localhost:1/",
            "http://127.0.0.1.evil.example:1/", "http://127.0.0.1:1/?x", "http://127.0.0.1:1/#x",
            "https://127.0.0.1:1/",
            "http://127.0.0.1@evil.example:1/", "http://127.0.0.1:١/", "", "com.example.app:/signed-in\n",
        ] {
            #expect(await errorCode { try await world.begin(ada, redirect: redirect) } == .malformed, "\(redirect)")
        }
        let closed = try IssuerWorld { $0.allowsLoopback = false }
        let ben = try await closed.base.open()
        #expect(await errorCode { try await closed.begin(ben) } == .malformed)
    }

    @Test("A session begins ten sign-ins within ten minutes; unknown issuers are not found") func limits() async throws
    {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        for _ in 0..<10 { _ = try await world.begin(ada) }
        #expect(await errorCode { try await world.begin(ada) } == .tooFast)
        // Those that were begun while the clock was ahead do not count either.
        world.base.clock.advance(.seconds(-3600))
        _ = try await world.begin(ada)
        world.base.clock.advance(.seconds(3600 + 600))
        _ = try await world.begin(ada)
        let unknown = await errorCode {
            try await world.service.begin(
                at: "unknown", IssuerSignInRequest(redirect: IssuerWorld.redirect), by: world.base.requester(ada),
                now: world.base.now)
        }
        #expect(unknown == .notFound)
    }

    @Test("Removing the last identity makes the account anonymous; another account cannot remove it") func removing()
        async throws
    {
        let world = try IssuerWorld()
        let (ada, eve) = (try await world.base.open(), try await world.base.open())
        _ = try await world.signIn(ada)
        let id = try #require(try await world.service.identities(of: ada.account).first?.id)
        #expect(await errorCode { try await world.service.remove(id, of: eve.account) } == .notFound)
        #expect(await errorCode { try await world.service.remove(id, of: ada.account) } == .lastWayIn)
        try await world.service.remove(id, of: ada.account, evenLast: true)
        #expect(try await world.base.sessions.verify(ada.token)?.kind == "anonymous")
        #expect(try await world.signIn(eve).account == eve.account, "The identity is free again.")
        try await AccountService(database: world.base.database, signals: .none).delete(eve.account, at: world.base.now)
        #expect(try await world.base.count("issuer_identity") == 0)
    }

    @Test("An account stays identified by an issuer after its email was removed") func staysIdentified() async throws {
        let world = try IssuerWorld()
        let ada = try await world.base.open()
        _ = try await world.signIn(ada)
        _ = try await world.base.signIn("ada@example.com", by: ada)
        try await world.base.identities.remove(
            try #require(Identity("mailto:ada@example.com")), of: ada.account, evenLast: false, from: "203.0.113.7",
            at: world.base.now)
        #expect(try await world.base.sessions.verify(ada.token)?.kind == "identified")
    }
}
