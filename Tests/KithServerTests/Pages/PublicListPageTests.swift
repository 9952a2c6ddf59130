import Foundation
import KithModel
import KithServer
import Testing

@Suite("The page of a public link that can tick") struct PublicListPageTests {
    /// A list with a kite and a book, and its link.
    private struct Linked {
        let world: PageServer
        let kite, book: ItemID
        let token: String
        var path: String { "/v1/public/\(token)" }

        /// Sends the form of an item.
        func tick(
            _ item: ItemID, _ ticked: String = "yes", _ headers: [String: String] = [:]
        ) async throws -> PageReply {
            try await world.send(path, [("item", item.description), ("ticked", ticked)], headers)
        }

        /// Ticks an item in a new browser, and returns the browser's cookie.
        func give(_ item: ItemID) async throws -> [String: String] {
            let reply = try await tick(item)
            try #require(reply.status == 303)
            let cookie = try #require(reply.head["set-cookie"]?.split(separator: ";").first)
            return ["Cookie": String(cookie)]
        }

        /// The texts of the buttons of the page.
        func buttons(_ headers: [String: String] = [:]) async throws -> [String] {
            try await world.open(path, headers).text
                .matches(of: /<button[^>]*>(?:<span aria-hidden="true" class="tick"><\/span>)?([^<]*)</)
                .map { String($0.output.1) }
        }
    }

    private func serve(
        kind: String = "wish", canTick: Bool? = true, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (Linked) async throws -> Void
    ) async throws {
        try await PageServer.run(change, name: "Wishes") { world in
            let (kite, book) = (ItemID(UUID()), ItemID(UUID()))
            var device = TestDevice(world.owner)
            try await device.sync(with: world.server)
            let edits = [
                device.mutation(1, .lists, world.list.uuid, in: world.list, set: ["kind": .text(kind)]),
                device.mutation(2, .items, kite.uuid, in: world.list, set: ["title": "Kite", "position": "a0"]),
                device.mutation(3, .items, book.uuid, in: world.list, set: ["title": "Book", "position": "a1"]),
            ]
            try #require(try await device.sync(edits, with: world.server).outcomes.isEmpty)
            let link = try await world.newLink(LinkRequest(role: .viewer, isPublic: true, canTick: canTick))
            try await body(Linked(world: world, kite: kite, book: book, token: try #require(link.token)))
        }
    }

    // MARK: A wish list

    @Test("A friend gives something, others see that it is taken, and only the same browser takes it back")
    func giving() async throws {
        try await serve { linked in
            #expect(try await linked.buttons() == ["I give this", "I give this"])
            let reply = try await linked.tick(linked.kite)
            let location = "\(linked.path)?tick=given#item-\(linked.kite)"
            #expect(reply.status == 303 && reply.head["location"] == location)
            let cookie = try #require(reply.head["set-cookie"])
            #expect(cookie.hasPrefix("kith-giver=") && !cookie.contains("Secure"))
            for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/"] { #expect(cookie.contains(part)) }
            let mine = ["Cookie": String(cookie.prefix { $0 != ";" })]

            #expect(try await linked.buttons(mine) == ["Take it back", "I give this"])
            #expect(try await linked.world.open(linked.path, mine).text.contains("You give this"))
            #expect(try await linked.buttons() == ["I give this"])
            #expect(try await linked.world.open(linked.path).text.contains("<span class=\"badge held\">Taken</span>"))

            let other = try await linked.tick(linked.kite)
            #expect(other.status == 409 && other.error == "Somebody else gives this already. Choose something else.")
            #expect(try await linked.tick(linked.kite, "no").status == 409)
            let back = try await linked.tick(linked.kite, "no", mine)
            #expect(back.status == 303 && back.head["set-cookie"] == nil)
            #expect(back.head["location"] == "\(linked.path)#item-\(linked.kite)")
            let nothing = try await linked.tick(linked.book, "no")
            #expect(nothing.status == 303 && nothing.head["set-cookie"] == nil)
            #expect(try await linked.tick(linked.book, "yes", ["Content-Encoding": "br"]).status == 415)
            #expect(try await linked.buttons() == ["I give this", "I give this"])
        }
    }

    @Test("Trap: a form that is sent twice before the cookie has arrived gives once, and the giver can take it back")
    func pressedTwice() async throws {
        try await serve { linked in
            let page = try await linked.world.open(linked.path)
            #expect(page.text.matches(of: /name="ticket"/).count == 2)
            let fields = [("item", linked.kite.description), ("ticked", "yes"), ("ticket", page.ticket)]
            let first = try await linked.world.send(linked.path, fields)
            let second = try await linked.world.send(linked.path, fields)
            #expect(first.status == 303 && second.status == 303)
            let cookie = try #require(second.head["set-cookie"])
            #expect(first.head["set-cookie"] == cookie)
            let mine = ["Cookie": String(cookie.prefix { $0 != ";" })]
            let given = try await linked.world.open(linked.path, mine)
            #expect(given.text.contains("You give this") && !given.text.contains("name=\"ticket\""))
            // Another page is another browser’s.
            let other = try await linked.world.open(linked.path)
            #expect(other.ticket != page.ticket)
            let foreign = [fields[0], fields[1], ("ticket", other.ticket)]
            #expect(try await linked.world.send(linked.path, foreign).status == 409)
            #expect(try await linked.tick(linked.kite, "no", mine).status == 303)
            #expect(try await linked.buttons() == ["I give this", "I give this"])
        }
    }

    @Test(
        "Trap: a browser without cookies gives something – the page says that it cannot be taken back there",
        arguments: PageLanguage.allCases)
    func withoutCookies(language: PageLanguage) async throws {
        try await serve { linked in
            let accepted = ["Accept-Language": language.rawValue]
            let reply = try await linked.tick(linked.kite)
            let location = try #require(reply.head["location"]?.split(separator: "#").first.map(String.init))
            let page = try await linked.world.open(location, accepted)
            #expect(page.status == 200 && page.error == PageTexts.of(language).text("public.given"))
            // Somebody who follows a link to that address has given nothing.
            #expect(try await linked.world.open(location, ["Sec-Fetch-Site": "cross-site"]).error == nil)
            // A browser that keeps the cookie has nothing to read, and neither has one that has given something before.
            let cookie = try #require(reply.head["set-cookie"]?.split(separator: ";").first.map(String.init))
            #expect(try await linked.world.open(location, ["Cookie": cookie]).error == nil)
            let second = try await linked.tick(linked.book, "yes", ["Cookie": cookie])
            #expect(second.head["location"] == "\(linked.path)#item-\(linked.book)")
            #expect(try await linked.world.open("\(linked.path)?tick=conflict").error == nil)
        }
    }

    @Test("Law: Whoever is signed in to an account of the list sees no gifts; JSON and other links have none")
    func owner() async throws {
        try await serve { linked in
            _ = try await linked.give(linked.kite)
            let server = linked.world.server
            for (session, isIn) in [(linked.world.owner, true), (try await server.newSession(), false)] {
                let page = try await linked.world.open(linked.path, ["Cookie": "kith=\(session.token)"])
                #expect(page.status == 200 && page.text.contains("Kite"))
                #expect(page.text.contains("Taken") == !isIn && page.text.contains("<form") == !isIn)
                #expect(page.text.contains("this page does not show what is taken") == isIn)
            }
            let json = try await server.ask("GET", linked.path, token: linked.world.owner.token)
            let list: PublicList = try json.decoded()
            #expect(list.items.map(\.ticked) == [false, false])
            #expect(!String(decoding: json.body, as: UTF8.self).lowercased().contains("giv"))
            let reading = try await linked.world.newLink(LinkRequest(role: .viewer, isPublic: true))
            let page = try await linked.world.open("/v1/public/\(reading.token ?? "")")
            #expect(page.text.contains("Kite") && !page.text.contains("Taken") && !page.text.contains("<form"))
        }
    }

    @Test("With TLS, no other host can set the cookie") func secure() async throws {
        try await serve(kind: "wish", canTick: true, { $0.publicURL = "https://kith.example/app" }) { linked in
            let reply = try await linked.tick(linked.kite)
            let cookie = reply.head["set-cookie"] ?? ""
            #expect(cookie.hasPrefix("__Host-kith-giver=") && cookie.hasSuffix("; Secure"))
            #expect(reply.head["location"] == "/app\(linked.path)?tick=given#item-\(linked.kite)")
        }
    }

    @Test("The secrets of links and browsers are not in the log") func log() async throws {
        try await serve { linked in
            let cookie = try await linked.give(linked.kite)
            _ = try await linked.tick(linked.kite)
            let log = linked.world.server.log.text
            #expect(log.contains("operation=tickPublicList"))
            let secret = cookie["Cookie"]?.split(separator: "=").last.map(String.init) ?? "-"
            for part in [linked.token, secret, linked.kite.description, "Kite"] { #expect(!log.contains(part)) }
        }
    }

    // MARK: Another list

    @Test("On another list everybody ticks, and the owner's devices get it") func items() async throws {
        try await serve(kind: "shopping") { linked in
            #expect(try await linked.buttons() == ["Tick", "Tick"])
            let reply = try await linked.tick(linked.kite)
            #expect(reply.status == 303 && reply.head["set-cookie"] == nil)
            #expect(try await linked.buttons() == ["Remove the tick", "Tick"])
            let json: PublicList = try await linked.world.server.ask("GET", linked.path).decoded()
            #expect(json.items.map(\.ticked) == [true, false])
            var device = TestDevice(linked.world.owner)
            let answer = try await device.sync(with: linked.world.server)
            let pages = answer.feeds.compactMap(\.page).flatMap(\.columns).filter { $0.collection == .items }
            let ticks = pages.compactMap { $0.fields["ticked"] }.flatMap { column in
                (0..<column.count).map { column[$0] }
            }
            #expect(ticks.contains(true))
            #expect(try await linked.tick(linked.kite, "no").status == 303)
            #expect(try await linked.buttons() == ["Tick", "Tick"])
        }
    }

    // MARK: What is refused

    @Test("A form of another website, or one that is wrong, changes nothing") func refused() async throws {
        try await serve { linked in
            for headers in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"]] {
                let reply = try await linked.tick(linked.kite, "yes", headers)
                #expect(reply.status == 403 && reply.heading == "This form came from another website")
            }
            let (path, kite) = (linked.path, linked.kite.description)
            for fields in [
                [], [("item", kite)], [("ticked", "yes")], [("item", kite), ("ticked", "maybe")],
                [("item", "1"), ("ticked", "yes")], [("item", kite), ("ticked", "yes"), ("share", "//evil.example")],
                [("item", kite), ("ticked", "yes"), ("ticket", "x")],
            ] as [[(String, String)]] {
                #expect(try await linked.world.send(path, fields).status == 400, "\(fields)")
            }
            #expect(try await linked.tick(linked.kite, "yes", ["Content-Type": "text/plain"]).status == 415)
            let gone = try await linked.tick(ItemID(UUID()))
            #expect(gone.status == 404 && gone.error == "This is not in the list any more.")
            #expect(try await linked.buttons() == ["I give this", "I give this"])
        }
    }

    @Test("A link for reading, an invitation and a revoked link tick nothing") func otherLinks() async throws {
        try await serve(canTick: nil) { linked in
            #expect(try await linked.buttons().isEmpty)
            let reply = try await linked.tick(linked.kite)
            #expect(reply.status == 403 && reply.error == "This link is only for reading.")
            let (world, fields) = (linked.world, [("item", linked.kite.description), ("ticked", "yes")])
            #expect(try await world.send("/v1/public/\(world.link.token ?? "")", fields).status == 404)
            let revoked = try await world.newLink(LinkRequest(role: .viewer, isPublic: true, canTick: true))
            let path = "/v1/lists/\(world.list)/links/\(revoked.id)"
            #expect(try await world.server.ask("DELETE", path, token: world.owner.token).status == 204)
            #expect(try await world.send("/v1/public/\(revoked.token ?? "")", fields).status == 410)
        }
    }

    @Test("A network ticks so often with a link and no more; each try costs, also one in vain") func limits()
        async throws
    {
        try await serve(kind: "shopping", { $0.limits.address = Rate(perSecond: 1_000, burst: 1_000) }) { linked in
            for index in 0..<TickLimits.network.burst {
                #expect(try await linked.tick(linked.kite, index % 2 == 0 ? "yes" : "no").status == 303)
            }
            let reply = try await linked.tick(linked.kite)
            #expect(reply.status == 429 && reply.head["retry-after"] != nil && reply.isPage)
            linked.world.server.clock.advance(.seconds(2))
            #expect(try await linked.tick(linked.kite).status == 303)
        }
    }

    @Test("The page loads one script of this server, and its address is no secret of the browser") func script()
        async throws
    {
        try await serve { linked in
            let page = try await linked.world.open(linked.path)
            let policy = page.head["content-security-policy"] ?? ""
            #expect(policy.contains("script-src 'self'; connect-src 'self'") && !policy.contains("unsafe"))
            #expect(page.head["set-cookie"] == nil && page.head["cache-control"] == "no-store")
            let address = try #require(page.text.firstMatch(of: /<script src="([^"]*)" defer>/)).output.1
            let script = try await linked.world.server.ask("GET", String(address))
            #expect(script.status == 200 && script.head["content-type"] == "text/javascript; charset=utf-8")
            #expect(script.body == PageFile.list.bytes)
            #expect(page.text.contains("data-events=\"\(linked.token)/events\""))
        }
    }
}
