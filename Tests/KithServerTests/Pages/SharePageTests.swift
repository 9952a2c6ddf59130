import Foundation
import KithModel
import KithServer
import Testing

@Suite("The page of a share link") struct SharePageTests {
    private static let browser = PageServer.browser.merging([
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36",
        "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
    ]) { $1 }

    /// Runs `body` against a server on which Ada has the code ADA-TEA, in a programme with these parts.
    private func serve(
        _ parts: String = SharingWorld.rewards, name: String = "Ada",
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer, SharingWorld) async throws -> Void
    ) async throws -> SharingWorld {
        let world = try SharingWorld(parts)
        var ada = try world.person(name)
        try ada.sync(ada.shareable("ADA-TEA"))
        try await TestServer.run(change, database: world.town.database) { try await body($0, world) }
        return world
    }

    private func open(
        _ path: String, on server: TestServer, _ headers: [String: String] = [:]
    ) async throws -> PageReply {
        PageReply(try await server.ask("GET", path, headers: Self.browser.merging(headers) { $1 }))
    }

    @Test("It shows the programme, who shares, the code as text and as a QR code, and what a link preview needs")
    func known() async throws {
        _ = try await serve { server, _ in
            for typed in ["ADA-TEA", "ada-tea", "adatea?c=email", "ada%20tea?c=email&c=link", "ada_tea?c=%"] {
                let path = "/s/\(typed)"
                let page = try await open(path, on: server)
                #expect(page.status == 200 && page.isPage, "\(path)")
                #expect(page.heading == "<bdi lang=\"en\">Bring a friend</bdi>")
                #expect(page.text.contains("<bdi>Ada</bdi>") && page.text.contains(">ADA-TEA</code>"))
                #expect(page.text.contains("<meta property=\"og:title\" content=\"Bring a friend\">"))
                #expect(
                    page.text.contains("<meta property=\"og:description\" content=\"Both of you get a voucher.\">"))
                let address = "\(server.url.absoluteString)/s/ADA-TEA"
                #expect(page.text.contains("<meta property=\"og:url\" content=\"\(address)\">"))
                let query = path.hasSuffix("?c=email") ? "?c=email&amp;scheme=http" : "?scheme=http"
                #expect(page.text.contains("href=\"\(address.replacing("http:", with: "kith:"))\(query)\""))
                let code = try #require(QRCode("\(address)?c=scan"))
                #expect(page.text.contains("<path d=\"\(code.path)\"/>"))
                let policy = page.head["content-security-policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self';") && !policy.contains("unsafe"))
                #expect(page.head["set-cookie"] == nil && page.head["referrer-policy"] == "no-referrer")
            }
        }
    }

    @Test("Programs that make previews get HTML, whatever they accept") func previews() async throws {
        _ = try await serve { server, _ in
            for accept in [nil, "*/*", "application/json"] {
                let headers = accept.map { ["Accept": $0] } ?? [:]
                let page = PageReply(try await server.ask("GET", "/s/ADA-TEA", headers: headers))
                #expect(page.status == 200 && page.isPage && page.text.contains("og:title"))
            }
        }
    }

    @Test("The page is in the browser’s language, and says in which language the programme’s texts are")
    func languages() async throws {
        let rest = #""url":"https://tea.example/welcome?from=kith""#
        _ = try await serve(rest) { server, _ in
            let page = try await open("/s/ADA-TEA", on: server, ["Accept-Language": "de-AT"])
            #expect(page.text.contains("<html lang=\"de\">") && page.text.contains("Code zum Mitmachen"))
            #expect(page.heading == "<bdi lang=\"en\">Bring a friend</bdi>")
        }
    }

    @Test("“Join” leads to the programme’s address with the code, else to the page of the app, else nowhere")
    func joining() async throws {
        let app: (inout ServerConfiguration) -> Void = { $0.apps.page = "https://example.com/app" }
        _ = try await serve(#""url":"https://tea.example/welcome?from=kith%2B""#, app) { server, _ in
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.text.contains("href=\"https://tea.example/welcome?from=kith%2B&amp;code=ADA-TEA\">Join</a>"))
        }
        _ = try await serve("", app) { server, _ in
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.text.contains("href=\"https://example.com/app\">Get the app</a>"))
        }
        let noSignIn: (inout ServerConfiguration) -> Void = { configuration in
            configuration.signIn.sendsEmail = false
            configuration.passkeys.isOn = false
        }
        _ = try await serve("", noSignIn) { server, _ async throws in
            #expect(try await open("/s/ADA-TEA", on: server).text.matches(of: /class="button/).count == 1)
        }
    }

    @Test("Google's store gets the link, which it passes on to the app that it installs")
    func installing() async throws {
        let store = "https://play.google.com/store/apps/details?id=com.example.tea"
        _ = try await serve("", { $0.apps.page = store }) { server, world in
            let page = try await open("/s/ADA-TEA", on: server)
            let address = server.url.absoluteString.replacing(":", with: "%3A").replacing("/", with: "%2F")
            let referrer = "details?id=com.example.tea&amp;referrer=\(address)%2Fs%2FADA-TEA"
            #expect(page.text.contains("\(referrer)\">Get the app</a>"))
            let emailed = try await open("/s/ADA-TEA?c=email", on: server)
            #expect(emailed.text.contains("\(referrer)%3Fc%3Demail\">Get the app</a>"))
            try world.pause()
            #expect(try await open("/s/ADA-TEA", on: server).text.contains("id=com.example.tea\">Get the app</a>"))
        }
    }

    @Test("People join on a page of the server too, which gets the code; it is the main way without an address")
    func joiningHere() async throws {
        _ = try await serve("") { server, world in
            let page = try await open("/s/ADA-TEA", on: server)
            let address = "\(server.url.absoluteString)/sign-in"
            #expect(page.text.contains("<a class=\"button\" href=\"\(address)?share=ADA-TEA\">Join</a>"))
            try world.pause()
            #expect(try await open("/s/ADA-TEA", on: server).text.contains("href=\"\(address)\">Join</a>"))
        }
        _ = try await serve(#""url":"https://tea.example/welcome""#) { server, _ in
            let text = try await open("/s/ADA-TEA", on: server).text
            let join = try #require(text.firstRange(of: ">Join</a>"))
            let here = try #require(text.firstRange(of: "/sign-in?share=ADA-TEA\">Join in this browser</a>"))
            #expect(join.lowerBound < here.lowerBound)
        }
    }

    @Test("Every way to join takes the channel of the link along") func channels() async throws {
        _ = try await serve(#""url":"https://tea.example/welcome""#) { server, _ in
            let emailed = try await open("/s/ADA-TEA?c=email", on: server).text
            #expect(emailed.contains("href=\"https://tea.example/welcome?code=ADA-TEA&amp;c=email\">Join</a>"))
            #expect(emailed.contains("/sign-in?share=ADA-TEA&amp;c=email\">Join in this browser</a>"))
            let other = try await open("/s/ADA-TEA?c=%3Cscript%3E", on: server).text
            #expect(other.contains("href=\"https://tea.example/welcome?code=ADA-TEA\">Join</a>"))
            #expect(other.contains("/sign-in?share=ADA-TEA\">Join in this browser</a>"))
        }
    }

    @Test("A code that nobody has, has a page that says so; programs get JSON") func unknown() async throws {
        _ = try await serve { server, world in
            for path in ["/s/BEN-TEA", "/s/ab", "/s/", "/s/%C3%A4bc", "/s/ADA-TEA%2F", "/s/ADA-TEA/x"] {
                let page = try await open(path, on: server)
                #expect(page.status == 404 && page.heading == "This code does not exist", "\(path)")
                #expect(try await server.ask("GET", path).head["content-type"] == "application/problem+json")
            }
            #expect(try await server.ask("GET", "/s/BEN-TEA/qr.svg").status == 404)
            // Ada has deleted her account.
            try world.town.execute("UPDATE share_code SET account = NULL, record = NULL")
            #expect(try await open("/s/ADA-TEA", on: server).status == 404)
        }
    }

    @Test("The page of a paused programme says so, and promises nothing") func paused() async throws {
        _ = try await serve { server, world in
            try world.pause()
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.status == 200 && page.heading.contains("Bring a friend"))
            #expect(page.text.contains("This offer is paused.") && page.text.contains("href=\"kith://"))
            for promise in ["voucher", "ADA-TEA</code>", "share use", "class=\"qr\"", "og:description", "<script"] {
                #expect(!page.text.contains(promise), "\(promise)")
            }
        }
    }

    @Test("The page does not call the code of another person the reader’s own") func whoseCode() async throws {
        _ = try await serve { server, _ in
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.text.contains("<h2 id=\"code\">Code for joining</h2>") && !page.text.contains("Your code"))
        }
    }

    @Test("An earlier code opens the page too, and the page shows the code that was opened") func earlier() async throws
    {
        let world = try SharingWorld()
        var ada = try world.person("Ada")
        try ada.sync(ada.shareable("ADA-TEA"))
        try ada.sync(ada.change(["code": "Ada-Oil"]))
        try await TestServer.run(database: world.town.database) { server async throws in
            #expect(try await open("/s/ada-tea", on: server).text.contains(">ADA-TEA</code>"))
            #expect(try await open("/s/ada0il", on: server).text.contains(">ADA-OIL</code>"))
        }
    }

    @Test("It quotes the text that the person has written for those who open the link, as text") func content()
        async throws
    {
        let world = try SharingWorld()
        var ada = try world.person("Ada")
        try ada.sync(ada.shareable("ADA-TEA"))
        let written = "Grandma’s recipe:\n<b>two</b> cups\u{202E}"
        try ada.sync(ada.change(["content": .text(written), "label": "For the neighbours"]))
        try await TestServer.run(database: world.town.database) { server async throws in
            let page = try await open("/s/ADA-TEA", on: server)
            let quote = "<blockquote dir=\"auto\">Grandma’s recipe:\n&lt;b&gt;two&lt;/b&gt; cups</blockquote>"
            #expect(page.text.contains(quote) && !page.text.contains("<b>"))
            let programme = try #require(page.text.firstRange(of: "Both of you get a voucher.</p>"))
            let own = try #require(page.text.firstRange(of: quote))
            #expect(programme.upperBound < own.lowerBound)
            #expect(!page.text.contains("neighbours"), "What she calls it is for herself.")
            // A paused programme promises nothing.
            try world.pause()
            #expect(try await !open("/s/ADA-TEA", on: server).text.contains("<blockquote"))
            try world.pause(false)
        }
        try ada.sync(ada.change(["content": ""]))
        try await TestServer.run(database: world.town.database) { server async throws in
            #expect(try await !open("/s/ADA-TEA", on: server).text.contains("<blockquote"))
        }
    }

    // MARK: The list

    /// Runs `body` against a server on which the page of ADA-TEA shows Ada's wish list.
    private func serveList(
        canTick: Bool = true, _ body: (TestServer, SharingWorld, _ link: ListLink, _ kite: ItemID) async throws -> Void
    ) async throws {
        let world = try SharingWorld()
        var ada = try world.person("Ada")
        let (list, kite): (FeedID, ItemID) = (world.town.id(), world.town.id())
        try ada.sync(
            ada.mutation(list, .lists, list.retyped(), .set(["name": "Wishes", "kind": "wish"])),
            ada.item(kite.retyped(), "Kite", in: list))
        let request = LinkRequest(role: .viewer, isPublic: true, canTick: canTick)
        let link = try world.town.links.create(
            request, for: list.retyped(), by: ada.account, at: world.town.now
        ).value
        try ada.sync(ada.shareable("ADA-TEA"))
        try ada.sync(ada.change(["list": .text(link.token ?? "")]))
        try await TestServer.run(database: world.town.database) { try await body($0, world, link, kite) }
    }

    @Test("It shows a list by its public link, and its buttons come back to the page") func list() async throws {
        try await serveList { server, _, link, kite in
            let page = try await open("/s/ada-tea?c=email", on: server)
            #expect(page.text.contains("<bdi>Wishes</bdi>") && page.text.contains("<bdi>Kite</bdi>"))
            let action = "../v1/public/\(link.token ?? "-")"
            #expect(page.text.contains("<form method=\"post\" action=\"\(action)\">"))
            #expect(page.text.contains("data-events=\"\(action)/events\"") && page.text.contains("I give this"))
            let form = [("item", kite.description), ("ticked", "yes"), ("share", "ADA-TEA")]
            let reply = try await server.submit(form, to: "/v1/public/\(link.token ?? "-")", headers: Self.browser)
            #expect(reply.status == 303 && reply.head["location"] == "/s/ADA-TEA?tick=given#item-\(kite)")
            let cookie = try #require(reply.head["set-cookie"]?.split(separator: ";").first.map(String.init))
            // The channel of the link comes back too, for the ways to join.
            #expect(page.value("share") == "ADA-TEA" && page.value("c") == "email")
            let again = try await server.submit(
                form + [("c", page.value("c"))], to: "/v1/public/\(link.token ?? "-")",
                headers: Self.browser.merging(["Cookie": cookie]) { $1 })
            #expect(again.head["location"] == "/s/ADA-TEA?c=email#item-\(kite)")
            let mine = try await open("/s/ADA-TEA", on: server, ["Cookie": cookie])
            #expect(mine.text.contains("You give this") && mine.text.contains("Take it back"))
            // A browser that keeps no cookies cannot take it back.
            let without = try await open("/s/ADA-TEA?tick=given", on: server)
            #expect(without.error?.contains("your browser keeps no cookies") == true)
            #expect(try await open("/s/ADA-TEA?tick=given", on: server, ["Cookie": cookie]).error == nil)
            let others = try await open("/s/ADA-TEA", on: server)
            #expect(others.text.contains("Taken") && !others.text.contains("<form"))
        }
    }

    @Test("Trap: a gift is taken meanwhile – the page of the code says so, and keeps the way to join") func taken()
        async throws
    {
        try await serveList { server, _, link, kite in
            let address = "/v1/public/\(link.token ?? "-")"
            func give(_ item: ItemID, _ more: [(String, String)]) async throws -> Reply {
                let fields = [("item", item.description), ("ticked", "yes"), ("share", "ADA-TEA")]
                return try await server.submit(fields + more, to: address, headers: Self.browser)
            }
            #expect(try await give(kite, []).head["location"] == "/s/ADA-TEA?tick=given#item-\(kite)")
            let taken = try await give(kite, [("c", "email")])
            #expect(taken.status == 303 && taken.head["location"] == "/s/ADA-TEA?c=email&tick=conflict#shared")
            #expect(taken.head["set-cookie"] == nil)
            let page = try await open("/s/ADA-TEA?c=email&tick=conflict", on: server)
            #expect(page.error == "Somebody else gives this already. Choose something else.")
            #expect(page.text.contains("/sign-in?share=ADA-TEA&amp;c=email\">Join"))
            #expect(page.text.contains("<h2 id=\"shared\">"))
            let gone = try await give(ItemID(UUID()), [])
            #expect(gone.head["location"] == "/s/ADA-TEA?tick=gone#shared")
            #expect(try await open("/s/ADA-TEA?tick=gone", on: server).error == "This is not in the list any more.")
            #expect(try await open("/s/ADA-TEA?tick=%3Cb%3E", on: server).error == nil)
        }
    }

    @Test("A link for reading has no buttons, and a revoked one shows no list") func otherLists() async throws {
        try await serveList(canTick: false) { server, world, link, _ in
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.text.contains("<bdi>Kite</bdi>") && !page.text.contains("<form"))
            let owner: AccountID = try world.town.database.readNow { transaction in
                let row = try transaction.query("SELECT account FROM access WHERE feed = ?", [.id(link.list)]).first
                return try #require(try row?.id(0))
            }
            _ = try world.town.links.revoke(link.id, of: link.list, by: owner, at: world.town.now)
            let without = try await open("/s/ADA-TEA", on: server)
            #expect(without.status == 200 && without.text.contains("ADA-TEA"))
            #expect(!without.text.contains("Kite") && !without.text.contains("Wishes"))
        }
    }

    @Test("A name is text: it changes no tag and no address") func hostile() async throws {
        _ = try await serve(name: "\"><script>alert(1)</script>") { server, _ in
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.status == 200 && !page.text.contains("<script>"))
            #expect(page.text.contains("<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"))
        }
    }

    @Test("The QR code is also a picture, which browsers keep for an hour") func picture() async throws {
        _ = try await serve { server, _ in
            let reply = try await server.ask("GET", "/s/ada-tea/qr.svg")
            #expect(reply.status == 200 && reply.head["content-type"] == "image/svg+xml")
            #expect(reply.head["cache-control"] == "public, max-age=3600")
            #expect(reply.head["content-security-policy"] == "default-src 'none'")
            #expect(reply.body == QRCode("\(server.url.absoluteString)/s/ADA-TEA?c=scan")?.svg)
        }
    }

    /// The start of a picture in PNG, and some bytes.
    private static func png(_ rest: UInt8) -> Data { Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, rest]) }

    @Test("The picture of the programme is on the page and in link previews, and has a tag that changes with it")
    func programmePicture() async throws {
        _ = try await serve { server, world in
            #expect(try await server.ask("GET", "/s/ADA-TEA/picture").status == 404)
            #expect(!(try await open("/s/ADA-TEA", on: server)).text.contains("og:image"))

            let file = Data(#"{"name":"friends","title":{"en":"Tea"},"text":{"en":"Tea"}}"#.utf8)
            let service = ProgrammeService(database: world.town.database)
            func store(_ picture: ProgrammeService.PictureChange) async throws {
                _ = try await service.create(file, picture: picture, replacing: true, at: world.town.now)
            }
            try await store(.set(ProgrammePicture(Self.png(1))))
            let reply = try await server.ask("GET", "/s/ada-tea/picture")
            #expect(reply.status == 200 && reply.body == Self.png(1) && reply.head["content-type"] == "image/png")
            #expect(reply.head["x-content-type-options"] == "nosniff")
            #expect(reply.head["content-security-policy"] == "default-src 'none'")
            let tag = try #require(reply.head["etag"])
            let known = ["If-None-Match": tag]
            #expect(try await server.ask("GET", "/s/ADA-TEA/picture", headers: known).status == 304)
            let text = try await open("/s/ADA-TEA", on: server).text
            let version = tag.replacing("\"", with: "")
            let address = "\(server.url.absoluteString)/s/ADA-TEA/picture?v=\(version)"
            #expect(text.contains("<meta property=\"og:image\" content=\"\(address)\">"))
            #expect(text.contains("src=\"/s/ADA-TEA/picture?v=\(version)\" alt=\"\">"))

            // A programme that is replaced keeps its picture, unless it gets another one or none.
            try await store(.keep)
            #expect(try await server.ask("GET", "/s/ADA-TEA/picture", headers: known).status == 304)
            try await store(.set(ProgrammePicture(Self.png(2))))
            #expect(try await server.ask("GET", "/s/ADA-TEA/picture", headers: known).body == Self.png(2))
            try await store(.remove)
            #expect(try await server.ask("GET", "/s/ADA-TEA/picture").status == 404)
        }
    }

    @Test("A picture is JPEG, PNG or WebP of at most 512 KiB") func pictureFormats() throws {
        #expect(try ProgrammePicture(Self.png(0)).type == .png)
        #expect(throws: ServerError.self) { try ProgrammePicture(Data("<svg/>".utf8)) }
        let most = Self.png(0) + Data(repeating: 0, count: ProgrammePicture.size - 9)
        #expect(try ProgrammePicture(most).bytes.count == ProgrammePicture.size)
        let error = #expect(throws: ServerError.self) { try ProgrammePicture(most + Data([0])) }
        #expect(error?.code == .tooLarge)
    }

    @Test("A link of a programme with a page of its own leads there with the code, and counts as a visit")
    func redirect() async throws {
        let parts = #""url":"https://tea.example/welcome?from=kith","landing":"redirect""#
        let world = try await serve(parts) { server, _ in
            let reply = try await open("/s/ada_tea?c=email", on: server)
            #expect(reply.status == 303)
            #expect(reply.head["location"] == "https://tea.example/welcome?from=kith&code=ADA-TEA&c=email")
            #expect(reply.head["cache-control"] == "no-store" && reply.head["referrer-policy"] == "no-referrer")
            #expect(reply.head["set-cookie"] == nil && reply.text.isEmpty)
            #expect(try await server.ask("GET", "/s/ADA-TEA").status == 303)
            #expect(try await server.ask("HEAD", "/s/ADA-TEA", headers: Self.browser).status == 303)
            #expect(try await open("/s/BEN-TEA", on: server).status == 404)
        }
        let funnel = try await FunnelService(database: world.town.database).funnel()
        #expect(funnel.total(.visited) == 1 && funnel.total(.visited, channel: .email) == 1)
    }

    @Test("A paused programme shows its page, also if its links lead elsewhere") func pausedRedirect() async throws {
        _ = try await serve(#""url":"https://tea.example/in","landing":"redirect""#) { server, world in
            try world.pause()
            let page = try await open("/s/ADA-TEA", on: server)
            #expect(page.status == 200 && page.text.contains("This offer is paused."))
        }
    }

    @Test("A visit is counted once, when a browser opens the page, and by the channel of the link") func visits()
        async throws
    {
        let world = try await serve { server, _ async throws in
            for headers in [["Sec-Purpose": "prefetch"], ["User-Agent": "WhatsApp/2.0"], ["Sec-Fetch-Mode": "cors"]] {
                #expect(try await open("/s/ADA-TEA", on: server, headers).status == 200)
            }
            #expect(try await server.ask("HEAD", "/s/ADA-TEA", headers: Self.browser).status == 200)
            #expect(try await open("/s/BEN-TEA", on: server).status == 404)
            #expect(try await open("/s/ADA-TEA?c=email", on: server).status == 200)
            #expect(try await open("/s/ADA-TEA", on: server).status == 200)
        }
        // A server that stops has stored them all.
        let funnel = try await FunnelService(database: world.town.database).funnel()
        #expect(funnel.total(.visited) == 1 && funnel.total(.visited, channel: .email) == 1)
        #expect(funnel.rows.map(\.programme) == ["friends"])
    }
}
