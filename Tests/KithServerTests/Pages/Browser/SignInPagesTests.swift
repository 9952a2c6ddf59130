import Foundation
import KithModel
import KithServer
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

    @Test("Trap: the page for the code is lost – its browser requests another code, and gets the page again")
    func lostPage() async throws {
        try await BrowserWorld.run { world in
            func request(in browser: inout TestBrowser) async throws -> PageReply {
                let page = try await browser.open("/sign-in")
                return try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "ada@example.com")])
            }
            var (browser, stranger) = (TestBrowser(world), TestBrowser(world))
            let sent = try await request(in: &browser)
            let code = try await world.code(to: "ada@example.com")
            let found = try await request(in: &browser)
            let elsewhere = try await request(in: &stranger)
            #expect(sent.status == 200 && elsewhere.status == 429)
            #expect(elsewhere.heading == "Sign in", "The code is that of the first browser.")
            #expect(found.status == 429 && found.head["retry-after"] == "60" && found.heading == "Enter the code")
            #expect(found.error == "A code was sent a short time ago. You can request another one in 1 min.")
            for page in [sent, found] {
                #expect(page.text.contains("valid for 10 minutes, and only in this browser."), "Not only on one page.")
            }
            let again = [("ticket", found.nextTicket), ("sent", found.value("sent")), ("email", "ada@example.com")]
            #expect(try await browser.send("/sign-in", again).ticket == found.ticket)
            let email = [("ticket", found.ticket), ("email", "ada@example.com")]
            #expect(try await browser.send("/sign-in", email).status == 400, "An id requests no code.")
            let other = code == "000000" ? "000001" : "000000"
            let wrong = try await browser.send("/sign-in", email + [("code", other)])
            #expect(wrong.status == 422 && wrong.ticket == found.ticket)
            #expect(try await stranger.send("/sign-in", email + [("code", code)]).status == 410)
            for _ in 1...2 {
                let done = try await browser.send("/sign-in", email + [("code", code)])
                #expect(done.head["location"] == "/account")
            }
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
}
