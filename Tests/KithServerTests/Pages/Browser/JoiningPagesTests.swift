import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("Signing in in a browser with a share code") struct JoiningPagesTests {
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
            #expect(account.text.contains("<code>ADA-TEA</code>") && account.text.contains("accepted</span>"))
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
}
