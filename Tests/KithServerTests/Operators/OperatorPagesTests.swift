import Foundation
import KithModel
import KithServer
import Testing

@Suite("The operator’s pages on a server") struct OperatorPagesTests {
    /// A browser in which an operator may have signed in.
    private struct Browser {
        let server: TestServer
        let password: String
        /// The session of Cleo, the advocate.
        let advocate: NewSession
        var cookie: String?

        func open(_ path: String) async throws -> PageReply {
            PageReply(try await server.ask("GET", path, headers: headers))
        }

        func send(
            _ path: String, _ fields: [(String, String)], _ more: [String: String] = [:]
        ) async throws -> PageReply {
            PageReply(try await server.submit(fields, to: path, headers: headers.merging(more) { $1 }))
        }

        private var headers: [String: String] {
            cookie.map { PageServer.browser.merging(["Cookie": $0]) { $1 } } ?? PageServer.browser
        }

        mutating func signIn(_ name: String = "ada") async throws {
            let reply = try await send("/admin/sign-in", [("name", name), ("password", password)])
            try #require(reply.status == 303 && reply.head["location"] == "/admin")
            cookie = reply.head["set-cookie"]?.split(separator: ";").first.map(String.init)
        }
    }

    /// Runs `body` on a server with the operator Ada. Ben has come by Cleo's code, and the rewards are held.
    private func serve(
        held: Bool = true, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (inout Browser, SharingWorld) async throws -> Void
    ) async throws {
        let guards = held ? #","guards":{"holding-days":3}"# : ""
        let world = try SharingWorld(SharingWorld.rewards + guards)
        let session = try world.town.sessions.openNow(at: world.town.now, on: world.town.database)
        var (cleo, ben) = (Phone(world.town, account: session.account), try world.person("Ben"))
        try cleo.sync(cleo.profile(["given": "Cleo <b>"]))
        try cleo.sync(cleo.shareable("CLEO-TEA"))
        try ben.sync(ben.use("CLEO-TEA"))
        world.town.pass(.seconds(60))
        try world.prove("mailto:ben@example.com", by: ben)
        let ada = try #require(OperatorName("ada"))
        let password = try await OperatorService(database: world.town.database).add(ada, at: world.town.now)
        try await TestServer.run(change, database: world.town.database) { server in
            var browser = Browser(server: server, password: password, advocate: session)
            try await body(&browser, world)
        }
    }

    private static let pages = [
        "/admin", "/admin/referrals", "/admin/deliveries", "/admin/health", "/admin/funnel.csv",
    ]

    @Test("Without a session, every page leads to the one to sign in, and shows nothing")
    func signedOut() async throws {
        try await serve { browser, world in
            browser.cookie = "kith-operator=\(RandomBytes.system.token())"
            for path in Self.pages {
                let page = try await browser.open(path)
                #expect(page.status == 303 && page.head["location"] == "/admin/sign-in" && page.reply.body.isEmpty)
            }
            let sent = try await browser.send("/admin/referrals", [("action", "release-all"), ("sure", "yes")])
            #expect(sent.head["location"] == "/admin/sign-in")
            let foreign = try await browser.send(
                "/admin/referrals", [("action", "release-all"), ("sure", "yes")], ["Sec-Fetch-Site": "cross-site"])
            #expect(foreign.status == 403)
            #expect(try await world.referrals.count(.held) == 1)
        }
    }

    @Test("The cookie is only for this server, and no script sees it") func cookie() async throws {
        try await serve { browser, _ in
            let fields = [("name", "ada"), ("password", browser.password)]
            let plain = try await browser.send("/admin/sign-in", fields).head["set-cookie"] ?? ""
            #expect(plain.hasPrefix("kith-operator=") && !plain.contains("Secure"))
            #expect(plain.hasSuffix("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"))
        }
        try await serve({ $0.publicURL = "https://kith.example/tea" }) { browser, _ in
            let fields = [("name", "ada"), ("password", browser.password)]
            let reply = try await browser.send("/admin/sign-in", fields)
            let secure = reply.head["set-cookie"] ?? ""
            #expect(secure.hasPrefix("__Host-kith-operator=") && secure.hasSuffix("; SameSite=Strict; Secure"))
            #expect(reply.head["location"] == "/tea/admin")
        }
    }

    @Test("A wrong name or password is said beside the fields, and another website cannot sign anybody in")
    func wrong() async throws {
        try await serve { browser, _ in
            let wrong = [("ada", "00000-00000-00000-00000"), ("eve", browser.password), ("ada", "word for word")]
            for (name, password) in wrong {
                let page = try await browser.send("/admin/sign-in", [("name", name), ("password", password)])
                #expect(page.status == 422 && page.error == "The name or the password is wrong.")
                #expect(page.text.contains("value=\"\(name)\"") && !page.text.contains(password))
            }
            let foreign = try await browser.send(
                "/admin/sign-in", [("name", "ada"), ("password", browser.password)], ["Sec-Fetch-Site": "cross-site"])
            #expect(foreign.status == 403 && foreign.head["set-cookie"] == nil)
            #expect(try await browser.send("/admin/sign-in", [("name", "ada")]).status == 400)
        }
    }

    @Test("Too many attempts get a page that says when to try again") func limits() async throws {
        try await serve { browser, world in
            let hash = try world.town.database.writeNow {
                try MessageSecret(in: $0, random: RandomBytes(seed: 4)).hash(of: ClientNetwork("127.0.0.0"))
            }
            let now = world.town.now
            let quota = DailyQuota(kind: "operatorSignIns", noun: "", limit: 50)
            _ = try world.town.database.writeNow { try quota.take(50, by: .network(hash), at: now, in: $0) }
            let page = try await browser.send("/admin/sign-in", [("name", "ada"), ("password", browser.password)])
            #expect(page.status == 429 && page.head["retry-after"] != nil && page.error?.contains("tomorrow") == true)
        }
    }

    @Test("Whoever signs out is signed out on the server, too") func signOut() async throws {
        try await serve { browser, _ in
            try await browser.signIn()
            let page = try await browser.open("/admin")
            #expect(page.status == 200 && page.text.contains("<bdi>ada</bdi>"))
            #expect(try await browser.open("/admin/sign-in").head["location"] == "/admin")
            #expect(try await browser.send("/admin/sign-out", [("proof", "x")]).head["location"] == "/admin")
            #expect(try await browser.open("/admin").status == 200)
            let reply = try await browser.send("/admin/sign-out", [("proof", page.proof)])
            #expect(reply.head["location"] == "/admin/sign-in")
            #expect(reply.head["set-cookie"]?.hasPrefix("kith-operator=; Path=/; Max-Age=0") == true)
            #expect(try await browser.open("/admin").status == 303)
        }
    }

    @Test("The funnel is a picture, tables with the same numbers, a ranking, and a file in CSV")
    func funnel() async throws {
        try await serve(held: false) { browser, world in
            try await browser.signIn()
            let page = try await browser.open("/admin")
            #expect(page.isPage && page.heading == "Funnel" && page.text.contains("<svg class=\"plot\" role=\"img\""))
            #expect(page.text.contains("<bdi>Cleo &lt;b&gt;</bdi>"))
            #expect(page.text.contains("<th scope=\"row\">link</th>") && page.text.contains("value=\"2026-12-17\""))
            #expect(page.head["cache-control"] == "no-store" && page.head["referrer-policy"] == "no-referrer")
            let policy = page.head["content-security-policy"] ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'; connect-src 'self'"))
            #expect(page.head["cross-origin-opener-policy"] == "same-origin")

            let table = try await browser.open("/admin/funnel.csv?from=2027-01-15&through=2027-01-15")
            #expect(table.head["content-type"] == "text/csv; charset=utf-8")
            #expect(table.head["content-disposition"] == "attachment; filename=\"funnel.csv\"")
            let all = try await FunnelService(database: world.town.database).funnel()
            #expect(table.text == all.csv && table.text.contains("\r\nfriends,2027-01-15,link,"))
            let other = try await browser.open("/admin/funnel.csv?channel=email&programme=friends")
            #expect(other.text == Funnel(rows: []).csv)
            let none = try await browser.open("/admin?from=2020-01-01&through=2020-01-31")
            #expect(none.text.contains("class=\"empty\"") && !none.text.contains("<svg class=\"plot\""))
        }
    }

    @Test("Held referrals are shown with their reasons, and released or refused by a form with the page’s proof")
    func referrals() async throws {
        try await serve { browser, world in
            try await browser.signIn()
            let page = try await browser.open("/admin/referrals")
            #expect(page.text.contains("The programme holds rewards for some days."))
            #expect(page.text.contains("<bdi>Cleo &lt;b&gt;</bdi>") && page.text.contains("<bdi>Ben</bdi>"))
            let id = try #require(page.text.firstMatch(of: /name="id" value="([^"]*)"/)?.output.1)
            let proof = try #require(page.text.matches(of: /name="proof" value="([^"]*)"/).last?.output.1)

            let fields = [("action", "release"), ("id", String(id)), ("state", "held")]
            for wrong in ["", "x", page.proof] {
                let reply = try await browser.send("/admin/referrals", fields + [("proof", wrong)])
                #expect(reply.head["location"] == "/admin/referrals?state=held&foreign=1")
            }
            let nothing = try await browser.send("/admin/referrals", [("action", "release"), ("proof", String(proof))])
            #expect(nothing.head["location"] == "/admin/referrals?state=held&nothing=1")
            let told = try await browser.open("/admin/referrals?nothing=1")
            #expect(told.text.contains("class=\"problem\" role=\"alert\""))
            #expect(try await world.referrals.count(.held) == 1)

            let form = fields + [("proof", String(proof))]
            let reply = try await browser.send("/admin/referrals", form)
            #expect(reply.status == 303)
            #expect(reply.head["location"] == "/admin/referrals?state=held&released=1&unchanged=0")
            #expect(try await world.referrals.list(.granted).map(\.isByOperator) == [true])
            // Trap: the button is pressed twice – what it asks for is so, and the page says it again.
            let again = try await browser.send("/admin/referrals", form)
            #expect(again.head["location"] == "/admin/referrals?state=held&released=1&unchanged=0")
            // A reward cannot be taken back.
            let back = try await browser.send("/admin/referrals", [("action", "refuse")] + form.dropFirst())
            #expect(back.head["location"] == "/admin/referrals?state=held&refused=0&unchanged=1")
            #expect(try await world.referrals.count(.granted) == 1)
            let after = try await browser.open("/admin/referrals?state=granted&released=1&unchanged=0")
            #expect(after.text.contains("Released: 1. Unchanged: 0.") && after.text.contains("badge good"))
            #expect(!after.text.contains("name=\"id\""))
        }
    }

    @Test("A reward that an operator releases is told to the devices of the advocate at once")
    func told() async throws {
        try await serve { browser, world in
            try await browser.signIn()
            let page = try await browser.open("/admin/referrals")
            let id = try #require(page.text.firstMatch(of: /name="id" value="([^"]*)"/)?.output.1)
            let proof = try #require(page.text.matches(of: /name="proof" value="([^"]*)"/).last?.output.1)
            let wire = try await browser.server.live(browser.advocate, DeviceID(UUID()))
            let reply = try await browser.send(
                "/admin/referrals", [("action", "release"), ("id", String(id)), ("proof", String(proof))])
            #expect(reply.status == 303 && reply.head["location"]?.contains("released=1") == true)
            let event = String(decoding: try await wire.chunk(), as: UTF8.self)
            let start = "event: moved\ndata: "
            try #require(event.hasPrefix(start), "\(event)")
            let moved = try JSONDecoder().decode(FeedsMoved.self, from: Data(event.dropFirst(start.count).utf8))
            #expect(moved.feeds == [browser.advocate.account.retyped()])
        }
    }

    @Test("All that match are decided only after a question, and only those that are held") func all() async throws {
        try await serve { browser, world in
            try await browser.signIn()
            let page = try await browser.open("/admin/referrals?programme=friends&reason=holding")
            let proof = try #require(page.text.matches(of: /name="proof" value="([^"]*)"/).last?.output.1)
            let fields = [("action", "refuse-all"), ("proof", String(proof)), ("programme", "friends")]
            let other = try await browser.send("/admin/referrals", fields + [("reason", "velocity")])
            #expect(other.text.contains("Held referrals that match: 0.") && other.ids.isEmpty)
            let question = try await browser.send("/admin/referrals", fields)
            #expect(question.status == 200 && question.text.contains("Held referrals that match: 1."))
            #expect(try await world.referrals.count(.held) == 1)
            // Without the referrals of a question, nothing is decided.
            let nothing = try await browser.send("/admin/referrals", fields + [("sure", "yes")])
            #expect(nothing.head["location"]?.hasSuffix("refused=0&unchanged=0") == true)
            let reply = try await browser.send("/admin/referrals", fields + [("sure", "yes")] + question.ids)
            #expect(reply.head["location"]?.hasSuffix("refused=1&unchanged=0") == true)
            #expect(try await world.referrals.count(.refused, programme: "friends", reason: .holding) == 1)
        }
    }

    @Test(
        "Trap: a friend joins between the question and the answer – only the referrals of the question are decided",
        arguments: ["release-all", "refuse-all"])
    func joinsMeanwhile(action: String) async throws {
        try await serve { browser, world in
            try await browser.signIn()
            let page = try await browser.open("/admin/referrals")
            let proof = try #require(page.text.matches(of: /name="proof" value="([^"]*)"/).last?.output.1)
            let fields = [("action", action), ("proof", String(proof))]
            let question = try await browser.send("/admin/referrals", fields)
            #expect(question.text.contains("Held referrals that match: 1.") && question.ids.count == 1)
            var eve = try world.person("Eve")
            try eve.sync(eve.use("CLEO-TEA"))
            world.town.pass(.seconds(60))
            try world.prove("mailto:eve@example.com", by: eve)
            try #require(try await world.referrals.count(.held) == 2)
            for _ in 1...2 {
                let reply = try await browser.send("/admin/referrals", fields + [("sure", "yes")] + question.ids)
                #expect(reply.head["location"]?.hasSuffix("=1&unchanged=0") == true)
            }
            #expect(try await world.referrals.list(.held).map(\.friend) == [eve.account])
        }
    }

    @Test("Trap: somebody refuses a referral between the question and the answer – it is not released")
    func refusedMeanwhile() async throws {
        try await serve { browser, world in
            try await browser.signIn()
            let page = try await browser.open("/admin/referrals")
            let proof = try #require(page.text.matches(of: /name="proof" value="([^"]*)"/).last?.output.1)
            let fields = [("action", "release-all"), ("proof", String(proof))]
            let question = try await browser.send("/admin/referrals", fields)
            let id = try #require(try await world.referrals.list(.held).first).id
            _ = try await world.referrals.refuse([id], at: world.town.now)
            let reply = try await browser.send("/admin/referrals", fields + [("sure", "yes")] + question.ids)
            #expect(reply.head["location"]?.hasSuffix("released=0&unchanged=1") == true)
            #expect(try await world.referrals.count(.refused) == 1)
        }
    }

    @Test("Messages are shown without their contents, and with shortened addresses") func deliveries() async throws {
        try await serve { browser, world in
            let message = OutgoingMessage(
                id: MessageID(UUID()), channel: .email, recipient: "secretary@example.org", kind: .code,
                values: ["code": "123456", "minutes": "10"], canUnsubscribe: false)
            let (queue, now) = (world.queue, world.town.now)
            try world.town.database.writeNow { transaction in
                try queue.add(message, at: now, in: transaction)
                _ = try queue.fail(message.id, MessageFailure(.expired, "secretary"), in: transaction)
            }
            try await browser.signIn()
            let page = try await browser.open("/admin/deliveries?state=failed")
            #expect(page.text.contains("<bdi>s…@example.org</bdi>"))
            #expect(page.text.contains("Nobody has accepted it in time."))
            for secret in ["secretary", "123456"] { #expect(!page.text.contains(secret)) }
            #expect(try await browser.open("/admin/deliveries?state=sent").text.contains("class=\"empty\""))
        }
    }

    @Test("Webhooks are shown without the paths of their addresses, resumed, and their events sent again")
    func webhooks() async throws {
        try await serve { browser, world in
            let (database, now) = (world.town.database, world.town.now)
            let service = WebhookService(database: database)
            let webhook = try await service.add("http://127.0.0.1:9/secret-path", at: now).webhook
            _ = try await service.pause(webhook.id)
            let event = try await service.test(webhook.id, at: now)
            try world.town.execute("UPDATE webhook_delivery SET state = 'failed', ended = ?", [.time(now)])
            try await browser.signIn()
            let page = try await browser.open("/admin/deliveries")
            #expect(page.text.contains(">127.0.0.1:9<") && !page.text.contains("secret-path"))
            #expect(page.text.contains("webhook.test") && page.text.contains("value=\"\(event)\""))
            let proof = try #require(page.text.matches(of: /name="proof" value="([^"]*)"/).last?.output.1)

            let again = [("action", "again"), ("id", event.description)]
            let foreign = try await browser.send("/admin/deliveries", again + [("proof", page.proof)])
            #expect(foreign.head["location"] == "/admin/deliveries?foreign=1")
            #expect(try await service.deliveries().map(\.state) == [.failed])
            let sent = try await browser.send("/admin/deliveries", again + [("proof", String(proof))])
            #expect(sent.status == 303 && sent.head["location"] == "/admin/deliveries?again=1")
            #expect(try await service.deliveries().map(\.state) == [.waiting])
            #expect(try await browser.open("/admin/deliveries?again=1").text.contains("Sent again: 1"))

            let resume = [("action", "resume"), ("webhook", webhook.id.description), ("proof", String(proof))]
            let resumed = try await browser.send("/admin/deliveries", resume)
            #expect(resumed.head["location"] == "/admin/deliveries?resumed=1")
            #expect(try await service.show(webhook.id).state == .active)
        }
    }

    @Test(
        "A form that was held back does nothing once its operator was removed", arguments: ["deliveries", "referrals"])
    func heldForm(page: String) async throws {
        try await serve { browser, world in
            try await browser.signIn()
            let server = browser.server
            let form = Data("action=again".utf8)
            let headers = ["Cookie": browser.cookie ?? "", "Content-Type": "application/x-www-form-urlencoded"]
            let held = try Wire(server.url)
            try held.send(
                server.request(
                    "POST", "/admin/\(page)", headers: PageServer.browser.merging(headers) { $1 }, length: form.count))
            try held.send(Data(form.prefix(5)))
            while try await server.metric("kith_body_bytes") == 0 { await Task.yield() }
            try await OperatorService(database: world.town.database).remove(try #require(OperatorName("ada")))
            server.clock.advance(.seconds(2))
            try held.send(Data(form.dropFirst(5)))
            #expect(try await server.reply(on: held).status == 401)
        }
    }

    @Test("The page about the server’s health says whether it can serve, with a few numbers")
    func health() async throws {
        try await serve { browser, _ in
            try await browser.signIn()
            let page = try await browser.open("/admin/health")
            #expect(page.text.contains("The server reads and writes its database."))
            #expect(page.text.contains(/<dt>Answered requests<\/dt><dd>[1-9][0-9]*<\/dd>/))
        }
    }

    @Test("A server without operators names the command that adds one, and one without these pages has none")
    func without() async throws {
        try await TestServer.run { server in
            let page = PageReply(try await server.ask("GET", "/admin/sign-in", headers: PageServer.browser))
            #expect(page.status == 200 && page.text.contains("kith admin operator add NAME"))
            #expect(!page.text.contains("type=\"password\""))
        }
        try await TestServer.run({ $0.hasOperatorPages = false }) { server async throws in
            for path in Self.pages + ["/admin/sign-in"] {
                #expect(try await server.ask("GET", path).status == 404, "\(path)")
            }
        }
    }
}

extension PageReply {
    /// The fields that name the referrals of a question.
    fileprivate var ids: [(String, String)] {
        text.matches(of: /type="hidden" name="id" value="([^"]*)"/).map { ("id", String($0.output.1)) }
    }

    /// The first proof of a form on the page: that of the button to sign out.
    fileprivate var proof: String {
        text.firstMatch(of: /name="proof" value="([^"]*)"/).map { String($0.output.1) } ?? ""
    }
}
