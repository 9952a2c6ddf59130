import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("The page of a link") struct LinkPagesTests {
    @Test("Opening a link in a browser shows what it offers, and changes nothing, however often it is opened")
    func opening() async throws {
        try await PageServer.run(name: "Müsli & <b>Co</b>") { world in
            for method in ["GET", "GET", "HEAD"] {
                let page = PageReply(try await world.server.ask(method, world.path, headers: PageServer.browser))
                #expect(page.status == 200 && page.isPage)
                let policy = page.head["content-security-policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; form-action 'self'"))
                #expect(!policy.contains("unsafe") && page.head["referrer-policy"] == "no-referrer")
                #expect(page.head["cache-control"] == "no-store" && page.head["set-cookie"] == nil)
                #expect(page.head["content-language"] == "en" && page.head["x-content-type-options"] == "nosniff")
            }
            let page = try await world.open(world.path)
            #expect(page.heading == "You are invited to a list")
            #expect(page.text.contains("<bdi>Müsli &amp; &lt;b&gt;Co&lt;/b&gt;</bdi>"))
            #expect(page.text.contains("href=\"kith://127.0.0.1:") && page.text.contains("kith lists accept http://"))
            #expect(try await world.members() == 1 && world.gateway.delivered.isEmpty)
        }
    }

    @Test("Clients that do not ask for HTML get JSON, also for problems") func json() async throws {
        try await PageServer.run { world in
            for accept in [nil, "*/*", "application/json", "application/json, text/html;q=0.5"] {
                let headers = accept.map { ["Accept": $0] } ?? [:]
                let reply = try await world.server.ask("GET", world.path, headers: headers)
                #expect(reply.status == 200 && reply.head["content-type"] == "application/json")
                let missing = try await world.server.ask("GET", "/v1/links/x", headers: headers)
                #expect(missing.status == 404 && missing.head["content-type"] == "application/problem+json")
            }
        }
    }

    @Test("A stranger accepts with an email and a code, without cookies; the new account is in the list with the role")
    func stranger() async throws {
        try await PageServer.run { world in
            let code = try await world.requestCode("Ben@Example.com")
            #expect(code.status == 200 && code.heading == "Enter the code" && code.text.contains("ben@example.com"))
            #expect(try await world.members() == 1)
            let fields = [("ticket", code.ticket), ("email", "ben@example.com")]
            let joined = try await world.send(world.path, fields + [("code", try await world.code())])
            #expect(joined.status == 200 && joined.heading == "You have joined the list")
            #expect(joined.text.contains("Editor") && joined.text.contains("session register ben@example.com"))
            #expect(joined.head["set-cookie"] == nil && !joined.text.contains(code.ticket))
            // The browser sends the form again.
            let again = try await world.send(world.path, fields + [("code", try await world.code())])
            #expect(again.heading == "You have joined the list")
            #expect(try await world.members() == 2)

            world.server.clock.advance(.seconds(61))
            let proved = try await world.account("ben@example.com", code: 1)
            let token = try #require(proved.token)
            let sessions: SessionList = try await world.server.ask("GET", "/v1/sessions", token: token).decoded()
            #expect(sessions.sessions.count == 1, "The page opens no session.")
            let show: SessionDescription = try await world.server.ask("GET", "/v1/session", token: token).decoded()
            #expect(show.kind == "identified")
            let answer = try await world.server.ask("POST", "\(world.path)/accept", token: token)
            #expect(try (answer.decoded() as LinkAcceptance) == LinkAcceptance(list: world.list, role: .editor))
            #expect(try await world.members() == 2, "The account was in the list before.")
        }
    }

    @Test("The account that has the email accepts, without a new account or session")
    func known() async throws {
        try await PageServer.run { world in
            let ben = try await world.account("ben@example.com", code: 0)
            world.server.clock.advance(.seconds(61))
            #expect(try await world.accept("ben@example.com", code: 1).heading == "You have joined the list")
            world.server.clock.advance(.seconds(121))
            let later = try await world.account("ben@example.com", code: 2)
            #expect(later.account == ben.account)
            let sessions: SessionList = try await world.server.ask(
                "GET", "/v1/sessions", token: later.token
            ).decoded()
            // The session that proved the email first, and the one that signed in.
            #expect(sessions.sessions.count == 2)
            #expect(try await world.members() == 2)
        }
    }

    @Test("The same form sends one code; another form for the same email has to wait") func onceOnly() async throws {
        try await PageServer.run { world in
            let page = try await world.open(world.path)
            for _ in 1...3 {
                let code = try await world.send(world.path, [("ticket", page.ticket), ("email", "ben@example.com")])
                #expect(code.status == 200 && code.ticket == page.ticket)
            }
            let other = try await world.requestCode("ben@example.com")
            #expect(other.status == 429 && other.error?.contains("in 1 min") == true)
            #expect(other.error?.contains("A code was sent a short time ago") == true)
            #expect(other.head["retry-after"] == "60")
            #expect(try await !world.code().isEmpty && world.gateway.delivered.count == 1)
        }
    }

    @Test(
        "Trap: another code is requested too soon – the page says so, and takes the code that was sent",
        arguments: PageLanguage.allCases)
    func tooSoon(language: PageLanguage) async throws {
        try await PageServer.run { world in
            let (accepted, email) = (["Accept-Language": language.rawValue], ("email", "ben@example.com"))
            let sent = try await world.requestCode("ben@example.com")
            let again = [("ticket", sent.nextTicket), ("sent", sent.ticket), email]
            let early = try await world.send(world.path, again, accepted)
            #expect(early.status == 429 && early.head["retry-after"] == "60" && early.ticket == sent.ticket)
            #expect(early.error == PageTexts.of(language).text("code.soon", ["minutes": "1"]))
            let code = [("ticket", early.ticket), email, ("code", try await world.code())]
            #expect(try await world.send(world.path, code).heading == "You have joined the list")
        }
    }

    @Test(
        "At the limit of codes a day, the page says in hours when the next can be sent",
        arguments: PageLanguage.allCases)
    func dailyLimit(language: PageLanguage) async throws {
        try await PageServer.run({ $0.signIn.limits.ofIdentity = 1 }) { world in
            let (accepted, email) = (["Accept-Language": language.rawValue], ("email", "ben@example.com"))
            let sent = try await world.requestCode("ben@example.com")
            let again = [("ticket", sent.nextTicket), email]
            let refused = try await world.send(world.path, again, accepted)
            #expect(refused.status == 429 && refused.head["retry-after"] == "86400")
            #expect(refused.error == PageTexts.of(language).text("accept.waitHours", ["hours": "24"]))
            let other = try await world.send(world.path, again + [("sent", sent.ticket)], accepted)
            #expect(other.error == PageTexts.of(language).text("code.soonHours", ["hours": "24"]))
        }
    }

    @Test("An invalid email is reported beside the field, and stays in it") func invalidEmail() async throws {
        try await PageServer.run { world in
            for email in ["", "ben", "\"><script>@x", "ben@example"] {
                let page = try await world.requestCode(email)
                #expect([422, 200].contains(page.status))
                guard page.status == 422 else { continue }
                #expect(page.error?.contains("not a complete email address") == true && !page.text.contains("<script"))
                #expect(page.text.contains("aria-describedby=\"error private\" aria-invalid=\"true\""))
            }
            #expect(world.gateway.delivered.count <= 1)
        }
    }

    @Test("A wrong code is a try, sent once or twice; after five the code is refused, and no other page can use it")
    func wrongCode() async throws {
        try await PageServer.run { world in
            let page = try await world.requestCode("ben@example.com")
            let right = try await world.code()
            let wrong = (0...5).map { "00000\($0)" }.filter { $0 != right }
            func send(_ code: String, ticket: String? = nil) async throws -> PageReply {
                try await world.send(
                    world.path, [("ticket", ticket ?? page.ticket), ("email", "ben@example.com"), ("code", code)])
            }
            let other = try await send(right, ticket: world.open(world.path).ticket)
            #expect(other.status == 410 && other.error?.contains("out of date") == true)
            for code in wrong.prefix(2) {
                for _ in 1...2 {
                    let refused = try await send(code)
                    #expect(refused.status == 422 && refused.error?.contains("wrong") == true)
                }
            }
            let early = try await send(right)
            #expect(early.status == 429 && early.head["retry-after"] != nil)
            for code in wrong[2...4] {
                world.server.clock.advance(.seconds(121))
                _ = try await send(code)
            }
            world.server.clock.advance(.seconds(121))
            let late = try await send(right)
            #expect(late.status == 410 && late.heading == "Enter the code")
            #expect(try await world.members() == 1)
        }
    }

    @Test("Spaces, dashes and digits of other scripts in a code are read") func typedCode() async throws {
        try await PageServer.run { world in
            let page = try await world.requestCode("ben@example.com")
            let code = try await world.code()
            let typed =
                " \(code.prefix(3)) - "
                + code.suffix(3).map { "\(UnicodeScalar(0x660 + $0.wholeNumberValue!)!)" }
                .joined()
            let joined = try await world.send(
                world.path, [("ticket", page.ticket), ("email", "ben@example.com"), ("code", typed)])
            #expect(joined.heading == "You have joined the list")
        }
    }

    // MARK: Links that cannot be accepted

    @Test("Expired, revoked, unknown and malformed links have a page with the status of the problem")
    func deadLinks() async throws {
        try await PageServer.run { world in
            let short = try await world.newLink(LinkRequest(role: .viewer, expiresIn: 10))
            let revoked = try await world.newLink(LinkRequest(role: .viewer))
            let path = "/v1/lists/\(world.list)/links/\(revoked.id)"
            try #require(try await world.server.ask("DELETE", path, token: world.owner.token).status == 204)
            world.server.clock.advance(.seconds(11))
            for token in [short.token ?? "", revoked.token ?? ""] {
                let page = try await world.open("/v1/links/\(token)")
                #expect(page.status == 410 && page.isPage && page.heading == "This link is no longer valid")
                let form = try await world.send(
                    "/v1/links/\(token)", [("ticket", PageTicket().text), ("email", "ben@example.com")])
                #expect(form.status == 410 && form.isPage)
            }
            let token = world.link.token ?? ""
            for bad in [
                "/v1/links/\(token.dropLast())", "/v1/links/x", "/v1/links/%C3%A4", "/v1/links/", "/v1/links",
                "/v1/links/\(token)%20", "/v1/public/\(token)",
            ] {
                let page = try await world.open(bad)
                #expect(page.status == 404 && page.isPage && page.heading == "This link does not exist", "\(bad)")
            }
            let nothing = try await world.open("/elsewhere", ["Accept-Language": "de"])
            #expect(nothing.status == 404 && nothing.heading == "Hier ist nichts")
            #expect(world.gateway.delivered.isEmpty)
        }
    }

    @Test("The owner of the list, a removed person, and a list without room have pages of their own")
    func refusals() async throws {
        try await PageServer.run { world in
            let id = CodeID(UUID())
            let request = CodeRequest(id: id, identity: try #require(Identity("mailto:ada@example.com")))
            let owner = world.owner.token
            try #require(try await world.server.ask("POST", "/v1/codes", token: owner, json: request).status == 202)
            let check = CodeCheck(code: try await world.code())
            let proved = try await world.server.ask("POST", "/v1/codes/\(id)/check", token: owner, json: check)
            try #require(proved.status == 200)
            world.server.clock.advance(.seconds(61))
            let own = try await world.accept("ada@example.com", code: 1)
            #expect(own.status == 409 && own.heading == "This list is your own")

            try #require(try await world.accept("ben@example.com", code: 2).status == 200)
            world.server.clock.advance(.seconds(61))
            let ben = try await world.account("ben@example.com", code: 3).account
            var device = TestDevice(world.owner)
            try await device.sync(with: world.server)
            let removal = Mutation(
                id: MutationID(UUID()), number: 1, feed: world.list.retyped(), collection: .members,
                record: ben.retyped(), seen: 0, change: .delete)
            try await device.sync([removal], with: world.server)
            #expect(try await world.members() == 1)
            world.server.clock.advance(.seconds(301))
            let removed = try await world.accept("ben@example.com", code: 4)
            #expect(removed.status == 403 && removed.heading == "You cannot join this list")
        }
    }

    @Test("A server that sends no codes shows no form, and refuses forms") func noCodes() async throws {
        try await PageServer.run {
            $0.signIn.sendsEmail = false
        } _: { world in
            let page = try await world.open(world.path)
            #expect(page.status == 200 && !page.text.contains("<form") && page.text.contains("kith://"))
            #expect(page.text.contains("This server sends no codes by email."))
            let sent = try await world.send(world.path, [("ticket", PageTicket().text), ("email", "ben@example.com")])
            #expect(sent.status == 403 && sent.heading == "This cannot be accepted here")
        }
    }

    // MARK: Forms

    @Test("A form from another website is refused, and nothing is sent") func foreign() async throws {
        try await PageServer.run { world in
            let fields = [("ticket", PageTicket().text), ("email", "ben@example.com")]
            let foreign: [[String: String]] = [
                ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
            ]
            for headers in foreign {
                let page = try await world.send(world.path, fields, headers)
                #expect(page.status == 403 && page.heading == "This form came from another website")
            }
            for (origin, status) in [("https://evil.example", 403), ("null", 200), ("http://kith", 200)] {
                let reply = try await world.server.submit(fields, to: world.path, headers: ["Origin": origin])
                #expect(reply.status == status, "\(origin)")
            }
            #expect(try await !world.code().isEmpty && world.gateway.delivered.count == 1)
        }
    }

    @Test("A malformed form is refused, with a page for a browser and a problem for a program")
    func malformed() async throws {
        try await PageServer.run { world in
            let ticket = PageTicket().text
            let forms: [[(String, String)]] = [
                [], [("email", "ben@example.com")], [("ticket", ticket)],
                [("ticket", "x"), ("email", "b@example.com")],
                [("ticket", ticket + "A"), ("email", "b@example.com")],
                [("ticket", ticket), ("email", String(repeating: "b", count: 501))],
            ]
            for form in forms {
                let page = try await world.send(world.path, form)
                #expect(page.status == 400 && page.heading == "The form cannot be read", "\(form)")
            }
            let large = try await world.send(world.path, [("email", String(repeating: "b", count: 5_000))])
            #expect(large.status == 413 && large.isPage)
            let other = try await world.server.ask(
                "POST", world.path, headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
            #expect(other.status == 415 && other.head["content-type"] == "application/problem+json")
            #expect(world.gateway.delivered.isEmpty)
        }
    }

    @Test("Forms count towards the limit of new sessions of an address") func rates() async throws {
        try await PageServer.run {
            $0.limits.newSessions = Rate(perSecond: 0.01, burst: 3)
        } _: { world in
            // The owner of the list has opened one session.
            let statuses = [
                try await world.requestCode("a@example.com").status,
                try await world.requestCode("b@example.com").status,
                try await world.requestCode("c@example.com").status,
            ]
            #expect(statuses == [200, 200, 429])
            let page = try await world.requestCode("d@example.com")
            #expect(page.isPage && page.heading == "Too many requests" && page.head["retry-after"] != nil)
        }
    }

    // MARK: Languages

    @Test("Pages and codes are in the language of the browser", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        try await PageServer.run { world in
            let accepted = ["Accept-Language": "it, \(language.rawValue)-XX;q=0.8, *;q=0.1"]
            let page = try await world.open(world.path, accepted)
            #expect(page.head["content-language"] == language.rawValue)
            #expect(page.heading == PageTexts.of(language).text("offer.list").replacing("'", with: "&#39;"))
            _ = try await world.send(world.path, [("ticket", page.ticket), ("email", "ben@example.com")], accepted)
            _ = try await world.code()
            #expect(world.gateway.delivered[0].language == language.rawValue)
            #expect(world.gateway.delivered[0].text.contains(PageTexts.of(language).text("device.page")))
        }
    }

    // MARK: Public links

    @Test("A public link shows the list; as an invitation it leads there, and has no form")
    func publicLink() async throws {
        try await PageServer.run { world in
            var device = TestDevice(world.owner)
            try await device.sync(with: world.server)
            let items = (1...2).map { number in
                device.mutation(
                    Int64(number), .items, UUID(), in: world.list,
                    set: [
                        "title": .text("<i>\(number)</i>"), "ticked": .flag(number == 2),
                        "position": .text("a\(number)"),
                    ])
            }
            try #require(try await device.sync(items, with: world.server).outcomes.isEmpty)
            let link = try await world.newLink(LinkRequest(role: .viewer, isPublic: true))
            let path = "/v1/public/\(link.token ?? "")"
            let page = try await world.open(path)
            #expect(page.status == 200 && page.heading == "<bdi>Groceries</bdi>")
            #expect(
                page.text.contains("<bdi>&lt;i&gt;1&lt;/i&gt;</bdi>") && page.text.contains(" class=\"ticked\">"))
            #expect(page.text.contains("kith lists read \(link.url ?? "-")") && !page.text.contains("<form"))
            let preview = try await world.open("/v1/links/\(link.token ?? "")")
            #expect(preview.text.contains("href=\"\(link.url ?? "-")\"") && !preview.text.contains("<form"))
            #expect(preview.text.contains("The program kith shows the list with this command:"))
            let json = try await world.server.ask("GET", path)
            #expect(json.head["content-type"] == "application/json")
        }
    }

    @Test("The stylesheet is served from the address in the page") func stylesheet() async throws {
        try await PageServer.run { world in
            let page = try await world.open(world.path)
            let path = try #require(page.text.firstMatch(of: /rel="stylesheet" href="([^"]*)"/)).output.1
            let style = try await world.server.ask("GET", String(path))
            #expect(style.status == 200 && style.head["content-type"] == "text/css; charset=utf-8")
            #expect(style.body == PageFile.style.bytes && style.head["cache-control"] == "public, max-age=86400")
        }
    }
}
