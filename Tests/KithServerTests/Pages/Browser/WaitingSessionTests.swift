import Foundation
import KithModel
import KithServer
import Testing

@Suite("The session that waits in a browser for a code") struct WaitingSessionTests {
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
}
