import Foundation
import KithModel
import KithServer
import Testing

@Suite("A share code that cannot be used in a browser") struct SignInCodesTests {
    /// Fills the account of a browser with as many codes as it can use.
    private func fill(_ browser: TestBrowser, in world: BrowserWorld) async throws {
        var device = try await world.device(try #require(browser.token))
        let home: ListID = device.session.account.retyped()
        let used = HandClock.start.milliseconds
        let codes = (1...Limits.claims).map { number in
            device.mutation(
                Int64(number), .claims, UUID(), in: home,
                set: ["code": .text("FILL-\(1_000 + number)"), "used": .integer(used)])
        }
        try #require(try await device.sync(codes, with: world.server).outcomes.isEmpty)
    }

    @Test(
        "is not used without a word: the page says that the account has reached its limit",
        arguments: PageLanguage.allCases)
    func limit(language: PageLanguage) async throws {
        try await BrowserWorld.run { world in
            var (ada, ben, again) = (TestBrowser(world), TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            try await ben.signIn("ben@example.com")
            try await fill(ben, in: world)
            let sentence = try #require(PageTexts.of(language).sections["account"]?["codeLimit"])
            ben.headers["Accept-Language"] = language.rawValue
            again.headers["Accept-Language"] = language.rawValue

            // Whoever is signed in presses a button.
            for _ in 1...2 {
                let known = try await ben.open("/sign-in?share=ada-tea")
                let form = [("do", "useCode"), ("share", known.value("share")), ("proof", known.proof("useCode"))]
                let refused = try await ben.send("/account", form)
                #expect(refused.status == 422 && refused.error == sentence)
            }
            // Whoever signs in with the code is signed in nevertheless.
            world.server.clock.advance(.seconds(601))
            let done = try await again.signIn("ben@example.com", code: 2, share: "ADA-TEA")
            #expect(done.status == 303 && done.head["location"] == "/account?done=codeLimit")
            #expect(try await again.follow(done).error == sentence)
            let tokens = (try #require(ben.token), try #require(again.token))
            #expect(try await world.account(of: tokens.0).account == world.account(of: tokens.1).account)
        }
    }

    @Test("Trap: another tab has signed in meanwhile – the code of a friend is not lost, there is a button for it")
    func otherTab() async throws {
        try await BrowserWorld.run { world in
            var (ada, ben) = (TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            let page = try await ben.open("/sign-in?share=ADA-TEA&c=email")
            try await ben.signIn("ben@example.com")
            let shared = [("share", page.value("share")), ("c", page.value("c")), ("opened", page.value("opened"))]
            let fields = [("ticket", page.ticket), ("email", "ben@example.com")]
            for form in [fields + shared, fields + shared + [("code", "000000")]] {
                let known = try await ben.send("/sign-in", form)
                #expect(known.status == 200 && known.heading == "Use a code" && known.head["set-cookie"] == nil)
                #expect(known.value("share") == "ADA-TEA" && known.value("c") == "email")
                let use = [("do", "useCode"), ("share", "ADA-TEA"), ("proof", known.proof("useCode"))]
                #expect(try await ben.send("/account", use).head["location"] == "/account?done=used")
            }
            #expect(try await world.count("claim") == 1)
            #expect(try await ben.send("/sign-in", fields).head["location"] == "/account")
        }
    }

    @Test("Trap: whoever signs in while the server is too busy for it has the cookie, and no session is left open")
    func busyAfter() async throws {
        let database = FaultyDatabase(try SQLiteDatabase.inMemory())
        try await BrowserWorld.run(database: database) { world in
            var (ada, ben, again) = (TestBrowser(world), TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            try await ben.signIn("ben@example.com")
            world.server.clock.advance(.seconds(601))
            let page = try await again.open("/sign-in?share=ADA-TEA")
            let shared = [("email", "ben@example.com"), ("share", "ADA-TEA"), ("opened", page.value("opened"))]
            let sent = try await again.send("/sign-in", [("ticket", page.ticket)] + shared)
            try #require(sent.status == 200)
            let (waiting, code) = (try #require(again.token), try await world.code(to: "ben@example.com", 2))
            database.refuse("INSERT INTO taken")
            let done = try await again.send("/sign-in", [("ticket", sent.ticket), ("code", code)] + shared)
            database.refuse(nil)
            #expect(done.status == 303 && done.head["location"] == "/account?done=notUsed")
            #expect(try await again.follow(done).error?.contains("the code was not used") == true)
            #expect(try await !world.isOpen(waiting))
            #expect(try await world.count("session") == 3, "Those of Ada, of Ben, and of his second browser.")
            // He opens the link again, as the page says.
            let known = try await again.open("/sign-in?share=ADA-TEA")
            let form = [("do", "useCode"), ("share", known.value("share")), ("proof", known.proof("useCode"))]
            #expect(try await again.send("/account", form).head["location"] == "/account?done=used")
        }
    }

    @Test("Trap: while the server is too busy to send a code, the browser keeps its session, and sends the form again")
    func busyBefore() async throws {
        let database = FaultyDatabase(try SQLiteDatabase.inMemory())
        try await BrowserWorld.run(database: database) { world in
            var (ada, ben) = (TestBrowser(world), TestBrowser(world))
            try await ada.signIn("ada@example.com")
            try await world.share("ADA-TEA", by: ada)
            let page = try await ben.open("/sign-in?share=ADA-TEA")
            let shared = [("email", "ben@example.com"), ("share", "ADA-TEA"), ("opened", page.value("opened"))]
            database.refuse("INSERT INTO taken")
            let busy = try await ben.send("/sign-in", [("ticket", page.ticket)] + shared)
            database.refuse(nil)
            #expect(busy.status == 503 && busy.error?.contains("Nothing was sent") == true)
            #expect(busy.text.contains("value=\"ben@example.com\"") && busy.value("share") == "ADA-TEA")
            let waiting = try #require(ben.token)
            let sent = try await ben.send("/sign-in", [("ticket", busy.ticket)] + shared)
            #expect(sent.status == 200 && ben.token == waiting)
            #expect(try await world.count("session") == 2, "That of Ada, and the one that waits.")
            let code = try await world.code(to: "ben@example.com")
            let done = try await ben.send("/sign-in", [("ticket", sent.ticket), ("code", code)] + shared)
            #expect(done.head["location"] == "/account" && ben.token != waiting)
            #expect(try await world.count("claim") == 1)
        }
    }
}
