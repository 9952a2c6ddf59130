import Foundation
import KithCommand
import KithModel
import Processes
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("kith with a server") struct OnlineTests {
    let folder = Folder()

    @Test("saves an unsendable edit, says so, and succeeds; sync ends with 3") func unreachable() async throws {
        let server = try await folder.server()
        let device = Device(folder, "a", server: server.url)
        await server.kill()
        // Another test's server may take it else.
        let port = try LoopbackSocket(port: #require(server.url.port), isListening: false)
        let edit = try await device.run("lists", "create", "Groceries")
        #expect(edit.status == 0)
        #expect(edit.complaints.contains("Saved here; 1 change waits to be sent."))
        let sync = try await device.run("--json", "sync")
        #expect(sync.status == 3)
        #expect(try sync.error["code"] == "offline")
        let quiet = try await device.run("--offline", "items", "add", "Groceries", "Tea")
        #expect(quiet.status == 0)
        #expect(quiet.complaints == "")
        #expect(try await device.json("status")["status"]["waiting"] == 2)

        port.close()
        try await server.start()
        #expect(try await device.json("sync")["status"]["waiting"] == 0)
    }

    @Test(
        "Trap: Without --server, an account's edits wait and nothing says so – a note names kith sync, which knows the server"
    )
    func ownServer() async throws {
        let server = try await folder.server()
        let named = Device(folder, "a", server: server.url)
        try await named.json("lists", "create", "Groceries")
        try await named.json("sync")
        let device = Device(folder, "a")
        let edit = try await device.run("--json", "items", "add", "Groceries", "Tea")
        #expect(edit.status == 0)
        #expect(edit.complaints == "Saved here; 1 change waits to be sent. To send it: kith sync\n")
        #expect(try edit.json != .null, "Standard output has only JSON.")
        #expect(try await device.run("--offline", "items", "add", "Groceries", "Milk").complaints == "")
        #expect(try await device.run("items", "Groceries").complaints == "")
        let address = "127.0.0.1:\(try #require(server.url.port))"
        let sessions = try await device.run("session", "devices")
        #expect(sessions.status == 3 && sessions.complaints.contains(address + "."), "\(sessions.complaints)")
        #expect(try await device.run("--offline", "sync").status == 3)
        let sync = try await device.run("sync")
        #expect(sync.status == 0 && sync.output.contains(address), "\(sync.output)\(sync.complaints)")
        #expect(try await device.json("status")["status"]["waiting"] == 0)

        // A server with another database is another server, and gets nothing.
        await server.kill()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        for file in files where file.hasPrefix("server.sqlite") {
            try FileManager.default.removeItem(at: folder.file(file))
        }
        try await server.start()
        try await device.json("items", "add", "Groceries", "Bread")
        let other = try await device.run("--json", "sync")
        #expect(other.status == 5)
        #expect(try other.error["code"] == "otherServer")
    }

    @Test("Without an account, nothing is sent anywhere, and no note advises it") func noOwnServer() async throws {
        let device = Device(folder, "a")
        #expect(try await device.run("lists", "create", "Groceries").complaints == "")
        let sync = try await device.run("sync")
        #expect(sync.status == 3)
        #expect(sync.complaints == "kith: This needs a server. Name it with --server or KITH_SERVER.\n")
    }

    #if os(Linux)
        @Test("Trap: libcurl is missing – an edit is saved, and the note says what to install") func noLibrary()
            async throws
        {
            // An empty library ends the search of the dynamic linker.
            let libraries = folder.file("libraries")
            try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
            for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] {
                try Data().write(to: libraries.appending(path: name))
            }
            let run = try await Program.built.run(
                ["--data", folder.file("a").path(), "--server", "http://127.0.0.1:1", "lists", "create", "Groceries"],
                in: folder, environment: ["LD_LIBRARY_PATH": libraries.path()])
            #expect(run.status == 0, "\(run.complaints)")
            #expect(
                run.complaints.contains("Install it; on Debian its package is libcurl4. Saved here; 1 change waits"),
                "\(run.complaints)")
        }
    #endif

    @Test("shares a list by link, and two people see each other's edits") func sharing() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        let grace = Device(folder, "grace", server: server.url)
        try await ada.json("lists", "create", "Groceries")
        try await ada.json("items", "add", "Groceries", "Bread")
        let link = try #require(try await ada.json("lists", "share", "Groceries")["link"]["url"].text)
        let preview = try await grace.json("lists", "preview", link)
        #expect(preview["name"] == "Groceries")
        #expect(preview["items"] == 1)
        try await grace.json("lists", "accept", link)
        try await grace.json("items", "add", "Groceries", "Tea")
        try await grace.json("lists", "my-name", "Groceries", "Grace")
        // An edit waits for the server only for a moment; a sync, until it is done.
        try await grace.json("sync")
        try await ada.json("sync")
        #expect(try await ada.titles("Groceries") == ["Bread", "Tea"])

        let members = try await ada.json("lists", "members", "Groceries")["members"].elements
        #expect(Set(members.compactMap { $0["role"].text }) == ["owner", "editor"])
        // The name chosen for the list goes before the profile's; who has chosen none is shown by the profile's.
        try await grace.json("profile", "set", "--given", "Grace", "--family", "Hopper")
        try await ada.json("profile", "set", "--given", "Ada")
        try await grace.json("sync")
        var names: Set<String> = []
        for _ in 0..<50 where !names.contains("Ada") {
            try await grace.json("sync")
            names = Set(
                try await grace.json("lists", "members", "Groceries")["members"].elements.compactMap { $0["name"].text }
            )
        }
        #expect(names == ["Ada", "Grace"])
        let creators = try await grace.json("items", "Groceries")["items"].elements.map { $0["creatorName"] }
        #expect(creators == ["Ada", "Grace"])
        try await ada.json("lists", "role", "Groceries", "Grace", "viewer")
        try await ada.json("sync")
        try await grace.json("sync")
        let refused = try await grace.run("--json", "items", "add", "Groceries", "Soap")
        #expect(refused.status == 5)
        #expect(try refused.error["code"] == "forbidden")
        for (command, rest) in [
            ("share", []), ("public", []), ("links", []), ("revoke", ["1"]), ("members", ["--removed"]),
            ("let-in", ["Ada"]),
        ] {
            let run = try await grace.run(["--json", "lists", command, "Groceries"] + rest)
            #expect(try run.status == 5 && run.error["code"] == "forbidden", "\(command)")
        }
        try await grace.json("lists", "leave", "Groceries")
        #expect(try await grace.json("lists")["lists"].elements.isEmpty)

        let links = try await ada.json("lists", "links", "Groceries")["links"].elements
        #expect(links.map { $0["accepted"] } == [1])
        try await ada.json("lists", "revoke", "Groceries", "1")
        #expect(try await grace.run("lists", "accept", link).status == 6)
    }

    @Test("publishes a list, which anyone can read by its link until it is revoked") func publishing() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("lists", "create", "Wishes")
        try await ada.json("items", "add", "Wishes", "Kite", "--count", "2", "--comment", "red")
        try await ada.json("items", "add", "Wishes", "Book")
        try await ada.json("items", "tick", "Wishes", "Book")
        let made = try await ada.json("lists", "public", "Wishes", "--expires", "1h")["link"]
        #expect(made["public"] == true && made["expires"] != .null)
        let link = try #require(made["url"].text)
        try await ada.json("sync")
        #expect(try await ada.json("lists")["lists"].elements.map { $0["access"] } == ["public"])

        // By hand, as the link says, …
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: link)))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let read = try JSONDecoder().decode(JSON.self, from: data)
        #expect(read["name"] == "Wishes")
        #expect(read["items"].elements.map { $0["title"] } == ["Kite", "Book"])
        // … and with the command, which opens no session for it.
        let anyone = Device(folder, "anyone", server: server.url)
        let shown = try await anyone.json("lists", "read", link)
        #expect(shown.keys == ["name", "modified", "items"])
        #expect(shown["items"].elements.map { $0["count"] } == [2, 1])
        #expect(shown["items"].elements.map { $0["ticked"] } == [false, true])
        #expect(shown["items"].elements[0].keys == ["title", "count", "ticked", "category", "comment"])
        let lines = try await anyone.run("lists", "read", link).output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("Wishes  1 of 2 open, as of ") == true)
        #expect(lines.dropFirst() == ["[ ]  Kite  ×2  red", "[x]  Book"])
        #expect(try await anyone.json("lists", "preview", link)["public"] == true)
        #expect(try await anyone.json("session")["state"] == "initial")
        let accepted = try await anyone.run("lists", "accept", link)
        #expect(accepted.status == 64 && accepted.complaints.contains("kith lists read LINK"))

        try await ada.json("lists", "revoke", "Wishes", "1")
        #expect(try await anyone.run("lists", "read", link).status == 6)
        let (_, gone) = try await URLSession.shared.data(from: try #require(URL(string: link)))
        #expect([404, 410].contains((gone as? HTTPURLResponse)?.statusCode))
        try await ada.json("sync")
        #expect(try await ada.json("lists")["lists"].elements.map { $0["access"] } == ["private"])
    }

    @Test("orders lists, hands one over, and removes someone from it") func people() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        let grace = Device(folder, "grace", server: server.url)
        for name in ["A", "B", "C"] { try await ada.json("lists", "create", name) }
        try await ada.json("sync")
        #expect(try await ada.json("lists", "move", "C", "--first")["list"]["name"] == "C")
        try await ada.json("lists", "move", "A", "--after", "B")
        #expect(try await ada.json("lists")["lists"].elements.map { $0["name"] } == ["C", "B", "A"])

        let invitation = try await ada.json("lists", "share", "A", "--as", "viewer", "--expires", "30m")["link"]
        #expect(invitation["role"] == "viewer" && invitation["public"] == false)
        let span = try #require(try Self.seconds(from: invitation["created"], to: invitation["expires"]))
        #expect((span - 1_800).magnitude < 2)
        let joined = try await grace.json("lists", "accept", try #require(invitation["url"].text))
        #expect(joined["list"]["role"] == "viewer")
        try await grace.json("lists", "my-name", "A", "Grace")
        try await grace.json("sync")
        try await ada.json("sync")
        let unknown = try await ada.run("lists", "role", "A", "9", "viewer")
        #expect(unknown.status == 6 && unknown.complaints.contains("kith sync, then kith lists members A"))
        #expect(try await ada.run("lists", "hand-over", "A", "Grace").status == 64)
        #expect(try await ada.json("lists", "hand-over", "A", "Grace", "--yes")["member"]["role"] == "owner")
        try await ada.json("sync")
        try await grace.json("sync")
        #expect(try await grace.json("lists")["lists"].elements.map { $0["role"] } == ["owner"])
        let roles = try await ada.json("lists")["lists"].elements.map { $0["role"] }
        #expect(roles == ["owner", "owner", "editor"])

        let members = try await grace.json("lists", "members", "A")["members"].elements
        let me = try #require(members.firstIndex { $0["you"] == true })
        let removed = try await grace.json("lists", "remove-member", "A", String(2 - me))["removed"]
        #expect(removed["you"] == false)
        try await grace.json("sync")
        try await ada.json("sync")
        #expect(try await ada.json("lists")["lists"].elements.map { $0["name"] } == ["C", "B"])
        #expect(try await grace.json("lists", "members", "A")["members"].elements.count == 1)

        let link = try #require(try await grace.json("lists", "share", "A")["link"]["url"].text)
        let refused = try await ada.run("lists", "accept", link)
        #expect(refused.status == 5 && refused.complaints.contains("let you in"))
        #expect(try await grace.json("lists", "members", "A")["removed"] == .null)
        let kept = try await grace.json("lists", "members", "A", "--removed")["removed"].elements
        #expect(kept.map { $0["account"] } == [removed["account"]])
        #expect(try await grace.json("lists", "let-in", "A", "1")["letIn"]["account"] == removed["account"])
        #expect(try await ada.json("lists", "accept", link)["list"]["role"] == "editor")
    }

    static func seconds(from start: JSON, to end: JSON) throws -> Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let start = start.text, let end = end.text else { return nil }
        return try style.parse(end).timeIntervalSince(style.parse(start))
    }

    @Test("exits with 5 when the server refuses an edit, and keeps the lost values until it is dismissed")
    func rejections()
        async throws
    {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        let grace = Device(folder, "grace", server: server.url)
        try await ada.json("lists", "create", "Groceries")
        let link = try #require(try await ada.json("lists", "share", "Groceries")["link"]["url"].text)
        try await grace.json("lists", "accept", link)
        try await ada.json("sync")
        let title = "Soap" + String(repeating: " and more", count: 20)
        try await grace.json("--offline", "items", "add", "Groceries", title)
        try await ada.json("--offline", "lists", "remove", "Groceries", "--yes")
        try await ada.json("sync")
        let sync = try await grace.run("sync")
        #expect(sync.status == 5)
        let deed = "add item “\(title.prefix(60))…” to “Groceries”"
        #expect(sync.complaints.contains("(\(deed))"), "\(sync.complaints)")
        #expect(sync.complaints.contains("kith rejections"))
        let rejections = try await grace.json("rejections")["rejections"].elements
        #expect(rejections.map { $0["values"]["title"].text } == [title])
        #expect(rejections.map { $0["title"].text } == [title] && rejections.map { $0["listName"] } == ["Groceries"])
        #expect(rejections.map { $0["current"] } == [.null])
        let told = try await grace.run("rejections").output
        #expect(told.contains(deed) && told.contains("it was not added"), "\(told)")
        try await grace.json("rejections", "dismiss", "1")
        #expect(try await grace.json("rejections")["rejections"].elements.isEmpty)
    }

    @Test("lets two devices share a session; when one ends it, the edits of the other get a new one") func sessions()
        async throws
    {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("--offline", "lists", "create", "Groceries")
        try await phone.json("sync")
        let token = try await phone.token()
        try await tablet.json("--offline", "lists", "create", "Made before")
        #expect(try await tablet.run("session", "use", "-", input: token + "\n").status == 0)
        #expect(try await tablet.json("lists")["lists"].elements.map { $0["name"] } == ["Groceries"])

        let account = try await phone.account()
        #expect(try await phone.run("session", "logout").status == 64)
        try await phone.json("session", "logout", "--yes")
        try await tablet.json("--offline", "items", "add", "Groceries", "Tea")
        let sync = try await tablet.run("sync")
        #expect(sync.status == 0 && sync.complaints.contains("A new session is open."), "\(sync.complaints)")
        #expect(try await tablet.json("session")["account"].text != account)
        #expect(try await tablet.titles("Groceries") == ["Tea"])
    }

    @Test("opens a new session; the token of the old one activates it again") func newSession() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        #expect(try await phone.json("session", "new")["state"] == "anonymous")
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        let old = try await phone.json("session", "show", "--token")
        let new = try await phone.json("session", "new", "--yes")
        #expect(new["hidden"].elements.map { $0["account"] } == [old["account"]] && new["choice"] == "keep")
        #expect(new["state"] == "anonymous" && new["token"] == .null)
        #expect(new["account"] != .null && new["account"] != old["account"])
        #expect(try await phone.json("lists")["lists"].elements.isEmpty)
        try await phone.json("session", "use", try #require(old["token"].text))
        #expect(try await phone.json("session")["account"] == old["account"])
        #expect(try await phone.json("lists")["lists"].elements.map { $0["name"] } == ["Groceries"])
    }

    @Test("moves a list out of the account, and drops the account's data from the device") func leavingTheAccount()
        async throws
    {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        for name in ["Kept here", "Kept there"] { try await phone.json("lists", "create", name) }
        try await phone.json("sync")
        let token = try await phone.token()
        #expect(try await phone.json("move-lists", "Kept here", "--back")["moved"].elements.count == 1)
        #expect(try await phone.json("lists")["lists"].elements.map { $0["name"] } == ["Kept there"])
        try await phone.json("sync")
        #expect(try await phone.run("drop-data", "account").status == 64)
        #expect(try await phone.json("drop-data", "account", "--yes")["dropped"] == "account")
        #expect(try await phone.json("lists", "--offline")["lists"].elements.map { $0["name"] } == ["Kept here"])
        // The server keeps what it has.
        let movable = try await phone.json("session", "use", token)["movable"].elements
        #expect(movable.map { $0["name"] } == ["Kept here"])
        try await phone.json("sync")
        #expect(try await phone.json("lists")["lists"].elements.map { $0["name"] } == ["Kept there"])
    }

    @Test("waits as long as the server has asked for, except for an explicit sync") func busy() async throws {
        let server = try await folder.server(flags: ["--session-rate", "0.001", "--session-burst", "1"])
        let device = Device(folder, "a", server: server.url)
        try await device.json("lists", "create", "Groceries")
        let refused = try await device.run("items", "add", "Groceries", "Tea")
        #expect(refused.status == 0)
        #expect(refused.complaints.contains("waits to be sent"))
        let before = try await device.json("status")["status"]
        #expect(before["lastError"]["code"] == "busy" && before["waiting"] == 1)
        let quiet = try await device.run("items", "add", "Groceries", "Bread")
        #expect(quiet.status == 0)
        #expect(quiet.complaints.contains("2 changes wait to be sent") && quiet.complaints.contains("kith sync"))
        #expect(try await device.json("status")["status"]["retryAt"] == before["retryAt"])
        let sync = try await device.run("--json", "sync")
        #expect(sync.status == 3)
        #expect(try sync.error["code"] == "busy")
        #expect(try await device.json("status")["status"]["retryAt"] != before["retryAt"])
    }

    @Test("moves lists from the userless store to the former account") func moving() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("--offline", "lists", "create", "Groceries")
        try await phone.json("sync")
        let token = try await phone.token()
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("--offline", "lists", "create", "Gifts")
        try await tablet.json("--offline", "items", "add", "Gifts", "Book")
        #expect(try await tablet.json("session", "use", token)["movable"].elements.map { $0["name"] } == ["Gifts"])
        #expect(try await tablet.json("move-lists", "Gifts")["moved"].elements.count == 1)
        try await tablet.json("sync")
        try await phone.json("sync")
        #expect(try await phone.titles("Gifts") == ["Book"])
    }

    @Test(
        "watches: first the current content, then each change, until it is stopped",
        arguments: [SIGINT, SIGTERM])
    func watching(signal: Int32) async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("items", "add", "Groceries", "Bread")
        try await phone.json("sync")
        let token = try await phone.token()
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("session", "use", token)
        try await tablet.json("sync")

        let watch = try await tablet.start("watch", "--json")
        var items = watch.lines.map { try JSON(parsing: $0) }
            .filter { $0["collection"] == "item" }.makeAsyncIterator()
        let state = try #require(try await items.next())
        #expect(state["origin"] == "state")
        #expect(state["added"].elements.map { $0["title"] } == ["Bread"])
        try await phone.json("items", "add", "Groceries", "Tea")
        try await phone.json("sync")
        let change = try #require(try await items.next())
        #expect(change["origin"] == "server")
        #expect(change["added"].elements.map { $0["title"] } == ["Tea"])
        #expect(change.keys == ["collection", "origin", "added", "removed", "modified"])
        watch.signal(signal)
        #expect(await watch.ended() == 0)
    }

    @Test("watches one named list, and reports another process's edits once", .timeLimit(.minutes(15)))
    func watchingOne() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        for name in ["Groceries", "Gifts"] { try await phone.json("lists", "create", name) }
        try await phone.json("sync")
        let watch = try await phone.start("watch", "--json", "--list", "Groceries")
        var news = watch.lines.map { try JSON(parsing: $0) }.makeAsyncIterator()
        let state = try #require(try await news.next())
        #expect(state["added"].elements.map { $0["name"] } == ["Groceries"])
        try await phone.json("items", "add", "Gifts", "Book")
        try await phone.json("items", "add", "Groceries", "Tea")
        try await phone.json("items", "add", "Groceries", "Bread")
        var told: [String] = []
        while told.last != "Bread", let piece = try await news.next() {
            if piece["collection"] == "item" { told += piece["added"].elements.compactMap { $0["title"].text } }
        }
        #expect(told == ["Tea", "Bread"])
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }
}
