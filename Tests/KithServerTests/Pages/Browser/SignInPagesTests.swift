import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("Signing in in a browser") struct SignInPagesTests {
    @Test("A new person gets an account with an email and a code; the cookie is the token of an ordinary session")
    func newcomer() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            #expect(page.status == 200 && page.heading == "Sign in" && page.head["set-cookie"] == nil)
            #expect(page.head["cache-control"] == "no-store" && page.head["referrer-policy"] == "no-referrer")
            let done = try await browser.signIn("ada@example.com")
            #expect(done.status == 303 && done.head["location"] == "/account")
            #expect(
                done.head["set-cookie"]?.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax") == true)
            let token = try #require(browser.token)
            #expect(try await world.account(of: token).kind == "identified")
            let list: SessionList = try await world.server.ask("GET", "/v1/sessions", token: token).decoded()
            #expect(list.sessions.map(\.device) == ["Browser (Firefox, Linux)"])
            let account = try await browser.open("/account")
            #expect(account.status == 200 && account.heading == "My account")
            #expect(account.text.contains("<bdi>ada@example.com</bdi>") && account.text.contains("this browser"))
            // Whoever is signed in needs no form.
            #expect(try await browser.open("/sign-in").head["location"] == "/account")
        }
    }

    @Test("The address without a path leads to the page") func start() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let start = try await browser.open("/")
            #expect(start.status == 303 && start.head["location"] == "/sign-in" && start.head["set-cookie"] == nil)
        }
    }

    @Test(
        "Somebody who types a slash after a page’s address comes to the page; for other clients there is no such path",
        arguments: ["/sign-in/", "/account/", "/admin/", "/s/ADA-TEA/"])
    func slash(path: String) async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let reply = try await browser.open("\(path)?c=email")
            #expect(reply.status == 303 && reply.head["location"] == "\(path.dropLast())?c=email")
            #expect(try await browser.open("\(path)/").status == 404)
            #expect(try await world.server.ask("GET", path).status == 404)
        }
    }

    @Test("Somebody who has an account gets a new session of it; the waiting session is closed")
    func known() async throws {
        try await BrowserWorld.run { world in
            var (first, second) = (TestBrowser(world), TestBrowser(world))
            try await first.signIn("ada@example.com")
            world.server.clock.advance(.seconds(61))
            let page = try await second.open("/sign-in")
            let sent = try await second.send("/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
            let waiting = try #require(second.token)
            let code = try await world.code(to: "ada@example.com", 2)
            let fields = [("ticket", sent.ticket), ("email", "ada@example.com"), ("code", code)]
            #expect(try await second.send("/sign-in", fields).status == 303)
            let tokens = (try #require(first.token), try #require(second.token))
            #expect(tokens.0 != tokens.1 && tokens.1 != waiting)
            #expect(try await world.account(of: tokens.0).account == world.account(of: tokens.1).account)
            #expect(try await world.server.ask("GET", "/v1/session", token: waiting).status == 401)
            // The browser sends the form again.
            #expect(try await second.send("/sign-in", fields).head["location"] == "/account")
        }
    }

    @Test("Trap: the token of the waiting session opens nothing afterwards", arguments: [false, true])
    func waitingToken(isKnown: Bool) async throws {
        try await BrowserWorld.run { world in
            if isKnown {
                var other = TestBrowser(world)
                try await other.signIn("ada@example.com")
                world.server.clock.advance(.seconds(61))
            }
            // Somebody asks for a code, keeps the cookie, and leaves the browser to Ada.
            var ada = TestBrowser(world)
            let page = try await ada.open("/sign-in")
            _ = try await ada.send("/sign-in", [("ticket", page.ticket), ("email", "eve@example.com")])
            let (eve, noted) = (ada, try #require(ada.token))
            try await ada.signIn("ada@example.com", code: isKnown ? 2 : 1)
            let token = try #require(ada.token)
            #expect(token != noted)
            #expect(try await ada.open("/account").text.contains("<bdi>ada@example.com</bdi>"))
            let list: SessionList = try await world.server.ask("GET", "/v1/sessions", token: token).decoded()
            #expect(list.sessions.count == (isKnown ? 2 : 1))
            var old = eve
            #expect(try await old.open("/account").head["location"] == "/sign-in")
            #expect(try await !world.isOpen(noted))
        }
    }

    @Test(
        "Trap: somebody signs in in a browser of an account that only recovery codes open – the account loses nothing else",
        arguments: [false, true])
    func accountWithRecoveryCodes(isKnown: Bool) async throws {
        try await BrowserWorld.run { world in
            if isKnown {
                var other = TestBrowser(world)
                try await other.signIn("ben@example.com")
            }
            // Ada is signed in on a device and in the browser, makes recovery codes, and removes her email.
            var (device, browser) = (TestBrowser(world), TestBrowser(world))
            try await device.signIn("ada@example.com")
            world.server.clock.advance(.seconds(61))
            try await browser.signIn("ada@example.com", code: 2)
            let (phone, old) = (try #require(device.token), try #require(browser.token))
            let ada = try await world.account(of: phone).account
            _ = try await world.server.ask("POST", "/v1/recovery-codes", token: phone, json: RecoveryCodeRequest())
            let email = "/v1/identities/mailto%3Aada%40example.com"
            try #require(try await world.server.ask("DELETE", email, token: phone).status == 204)
            #expect(try await browser.open("/account").head["location"] == "/sign-in")

            let done = try await browser.signIn("ben@example.com", code: isKnown ? 2 : 1)
            #expect(done.head["location"] == "/account")
            let ben = try await world.account(of: try #require(browser.token))
            #expect(ben.account != ada && ben.kind == "identified")
            #expect(try await world.account(of: phone).account == ada)
            #expect(try await !world.isOpen(old))
            let status: RecoveryStatus = try await world.server.ask(
                "GET", "/v1/recovery-codes", token: phone
            ).decoded()
            #expect(status.left == 10)
            let list: SessionList = try await world.server.ask("GET", "/v1/sessions", token: phone).decoded()
            #expect(list.sessions.count == 1)
        }
    }

    @Test(
        "Trap: somebody has signed in with the session that waits in the browser – a right code leads to its owner’s account",
        arguments: [false, true])
    func takenSession(isKnown: Bool) async throws {
        try await BrowserWorld.run { world in
            if isKnown {
                var other = TestBrowser(world)
                try await other.signIn("ada@example.com")
                world.server.clock.advance(.seconds(61))
            }
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
            // Eve has read the cookie, and gives her own email to the account of the session.
            let waiting = try #require(browser.token)
            let request = CodeRequest(
                id: CodeID(UUID()), identity: try #require(Identity("mailto:eve@example.com")))
            try #require(
                try await world.server.ask("POST", "/v1/codes", token: waiting, json: request).status == 202)
            let check = CodeCheck(code: try await world.code(to: "eve@example.com"))
            try #require(
                try await world.server.ask("POST", "/v1/codes/\(request.id)/check", token: waiting, json: check).status
                    == 200)
            let eve = try await world.account(of: waiting)
            #expect(eve.kind == "identified")

            let code = try await world.code(to: "ada@example.com", isKnown ? 2 : 1)
            let fields = [("ticket", sent.ticket), ("email", "ada@example.com"), ("code", code)]
            for _ in 1...2 { #expect(try await browser.send("/sign-in", fields).head["location"] == "/account") }
            #expect(try await world.account(of: try #require(browser.token)).account != eve.account)
            let account = try await browser.open("/account")
            #expect(account.text.contains("<bdi>ada@example.com</bdi>") && !account.text.contains("eve@example.com"))
            #expect(try await !world.isOpen(waiting))
            // A code that has not opened the session is no reason to show it.
            let other = [("ticket", PageTicket().text), ("email", "ben@example.com"), ("code", "000000")]
            let lost = try await browser.send("/sign-in", other)
            #expect(lost.status == 410 && lost.text.contains(#"/account">My account</a>"#))
        }
    }

    @Test("Trap: either button is pressed twice while the server is slow – there is one session, and one cookie")
    func pressedTwice() async throws {
        try await BrowserWorld.run { world in
            // The browser has not received the first answer when it sends the form again.
            var (first, second) = (TestBrowser(world), TestBrowser(world))
            let page = try await first.open("/sign-in")
            let request = [("ticket", page.ticket), ("email", "ada@example.com")]
            let sent = [try await first.send("/sign-in", request), try await second.send("/sign-in", request)]
            #expect(sent.map(\.status) == [200, 200] && sent.map(\.ticket) == [page.ticket, page.ticket])
            #expect(first.token != nil && first.token == second.token)
            #expect(try await world.count("session") == 1)
            let fields = request + [("code", try await world.code(to: "ada@example.com"))]
            let done = [try await first.send("/sign-in", fields), try await second.send("/sign-in", fields)]
            #expect(done.map(\.status) == [303, 303] && done.map { $0.head["location"] } == ["/account", "/account"])
            #expect(done[0].head["set-cookie"] == done[1].head["set-cookie"])
            #expect(try await second.open("/account").text.contains("<bdi>ada@example.com</bdi>"))
            #expect(try await world.count("session") == 1)
        }
    }

    @Test("Trap: a code for another email, requested in the browser before, gives nothing after somebody has signed in")
    func laterCode() async throws {
        try await BrowserWorld.run { world in
            var eve = TestBrowser(world)
            let page = try await eve.open("/sign-in")
            let request = [("ticket", page.ticket), ("email", "eve@example.com")]
            _ = try await eve.send("/sign-in", request)
            let fields = request + [("code", try await world.code(to: "eve@example.com"))]
            var ada = eve
            try await ada.signIn("ada@example.com")
            #expect(try await eve.send("/sign-in", fields).status == 410)
            // The same token, but another account.
            var again = TestBrowser(world)
            _ = try await again.send("/sign-in", request)
            #expect(again.token == eve.token)
            #expect(try await again.send("/sign-in", fields).status == 410)
            #expect(try await world.count("identity") == 1)
            #expect(try await ada.open("/account").text.contains("<bdi>ada@example.com</bdi>"))
        }
    }

    @Test("Without the cookie, no code is of use; the page says what to do")
    func withoutCookie() async throws {
        try await BrowserWorld.run { world in
            var (browser, other) = (TestBrowser(world), TestBrowser(world))
            let page = try await browser.open("/sign-in")
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
            let code = try await world.code(to: "ada@example.com")
            let fields = [("ticket", sent.ticket), ("email", "ada@example.com"), ("code", code)]
            let lost = try await other.send("/sign-in", fields)
            #expect(lost.status == 410 && lost.error?.contains("Allow cookies") == true && other.token == nil)
            #expect(!lost.text.contains("My account"))
            #expect(try await browser.send("/sign-in", fields).status == 303)
        }
    }

    @Test("A wrong code and an email that is not complete are reported beside the field")
    func errors() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            let incomplete = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "\"><b>")])
            #expect(incomplete.status == 422 && incomplete.error != nil && !incomplete.text.contains("<b>"))
            #expect(try await world.count("session") == 0, "Nothing is opened for it.")
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
            let code = try await world.code(to: "ada@example.com")
            let wrong = code == "000000" ? "000001" : "000000"
            let refused = try await browser.send(
                "/sign-in", [("ticket", sent.ticket), ("email", "ada@example.com"), ("code", wrong)])
            #expect(refused.status == 422 && refused.heading == "Enter the code" && refused.error != nil)
            #expect(try await browser.open("/account").head["location"] == "/sign-in")
        }
    }

    @Test("The same form sends one code; another one has to wait, and says for how long")
    func limits() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            for _ in 1...3 {
                let sent = try await browser.send(
                    "/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
                #expect(sent.status == 200 && sent.ticket == page.ticket)
            }
            let other = try await browser.open("/sign-in")
            let early = try await browser.send("/sign-in", [("ticket", other.ticket), ("email", "ada@example.com")])
            #expect(early.status == 429 && early.head["retry-after"] == "60" && early.error?.contains("1 min") == true)
            #expect(early.error?.contains("A code was sent a short time ago") == true, "Not too many.")
            #expect(try await world.count("session") == 1)
        }
    }

    @Test("Trap: another code is requested too soon – the page says so, and takes the code that was sent")
    func tooSoon() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
            let again = [("ticket", sent.nextTicket), ("sent", sent.value("sent")), ("email", "ada@example.com")]
            let early = try await browser.send("/sign-in", again)
            #expect(early.status == 429 && early.head["retry-after"] == "60" && early.heading == "Enter the code")
            #expect(early.error == "A code was sent a short time ago. You can request another one in 1 min.")
            #expect(early.ticket == page.ticket && early.text.contains("<bdi>ada@example.com</bdi>"))
            let code = [("ticket", early.ticket), ("code", try await world.code(to: "ada@example.com"))]
            #expect(try await browser.send("/sign-in", code + [("email", "ada@example.com")]).status == 303)
        }
    }

    @Test("A form from another website is refused, and opens nothing")
    func foreign() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            let sent = try await browser.send(
                "/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")], ["Sec-Fetch-Site": "cross-site"])
            #expect(sent.status == 403 && browser.token == nil && world.gateway.delivered.isEmpty)
            // No link has led to this page.
            #expect(sent.text.contains("Open the page again") && !sent.text.contains("the link"))
            #expect(try await browser.send("/sign-in", [("email", "ada@example.com")]).status == 400)
        }
    }

    @Test("A server that sends no codes says so")
    func switchedOff() async throws {
        let change: (inout ServerConfiguration) -> Void = { configuration in
            configuration.signIn.sendsEmail = false
            configuration.passkeys.isOn = false
        }
        try await BrowserWorld.run(change) { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            #expect(page.status == 200 && page.text.contains("Use the app.") && !page.text.contains("name=\"email\""))
            let sent = try await browser.send(
                "/sign-in", [("ticket", PageTicket().text), ("email", "ada@example.com")])
            #expect(sent.status == 403 && browser.token == nil)
        }
    }

    // MARK: With a share code

    @Test("Trap: a server that sends codes only by SMS – the page of a code leads to the page on which people sign in")
    func joiningByNumber() async throws {
        let change: (inout ServerConfiguration) -> Void = { configuration in
            configuration.signIn.sendsEmail = false
            configuration.passkeys.isOn = false
            configuration.messages.smsURL = "files"
            configuration.phone.countries = [TestPlan.austria]
            configuration.phone.numberingPlan = TestPlan()
        }
        try await BrowserWorld.run(change) { world in
            var ada = TestBrowser(world)
            try await ada.signIn("+436641234567")
            try await world.share("ADA-TEA", by: ada)
            let page = try await ada.open("/s/ADA-TEA")
            #expect(page.text.contains("/sign-in?share=ADA-TEA\">Join</a>"))
        }
    }

    /// A test that waits for a page asks for it as often as it can, while the clock stands still.
    private static func permitMuch(_ configuration: inout ServerConfiguration) {
        let much = Rate(perSecond: 1_000_000, burst: 1_000_000)
        (configuration.limits.session, configuration.limits.address) = (much, much)
        (configuration.limits.sessionWork, configuration.limits.addressWork) = (much, much)
    }

    @Test("Trap: somebody who comes with a code is brought by its owner, and both are rewarded")
    func joining() async throws {
        try await BrowserWorld.run(Self.permitMuch) { world in
            var (ada, ben) = (TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            world.server.clock.advance(.seconds(600))
            let page = try await ben.open("/sign-in?share=ada-tea")
            #expect(page.text.contains("<code>ADA-TEA</code>") && page.text.contains("Bring a friend"))
            try await ben.signIn("ben@example.com", share: "ADA-TEA")
            try await Limit("Ben sees his reward").until { [ben] in
                var browser = ben
                return try await browser.open("/account").text.contains("3 € voucher")
            }
            let account = try await ben.open("/account")
            #expect(account.text.contains("<code>ADA-TEA</code>") && account.text.contains("counts</span>"))
            try await Limit("Ada sees hers").until { [ada] in
                var browser = ada
                return try await browser.open("/account").text.contains("5 € voucher")
            }
            #expect(try await ada.open("/account").text.contains("People I have brought"))
            #expect(try await world.count("reward") == 2)
        }
    }

    @Test("Trap: a friend who joins on the web is counted by the channel of the link, from the link to the reward")
    func channel() async throws {
        try await BrowserWorld.run { world in
            var (ada, ben) = (TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            world.server.clock.advance(.seconds(600))
            let page = try await ben.open("/sign-in?share=ADA-TEA&c=email")
            #expect(page.value("share") == "ADA-TEA" && page.value("c") == "email")
            world.server.clock.advance(.seconds(30))
            let shared = [
                ("email", "ben@example.com"), ("share", page.value("share")), ("c", page.value("c")),
                ("opened", page.value("opened")),
            ]
            let sent = try await ben.send("/sign-in", [("ticket", page.ticket)] + shared)
            #expect(sent.value("c") == "email" && sent.text.contains("sign-in?share=ADA-TEA&amp;c=email"))
            let code = try await world.code(to: "ben@example.com")
            let done = try await ben.send("/sign-in", [("ticket", sent.ticket), ("code", code)] + shared)
            #expect(done.head["location"] == "/account")
            let funnels = FunnelService(database: world.database)
            try await Limit("Ben has joined, and both are rewarded").until {
                try await funnels.funnel().total(.rewarded) == 1
            }
            let funnel = try await funnels.funnel()
            #expect(funnel.total(.joined, channel: .email) == 1 && funnel.total(.joined) == 1)
            #expect(funnel.total(.rewarded, channel: .email) == 1)
            // Whoever is signed in presses a button, which has the channel too.
            let known = try await ada.open("/sign-in?share=ADA-TEA&c=sheet")
            #expect(known.value("share") == "ADA-TEA" && known.value("c") == "sheet")
            #expect(known.text.contains("The button uses the code for your account."))
            #expect(!known.text.contains("when you sign in") && page.text.contains("when you sign in"))
        }
    }

    @Test("An account that existed uses the code too, and reads why it does not count")
    func late() async throws {
        try await BrowserWorld.run(Self.permitMuch) { world in
            var (ada, ben, again) = (TestBrowser(world), TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            try await ben.signIn("ben@example.com")
            world.server.clock.advance(.days(2))
            try await again.signIn("ben@example.com", code: 2, share: "ADA-TEA")
            try await Limit("The code is refused").until { [again] in
                var browser = again
                return try await browser.open("/account").text.contains("too late</span>")
            }
            // In the browser that is signed in, there is a button.
            let page = try await ben.open("/sign-in?share=NOBODY")
            #expect(page.status == 404 && page.heading == "This code does not exist")
            let known = try await ben.open("/sign-in?share=ada-tea")
            let form = [("do", "useCode"), ("share", known.value("share")), ("proof", known.proof("useCode"))]
            let used = try await ben.send("/account", form)
            #expect(used.head["location"] == "/account?done=used")
            #expect(try await ben.follow(used).text.contains("The code was used."))
            #expect(try await world.count("claim") == 2, "Once for each account.")
        }
    }

    @Test(
        "A code that nobody has is not taken without a word: the page says so, and people sign in without it",
        arguments: ["NOSUCHCODE", "no", "%3Cscript%3E"])
    func unknown(code: String) async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in?share=\(code)&c=email")
            #expect(page.status == 200 && page.heading == "Sign in")
            #expect(page.text.contains("<p class=\"warning\">Nobody has the code of this link"))
            #expect(!page.text.contains("name=\"share\"") && !page.text.contains("NOSUCHCODE"))
            for plain in ["/sign-in", "/sign-in?share="] {
                let without = try await browser.open(plain)
                #expect(without.status == 200 && !without.text.contains("class=\"warning\""), "\(plain)")
            }
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ben@example.com")])
            let digits = try await world.code(to: "ben@example.com")
            let done = try await browser.send(
                "/sign-in", [("ticket", sent.ticket), ("email", "ben@example.com"), ("code", digits)])
            #expect(done.head["location"] == "/account")
            #expect(try await world.count("claim") == 0)
            // Whoever is signed in reads it too.
            let known = try await browser.open("/sign-in?share=\(code)")
            #expect(known.status == 404 && known.heading == "This code does not exist")
        }
    }

    // MARK: Passkeys

    @Test("Trap: the button for a passkey hides why the server refuses – the page has a text for each problem")
    func problemsOfPasskeys() throws {
        let page = try #require(PageRenderer.templates.first { $0.name == "signin" })
        let template = String(decoding: page.bytes, as: UTF8.self)
        for (name, text) in [
            ("cancelled", "passkey.cancelled"), ("forbidden", "passkey.off"), ("too-fast", "problem.tooFastText"),
            ("busy", "problem.busyText"), ("other", "problem.failedText"), ("offline", "layout.offline"),
        ] { #expect(template.contains("data-\(name)=\"{{t.\(text)}}\""), "\(name)") }
    }

    @Test(
        "The script signs in with a passkey, and never sees the token",
        .enabled(if: TestServer.passkeyVerifier != nil, "This machine has no libfido2."))
    func passkey() async throws {
        let change: (inout ServerConfiguration) -> Void = { $0.publicURL = SoftAuthenticator.origin }
        try await BrowserWorld.run(change) { world in
            let (session, key) = (try await world.server.newSession(), SoftAuthenticator())
            let begun: PasskeyRegistration = try await world.server.ask(
                "POST", "/v1/passkeys/registrations", token: session.token, json: PasskeyCeremonyRequest()
            ).decoded()
            let added = try await world.server.ask(
                "POST", "/v1/passkeys/registrations/\(begun.id)", token: session.token, json: key.create(begun.options))
            try #require(added.status == 201)

            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            #expect(page.text.contains("data-device=\"Browser (Firefox, Linux)\""))
            #expect(page.text.contains(/<script src="\/pages\/signin\.js\?v=[A-Za-z0-9_-]{8}" defer>/))
            #expect(page.head["content-security-policy"]?.contains("script-src 'self'") == true)
            // Somebody has asked for a code before, and another account is signed in in the browser.
            _ = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ben@example.com")])
            let waiting = try #require(browser.token)
            let ceremony: PasskeySignIn = try await world.server.ask(
                "POST", "/v1/passkeys/signins", json: PasskeyCeremonyRequest(name: "Browser (Firefox, Linux)")
            ).decoded()
            let assertion = String(
                decoding: try JSONEncoder().encode(key.get(ceremony.options, for: session.account)), as: UTF8.self)
            let form = [("ceremony", ceremony.id.description), ("assertion", assertion)]
            let done = try await browser.send("/sign-in/passkey", form)
            #expect(done.status == 303 && done.head["location"] == "/account" && done.reply.body.isEmpty)
            #expect(done.head["set-cookie"]?.hasPrefix("__Host-kith=") == true)
            #expect(done.head["set-cookie"]?.hasSuffix("; Secure") == true)
            #expect(try await world.account(of: try #require(browser.token)).account == session.account)
            #expect(try await !world.isOpen(waiting), "Nobody has its token any more.")
            #expect(try await browser.open("/account").text.contains("passkey · since"))
            let again = try await browser.send("/sign-in/passkey", form)
            #expect(again.status == 404 && again.text.contains("The passkey was not accepted."))
        }
    }
}
