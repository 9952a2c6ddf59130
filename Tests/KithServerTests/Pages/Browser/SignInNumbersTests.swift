import Foundation
import KithModel
import KithServer
import Testing

@Suite("Signing in in a browser with a number") struct SignInNumbersTests {
    /// Lets the server send codes to mobile numbers of Austria.
    private static func sendSMS(_ configuration: inout ServerConfiguration) {
        configuration.messages.smsURL = "files"
        configuration.phone.countries = [TestPlan.austria]
        configuration.phone.numberingPlan = TestPlan()
    }

    @Test("With numbers switched on, the field takes both")
    func numbers() async throws {
        try await BrowserWorld.run(Self.sendSMS) { world in
            var browser = TestBrowser(world)
            let page = try await browser.open("/sign-in")
            #expect(page.text.contains("Email or mobile number") && page.text.contains("autocomplete=\"username\""))
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", "0664 1234567")])
            #expect(sent.status == 422 && sent.error?.contains("country code") == true)
            #expect(try await browser.signIn("+436641234567").head["location"] == "/account")
        }
    }

    @Test(
        "For a number that gets no SMS, the page names the countries whose mobile numbers do",
        arguments: PageLanguage.allCases)
    func unreachable(language: PageLanguage) async throws {
        try await BrowserWorld.run(Self.sendSMS) { world in
            var browser = TestBrowser(world)
            browser.headers["Accept-Language"] = language.rawValue
            let country = try #require(Locale(identifier: language.rawValue).localizedString(forRegionCode: "AT"))
            let sentence = PageTexts.of(language).text("signin.unreachableNumber", ["countries": country])
            // A mobile number of Germany, and a fixed line in Austria.
            for number in ["+4915123456789", "+43123456789"] {
                let page = try await browser.open("/sign-in")
                let refused = try await browser.send("/sign-in", [("ticket", page.ticket), ("email", number)])
                #expect(refused.error == sentence, "\(number)")
            }
        }
    }

    @Test("Trap: a number waits for others with its prefix – the page does not say that a code was sent to it")
    func prefix() async throws {
        let limited: (inout ServerConfiguration) -> Void = {
            Self.sendSMS(&$0)
            $0.phone.limits.messagesAnHour = 1
        }
        try await BrowserWorld.run(limited) { world in
            func request(_ number: String) async throws -> PageReply {
                var browser = TestBrowser(world)
                let page = try await browser.open("/sign-in")
                return try await browser.send("/sign-in", [("ticket", page.ticket), ("email", number)])
            }
            #expect(try await request("+436641234567").status == 200)
            world.server.clock.advance(.seconds(3540))
            let refused = try await request("+436641234568")
            #expect(refused.status == 429)
            #expect(refused.error == PageTexts.of(.english).text("accept.wait", ["minutes": "1"]))
        }
    }

    @Test("The page for a code that was sent by SMS says nothing about emails", arguments: PageLanguage.allCases)
    func codePage(language: PageLanguage) async throws {
        try await BrowserWorld.run(Self.sendSMS) { world in
            var browser = TestBrowser(world)
            browser.headers["Accept-Language"] = language.rawValue
            let page = try await browser.open("/sign-in")
            let number = ("email", "+436641234567")
            let sent = try await browser.send("/sign-in", [("ticket", page.ticket), number])
            let code = try await world.code(to: number.1) == "000000" ? "000001" : "000000"
            let wrong = try await browser.send("/sign-in", [("ticket", sent.ticket), number, ("code", code)])
            let soon = try await browser.send(
                "/sign-in", [("ticket", wrong.nextTicket), ("sent", sent.ticket), number])
            let texts = PageTexts.of(language)
            for reply in [sent, wrong, soon] {
                for key in ["code.delay", "code.otherWay"] { #expect(reply.text.contains(texts.text(key)), "\(key)") }
                for key in ["code.spam", "code.other"] { #expect(!reply.text.contains(texts.text(key)), "\(key)") }
            }
        }
    }
}
