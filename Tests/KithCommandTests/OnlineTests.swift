import Foundation
import KithCommand
import KithModel
import Testing

@Suite("kith with a server") struct OnlineTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    func server() async throws -> ServerProcess {
        let server = ServerProcess(
            Program.built.url, database: folder.file("server.sqlite"), complaints: folder.file("server.log"))
        try await server.start()
        return server
    }

    @Test("saves an edit that cannot be sent, says so, and succeeds; sync says 3") func unreachable() async throws {
        let server = try await server()
        let device = Device(folder, "a", server: server.url)
        await server.kill()
        let edit = try await device.run("lists", "create", "Groceries")
        #expect(edit.status == 0)
        #expect(edit.complaints.contains("saved here; 1 change waits to be sent"))
        let sync = try await device.run("--json", "sync")
        #expect(sync.status == 3)
        #expect(try sync.error["code"] == "offline")
        let quiet = try await device.run("--offline", "items", "add", "Groceries", "Tea")
        #expect(quiet.status == 0)
        #expect(quiet.complaints == "")
        #expect(try await device.json("status")["status"]["waiting"] == 2)

        try await server.start()
        #expect(try await device.json("sync")["status"]["waiting"] == 0)
        try await server.stop()
    }

    @Test("shares a list by link, and two people see each other's edits") func sharing() async throws {
        let server = try await server()
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
        try await ada.json("lists", "role", "Groceries", "Grace", "viewer")
        try await ada.json("sync")
        try await grace.json("sync")
        let refused = try await grace.run("--json", "items", "add", "Groceries", "Soap")
        #expect(refused.status == 5)
        #expect(try refused.error["code"] == "forbidden")
        try await grace.json("lists", "leave", "Groceries")
        #expect(try await grace.json("lists")["lists"].elements.isEmpty)

        let links = try await ada.json("lists", "links", "Groceries")["links"].elements
        #expect(links.map { $0["accepted"] } == [1])
        try await ada.json("lists", "revoke", "Groceries", "1")
        #expect(try await grace.run("lists", "accept", link).status == 6)
        try await server.stop()
    }

    @Test("says 5 when the server refuses an edit, and keeps what was lost until it is dismissed") func rejections()
        async throws
    {
        let server = try await server()
        let ada = Device(folder, "ada", server: server.url)
        let grace = Device(folder, "grace", server: server.url)
        try await ada.json("lists", "create", "Groceries")
        let link = try #require(try await ada.json("lists", "share", "Groceries")["link"]["url"].text)
        try await grace.json("lists", "accept", link)
        try await ada.json("sync")
        try await grace.json("--offline", "items", "add", "Groceries", "Soap")
        try await ada.json("--offline", "lists", "remove", "Groceries", "--yes")
        try await ada.json("sync")
        let sync = try await grace.run("sync")
        #expect(sync.status == 5)
        #expect(sync.complaints.contains("kith rejections"))
        let rejections = try await grace.json("rejections")["rejections"].elements
        #expect(rejections.map { $0["values"]["title"] } == ["Soap"])
        try await grace.json("rejections", "dismiss", "1")
        #expect(try await grace.json("rejections")["rejections"].elements.isEmpty)
        try await server.stop()
    }

    @Test("lets two devices share a session; when it ends, the other keeps its edits and is told 4") func sessions()
        async throws
    {
        let server = try await server()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("--offline", "lists", "create", "Groceries")
        try await phone.json("sync")
        let token = try #require(try await phone.json("session", "--token")["token"].text)
        try await tablet.json("--offline", "lists", "create", "Made before")
        #expect(try await tablet.run("session", "use", "-", input: token + "\n").status == 0)
        try await tablet.json("sync")
        #expect(try await tablet.json("lists")["lists"].elements.map { $0["name"] } == ["Groceries"])

        #expect(try await phone.run("session", "logout").status == 64)
        try await phone.json("session", "logout", "--yes")
        #expect(try await tablet.run("sync").status == 4)
        try await tablet.json("--offline", "items", "add", "Groceries", "Tea")
        #expect(try await tablet.titles("Groceries") == ["Tea"])
        try await server.stop()
    }

    @Test("moves lists made without a session into the account that was there before") func moving() async throws {
        let server = try await server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("--offline", "lists", "create", "Groceries")
        try await phone.json("sync")
        let token = try #require(try await phone.json("session", "--token")["token"].text)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("--offline", "lists", "create", "Gifts")
        try await tablet.json("--offline", "items", "add", "Gifts", "Book")
        #expect(try await tablet.json("session", "use", token)["movable"].elements.map { $0["name"] } == ["Gifts"])
        #expect(try await tablet.json("move-lists", "Gifts")["moved"].elements.count == 1)
        try await tablet.json("sync")
        try await phone.json("sync")
        #expect(try await phone.titles("Gifts") == ["Book"])
        try await server.stop()
    }

    @Test(
        "watches: what is there first, then each change as it comes, until it is told to end",
        arguments: [SIGINT, SIGTERM])
    func watching(signal: Int32) async throws {
        let server = try await server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("items", "add", "Groceries", "Bread")
        try await phone.json("sync")
        let token = try #require(try await phone.json("session", "--token")["token"].text)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("session", "use", token)
        try await tablet.json("sync")

        let watch = try ChildProcess(
            Program.built.url, ["watch", "--json", "--data", tablet.data, "--server", server.url.absoluteString],
            complaints: folder.file("watch.log"))
        var items = watch.lines.map { try JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
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
        try await server.stop()
    }
}
