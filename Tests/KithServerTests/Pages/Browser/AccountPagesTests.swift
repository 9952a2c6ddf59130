import Foundation
import KithModel
import KithServer
import Testing

@Suite("The page of an account") struct AccountPagesTests {
    /// Runs `body` with a browser that is signed in.
    private func signedIn(_ body: (BrowserWorld, inout TestBrowser) async throws -> Void) async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            try await browser.signIn("ada@example.com")
            try await body(world, &browser)
        }
    }

    /// Another session of Ada's account.
    private func another(in world: BrowserWorld, code: Int = 2) async throws -> TestBrowser {
        var browser = TestBrowser(world)
        world.server.clock.advance(.seconds(601))
        try await browser.signIn("ada@example.com", code: code)
        return browser
    }

    private func isOpen(_ browser: TestBrowser, in world: BrowserWorld) async throws -> Bool {
        try await world.server.ask("GET", "/v1/session", token: browser.token).status == 200
    }

    @Test("Whoever is not signed in is sent to the page on which people sign in, and no form does anything")
    func signedOut() async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            for path in ["/account", "/account?done=closed", "/account/delete"] {
                let reply = try await browser.open(path)
                #expect(reply.status == 303 && reply.head["location"] == "/sign-in", "\(path)")
            }
            for path in ["/account", "/account/export", "/account/delete"] {
                let reply = try await browser.send(path, [("do", "closeOthers"), ("word", "delete")])
                #expect(reply.status == 403 && reply.error?.contains("You are signed out") == true, "\(path)")
            }
            // The token of a session is no cookie, and a cookie is no token.
            let token = try await world.server.newSession().token
            let headers = ["Cookie": "kith=\(token)"]
            #expect(try await world.server.ask("GET", "/v1/session", headers: headers).status == 401)
            #expect(try await world.server.ask("GET", "/account", token: token).status == 303)
        }
    }

    @Test(
        "Trap: somebody opens the address that a page has after its form was refused – the page of the form opens",
        arguments: [
            ("/sign-in/passkey", "/sign-in"), ("/account/export", "/account"), ("/admin/sign-out", "/admin"),
        ])
    func addressOfForm(path: String, page: String) async throws {
        try await BrowserWorld.run { world in
            var browser = TestBrowser(world)
            let reply = try await browser.open(path)
            #expect(reply.status == 303 && reply.head["location"] == page)
            let other = try await world.server.ask("GET", path)
            #expect(other.status == 405 && other.head["allow"] == "POST")
        }
    }

    @Test("A form that was held back does nothing once its session is closed", arguments: ["export", "delete"])
    func heldForm(action: String) async throws {
        try await signedIn { world, browser in
            let (server, other) = (world.server, try await another(in: world))
            let token = try #require(browser.token)
            let form = Data("proof=\(FormProof(action, of: token).text)&word=delete".utf8)
            let headers = ["Cookie": "kith=\(token)", "Content-Type": "application/x-www-form-urlencoded"]
            let held = try Wire(server.url)
            try held.send(
                server.request(
                    "POST", "/account/\(action)", headers: PageServer.browser.merging(headers) { $1 },
                    length: form.count)
            )
            try held.send(Data(form.prefix(5)))
            while try await server.metric("kith_body_bytes") == 0 { await Task.yield() }
            #expect(try await server.ask("DELETE", "/v1/session", token: token).status == 204)
            server.clock.advance(.seconds(2))
            try held.send(Data(form.dropFirst(5)))
            #expect(try await server.reply(on: held).status == 401)
            #expect(try await isOpen(other, in: world))
        }
    }

    @Test("Signing out closes the session and removes the cookie")
    func signOut() async throws {
        try await signedIn { world, browser in
            let before = browser
            let done = try await browser.act("signOut")
            #expect(done.head["location"] == "/sign-in?done=signedOut" && browser.token == nil)
            #expect(try await browser.follow(done).text.contains("You have signed out."))
            #expect(try await !isOpen(before, in: world))
        }
    }

    @Test("Trap: the button to sign out is pressed twice, or in two tabs – both times, the person has signed out")
    func signOutTwice() async throws {
        try await signedIn { world, browser in
            let page = try await browser.open("/account")
            let form = [("do", "signOut"), ("proof", page.proof("signOut"))]
            var second = browser
            for _ in 1...2 {
                #expect(try await second.send("/account", form).head["location"] == "/sign-in?done=signedOut")
            }
            // The other tab has the cookie of a session that is closed, and then somebody waits for a code there.
            #expect(try await browser.send("/account", form).head["location"] == "/sign-in?done=signedOut")
            let start = try await browser.open("/sign-in")
            _ = try await browser.send("/sign-in", [("ticket", start.ticket), ("email", "ben@example.com")])
            let waiting = try #require(browser.token)
            #expect(try await browser.send("/account", form).status == 303)
            #expect(browser.token == waiting)
            let foreign = try await browser.send("/account", form, ["Sec-Fetch-Site": "cross-site"])
            #expect(foreign.status == 403)
        }
    }

    @Test("One session is closed, or all others; the list says which one is this browser")
    func sessions() async throws {
        try await signedIn { world, browser in
            #expect(try await !browser.open("/account").text.contains("Sign out all others"))
            let others = [try await another(in: world), try await another(in: world, code: 3)]
            let page = try await browser.open("/account")
            #expect(page.text.contains("Sign out all others"))
            #expect(page.text.matches(of: /name="session" value=/).count == 2, "This browser has no button.")
            let closed = try await browser.act("closeSession", [("session", page.value("session"))])
            #expect(closed.head["location"] == "/account?done=closed")
            #expect(try await browser.follow(closed).text.contains("The device was signed out."))
            var open = 0
            for other in others {
                if try await isOpen(other, in: world) { open += 1 }
            }
            #expect(open == 1)
            #expect(try await browser.confirm("closeOthers").head["location"] == "/account?done=closedOthers")
            for other in others { #expect(try await !isOpen(other, in: world)) }
            #expect(try await isOpen(browser, in: world))
        }
    }

    @Test("Trap: one tap signs out all other devices, or removes a way to sign in – the page asks first, and names it")
    func questions() async throws {
        try await signedIn { world, browser in
            let other = try await another(in: world)
            let (none, way) = ([(String, String)](), [("way", "mailto:ada@example.com")])
            for (action, fields, button) in [
                ("closeOthers", none, "Sign out all others"), ("removeWay", way, "Remove"),
            ] {
                for sure in [none, [("sure", "no")]] {
                    let page = try await browser.act(action, fields + sure)
                    #expect(page.status == 200 && page.value("do") == action && page.value("sure") == "yes")
                    #expect(page.text.contains("<button class=\"danger\" type=\"submit\">\(button)</button>"))
                    #expect(page.text.contains("<a class=\"button quiet\" href=\"/account\">Cancel</a>"))
                    #expect(page.text.contains("<bdi>ada@example.com</bdi>") == (action == "removeWay"))
                }
            }
            #expect(try await isOpen(other, in: world))
            #expect(try await browser.open("/account").text.contains("<bdi>ada@example.com</bdi>"))
        }
    }

    @Test("Trap: nobody closes a session of another account")
    func foreignSession() async throws {
        try await signedIn { world, browser in
            var ben = TestBrowser(world)
            try await ben.signIn("ben@example.com")
            let id = SessionID(token: try #require(ben.token))
            // The page has the form, with its proof, only beside another session.
            _ = try await another(in: world)
            // The answer is that for a session which is closed already.
            let closed = try await browser.act("closeSession", [("session", id.description)])
            #expect(closed.head["location"] == "/account?done=closed")
            #expect(try await isOpen(ben, in: world))
            let removed = try await browser.act("removeWay", [("way", "mailto:ben@example.com")])
            #expect(removed.head["location"] == "/account?done=removedEmail")
            #expect(try await ben.open("/account").text.contains("<bdi>ben@example.com</bdi>"))
        }
    }

    @Test("Trap: a button is pressed twice – what it asks for is so, and the page says it again")
    func pressedTwice() async throws {
        try await signedIn { world, browser in
            let other = try await another(in: world)
            let page = try await browser.open("/account")
            let close = [
                ("do", "closeSession"), ("proof", page.proof("closeSession")), ("session", page.value("session")),
            ]
            for _ in 1...2 {
                #expect(try await browser.send("/account", close).head["location"] == "/account?done=closed")
            }
            #expect(try await !isOpen(other, in: world))
            let id = UUID().uuidString.lowercased()
            for (way, kind) in [
                ("mailto:ada@example.org", "Email"), ("tel:+436641234567", "Number"), ("issuer:\(id)", "Issuer"),
                ("passkey:\(id)", "Passkey"),
            ] {
                let gone = [("do", "removeWay"), ("proof", page.proof("removeWay")), ("way", way)]
                for form in [gone, gone + [("sure", "yes")]] {
                    let reply = try await browser.send("/account", form)
                    #expect(reply.head["location"] == "/account?done=removed\(kind)", "\(way)")
                }
            }

            let deletion = try await browser.open("/account/delete")
            let form = [("proof", deletion.value("proof")), ("word", "delete")]
            var again = browser
            #expect(try await browser.send("/account/delete", form).head["location"] == "/sign-in?done=deleted")
            let repeated = try await again.send("/account/delete", form)
            #expect(repeated.head["location"] == "/sign-in?done=deleted" && again.token == nil)
        }
    }

    @Test("Trap: a form without its proof, with another form’s, or from another website does nothing")
    func proof() async throws {
        try await signedIn { world, browser in
            let page = try await browser.open("/account")
            var ben = TestBrowser(world)
            try await ben.signIn("ben@example.com")
            let foreign = try await ben.open("/account").proof("signOut")
            for proof in ["", "x", page.proof("closeOthers"), page.value("proof").lowercased(), foreign] {
                for path in ["/account", "/account/export", "/account/delete"] {
                    let fields = [("do", "signOut"), ("word", "delete"), ("proof", proof)]
                    let reply = try await browser.send(path, fields)
                    #expect(reply.head["location"] == "/account?done=signedInAgain", "\(path)")
                }
            }
            let right = [("do", "signOut"), ("proof", page.proof("signOut"))]
            let crossing = try await browser.send("/account", right, ["Sec-Fetch-Site": "cross-site"])
            #expect(crossing.status == 403)
            #expect(try await isOpen(browser, in: world))
            #expect(try await browser.send("/account", right).head["location"] == "/sign-in?done=signedOut")
        }
    }

    @Test("Trap: a link of another website makes the pages say what has not happened")
    func notices() async throws {
        try await signedIn { world, browser in
            let (removed, deleted) = ("The email was removed.", "Your account was deleted.")
            var page = try await browser.open("/account?done=removedEmail")
            #expect(page.text.contains(removed))
            browser.headers["Sec-Fetch-Site"] = "cross-site"
            page = try await browser.open("/account?done=removedEmail")
            #expect(!page.text.contains(removed))
            var other = TestBrowser(world)
            page = try await other.open("/sign-in?done=deleted")
            #expect(page.text.contains(deleted))
            other.headers["Sec-Fetch-Site"] = "cross-site"
            page = try await other.open("/sign-in?done=deleted")
            #expect(!page.text.contains(deleted))
        }
    }

    @Test("Trap: somebody else signs in in another tab – a button of the first tab does nothing, and says why")
    func otherAccount() async throws {
        try await signedIn { world, browser in
            let page = try await browser.open("/account")
            let out = [("do", "signOut"), ("proof", page.proof("signOut"))]
            #expect(try await browser.send("/account", out).status == 303)
            try await browser.signIn("ben@example.com")
            let reply = try await browser.send("/account", out)
            #expect(reply.head["location"] == "/account?done=signedInAgain")
            let told = try await browser.follow(reply)
            #expect(told.error?.contains("you have signed in again") == true)
            #expect(told.text.contains("<bdi>ben@example.com</bdi>"))
        }
    }

    @Test("A way to sign in is removed, but never the last one")
    func ways() async throws {
        try await signedIn { world, browser in
            let last = try await browser.confirm("removeWay", [("way", "mailto:ada@example.com")])
            #expect(last.status == 409 && last.error?.contains("last way to sign in") == true)
            // The account proves another email, as an app does.
            let token = try #require(browser.token)
            let id = CodeID(UUID())
            let request = CodeRequest(id: id, identity: try #require(Identity("mailto:ada@example.org")))
            try #require(try await world.server.ask("POST", "/v1/codes", token: token, json: request).status == 202)
            let check = CodeCheck(code: try await world.code(to: "ada@example.org"))
            try #require(
                try await world.server.ask("POST", "/v1/codes/\(id)/check", token: token, json: check).status == 200)
            #expect(try await browser.open("/account").text.contains("<bdi>ada@example.org</bdi>"))
            let removed = try await browser.confirm("removeWay", [("way", "mailto:ada@example.com")])
            #expect(removed.head["location"] == "/account?done=removedEmail")
            let told = try await browser.follow(removed)
            #expect(told.text.contains("The email was removed.") && !told.text.contains("<bdi>ada@example.com</bdi>"))
        }
    }

    @Test("The name and the rewards are those of the account; an account without any says so")
    func overview() async throws {
        try await signedIn { world, browser in
            #expect(try await browser.open("/account").text.contains("You have no rewards yet."))
            var device = try await world.device(try #require(browser.token))
            let home: ListID = device.session.account.retyped()
            let name = device.mutation(1, .profiles, Profile.id.uuid, in: home, set: ["given": "Ada <b>"])
            try #require(try await device.sync([name], with: world.server).outcomes.isEmpty)
            #expect(try await browser.open("/account").text.contains("<bdi>Ada &lt;b&gt;</bdi>"))
        }
    }

    /// Adds sessions to the account of a browser, which are newer than its own.
    private func addSessions(
        _ numbers: ClosedRange<Int>, to browser: TestBrowser, in world: BrowserWorld
    ) async throws {
        let account = try await world.account(of: try #require(browser.token)).account
        try await world.database.write { transaction in
            for number in numbers {
                try transaction.execute(
                    "INSERT INTO session (token_hash, account, created) VALUES (?, ?, ?)",
                    [.bytes(Secret.sha256("session \(number)")), .id(account), .time(HandClock.start + .days(1))])
            }
        }
    }

    @Test("Trap: a long page is loaded again and again – its bytes count as work, so it has to wait")
    func pageIsWork() async throws {
        try await BrowserWorld.run({ $0.limits.addressWork = Rate(perSecond: 1, burst: 40) }) { world in
            var browser = TestBrowser(world)
            try await browser.signIn("ada@example.com")
            try await addSessions(1...99, to: browser, in: world)
            world.server.clock.advance(.seconds(60))
            var statuses: [Int] = []
            for _ in 1...8 { statuses.append(try await browser.open("/account").status) }
            #expect(statuses.first == 200 && statuses.last == 429)
        }
    }

    @Test("More than a hundred sessions are not cut off without a word, and one button closes all others")
    func manySessions() async throws {
        try await signedIn { world, browser in
            let cut = "Only the newest 100 are shown."
            try await addSessions(1...99, to: browser, in: world)
            var page = try await browser.open("/account")
            #expect(page.text.matches(of: /name="session" value=/).count == 99 && !page.text.contains(cut))
            try await addSessions(100...120, to: browser, in: world)
            page = try await browser.open("/account")
            #expect(page.text.matches(of: /name="session" value=/).count == 99 && page.text.contains(cut))
            #expect(page.text.contains("this browser"), "It is shown, however old it is.")
            #expect(try await browser.confirm("closeOthers").head["location"] == "/account?done=closedOthers")
            #expect(try await world.count("session") == 1)
        }
    }

    @Test("More than a hundred rewards are not cut off without a word") func manyRewards() async throws {
        try await signedIn { world, browser in
            let account = try await world.account(of: try #require(browser.token)).account
            func add(_ numbers: Range<Int>) async throws {
                try await world.database.write { transaction in
                    for number in numbers {
                        let time = SQLValue.time(Timestamp(milliseconds: Int64(number)))
                        try transaction.execute(
                            """
                            INSERT INTO reward (referral, side, account, programme, record, granted)
                            VALUES (?, 'friend', ?, 'friends', ?, ?)
                            """, [.id(RecordID<Never>(UUID())), .id(account), .id(RecordID<Never>(UUID())), time])
                    }
                }
            }
            func cut() async throws -> Set<SharingOverview.Part> {
                try await world.database.read { try SharingOverview.read(account, in: $0).cut }
            }
            try await add(0..<SharingOverview.most)
            #expect(try await cut() == [])
            try await add(SharingOverview.most..<SharingOverview.most + 1)
            #expect(try await cut() == [.rewards])
        }
    }

    // MARK: Taking data along

    @Test("The file has all records of the account and of its lists, and nothing of other accounts")
    func export() async throws {
        try await signedIn { world, browser in
            let token = try #require(browser.token)
            var device = try await world.device(token)
            let home: FeedID = device.session.account.retyped()
            let list = try await device.makeList("Groceries", with: world.server)
            let items = (1...300).map { number in
                device.mutation(
                    Int64(number), .items, UUID(), in: list,
                    set: ["title": .text("Item \(number)"), "position": "a0"])
            }
            try #require(try await device.sync(items, with: world.server).outcomes.isEmpty)
            var ben = TestBrowser(world)
            try await ben.signIn("ben@example.com")

            let page = try await browser.open("/account")
            let rest = page.text.components(separatedBy: "/account/export").last ?? ""
            let proof = rest.firstMatch(of: /name="proof" value="([^"]*)"/).map { String($0.output.1) } ?? ""
            let file = try await browser.send("/account/export", [("proof", proof)])
            #expect(file.status == 200 && file.head["content-type"] == "application/json")
            #expect(file.head["content-disposition"] == "attachment; filename=\"account.json\"")
            let archive: Archive = try file.reply.decoded()
            #expect(archive.account == device.session.account && archive.sessions.count == 1)
            #expect(archive.identities.identities.map(\.identity.text) == ["mailto:ada@example.com"])
            #expect(archive.feeds.first?.feed == home && archive.feeds.count == 2)
            #expect(archive.feeds.last?.records.count { $0.collection == .items } == 300)
            #expect(!file.text.contains("ben@example.com") && !file.text.contains(token))
        }
    }

    /// What the file has, as a reader sees it.
    private struct Archive: Decodable {
        struct Feed: Decodable {
            var feed: FeedID
            var records: [RecordChange]
        }
        var account: AccountID
        var identities: OwnIdentityList
        var sessions: [SessionEntry]
        var feeds: [Feed]
    }

    // MARK: Deleting

    @Test("The account is deleted after the right word, and the browser has no cookie then")
    func deletion() async throws {
        try await signedIn { world, browser in
            let page = try await browser.open("/account/delete")
            #expect(page.heading == "Delete my account" && !page.text.contains("name=\"lists\""))
            let proof = ("proof", page.value("proof"))
            let wrong = try await browser.send("/account/delete", [proof, ("word", "no")])
            #expect(wrong.status == 422 && wrong.error != nil)
            #expect(try await isOpen(browser, in: world))
            let done = try await browser.send("/account/delete", [proof, ("word", "Delete")])
            #expect(done.head["location"] == "/sign-in?done=deleted" && browser.token == nil)
            #expect(try await browser.follow(done).text.contains("Your account was deleted."))
            #expect(try await world.count("identity") == 0)
        }
    }

    @Test("The browser of a deleted account is not signed in")
    func deleted() async throws {
        try await signedIn { world, browser in
            let token = try #require(browser.token)
            try #require(try await world.server.ask("DELETE", "/v1/account", token: token).status == 204)
            #expect(try await browser.open("/account").head["location"] == "/sign-in")
            #expect(try await browser.open("/sign-in").status == 200)
        }
    }

    @Test("An owner of lists with other people decides about them first")
    func lists() async throws {
        try await signedIn { world, browser in
            var device = try await world.device(try #require(browser.token))
            let list = try await device.makeList("Groceries", with: world.server)
            let link: ListLink = try await world.server.ask(
                "POST", "/v1/lists/\(list)/links", token: device.session.token, json: LinkRequest(role: .viewer)
            ).decoded()
            let ben = try await world.server.newSession()
            let joined = try await world.server.ask(
                "POST", "/v1/links/\(link.token ?? "")/accept", token: ben.token)
            try #require(joined.status == 200)

            let page = try await browser.open("/account/delete")
            #expect(page.text.matches(of: /name="lists"/).count == 2 && !page.text.contains(" checked"))
            #expect(page.text.contains("<bdi>Groceries</bdi>"), "It says which lists other people are in.")
            // Trap: a mistyped word loses the choice.
            for (choice, field) in [("editor", "value=\"editor\" required"), ("delete", "value=\"delete\"")] {
                let wrong = [("proof", page.value("proof")), ("word", "no"), ("lists", choice)]
                let again = try await browser.send("/account/delete", wrong)
                #expect(again.status == 422 && again.text.contains("\(field) checked>"), "\(choice)")
                #expect(again.text.matches(of: /\schecked/).count == 1)
            }
            let fields = [("proof", page.value("proof")), ("word", "delete")]
            #expect(try await browser.send("/account/delete", fields).status == 409)
            // A list without an editor cannot be handed over.
            let handed = try await browser.send("/account/delete", fields + [("lists", "editor")])
            #expect(handed.status == 409 && handed.error?.contains("Nothing was deleted") == true)
            // Trap: the error is tied to the word, which is right – it belongs to the choice, and the word stays.
            #expect(handed.text.contains("<fieldset aria-describedby=\"lists-error\">"))
            #expect(handed.text.contains("id=\"lists-error\"") && !handed.text.contains("aria-invalid"))
            #expect(handed.text.contains("value=\"delete\" aria-describedby=\"hint\">"))
            #expect(try await browser.send("/account/delete", fields + [("lists", "delete")]).status == 303)
        }
    }
}
