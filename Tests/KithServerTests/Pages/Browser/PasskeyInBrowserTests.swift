import Foundation
import KithModel
import KithServer
import Testing

@Suite("Signing in in a browser with a passkey") struct PasskeyInBrowserTests {
    @Test("Trap: the button for a passkey hides why the server refuses – the page has a text for each problem")
    func problemsOfPasskeys() throws {
        let page = try #require(PageRenderer.templates.first { $0.name == "signin" })
        let template = String(decoding: page.bytes, as: UTF8.self)
        for (name, text) in [
            ("cancelled", "passkey.cancelled"), ("forbidden", "passkey.off"), ("too-fast", "problem.tooFastText"),
            ("busy", "problem.busyText"), ("other", "problem.failedText"), ("offline", "layout.offline"),
        ] { #expect(template.contains("data-\(name)=\"{{t.\(text)}}\""), "\(name)") }
    }

    @Test("The page names the domain of the passkeys, because no browser uses them at another host")
    func domain() {
        let pages = PageRenderingTests.pages("Milk").filter { $0.template == .signIn }
        let texts = pages.map { PageRenderingTests.html($0) }.filter { $0.contains("id=\"passkey\"") }
        #expect(texts.count > 1 && texts.allSatisfy { $0.contains(" data-domain=\"kith.example\"") })
        // Where passkeys are the only way, the page says so if they cannot be used.
        #expect(texts.contains { $0.contains("<p class=\"empty\" id=\"noway\" hidden>") })
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
            #expect(page.text.contains("data-domain=\"\(begun.options.rp.id)\""))
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
