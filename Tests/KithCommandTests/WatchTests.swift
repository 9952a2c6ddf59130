import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("kith watch and the current account", .timeLimit(.minutes(15))) struct WatchTests {
    private let folder = Folder()

    /// The lines up to the first that fits, that one included.
    private func lines(
        _ lines: inout AsyncStream<String>.Iterator, upTo fits: (String) -> Bool
    ) async -> [String] {
        var told: [String] = []
        while let line = await lines.next(isolation: #isolation) {
            told.append(line)
            if fits(line) { break }
        }
        return told
    }

    @Test("reports who joins a list, as text and as JSON") func joining() async throws {
        let server = try await folder.server()
        let (ada, grace) = (Device(folder, "ada", server: server.url), Device(folder, "grace", server: server.url))
        try await ada.json("lists", "create", "WB")
        try await ada.json("items", "add", "WB", "Tea")
        let link = try #require(try await ada.json("lists", "share", "WB")["link"]["url"].text)
        try await ada.json("sync")
        let (words, json) = (try await ada.start("watch"), try await ada.start("watch", "--json"))
        var (told, toldJSON) = (words.lines.makeAsyncIterator(), json.lines.makeAsyncIterator())
        _ = await lines(&told) { $0.contains("Tea") }
        _ = await lines(&toldJSON) { $0.contains("Tea") }
        try await grace.json("lists", "accept", link)
        #expect(await lines(&told) { $0.contains(" joined as editor  in WB") }.last?.hasPrefix("+ ") == true)
        let member = await lines(&toldJSON) { $0.contains(#""role":"editor""#) }.last
        #expect(member?.contains(#""collection":"member""#) == true)
        for watch in [words, json] {
            watch.signal(SIGINT)
            #expect(await watch.ended() == 0)
        }
    }

    @Test("A refused token hides lists: watch prints the new current account, and reports no removals")
    func refusedToken() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "WB")
        try await phone.json("items", "add", "WB", "Tea")
        try await phone.json("sync")
        let session = try await phone.json("session", "--token")
        let id = String(try #require(session["account"].text).suffix(8))
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("session", "use", try #require(session["token"].text))
        try await tablet.json("sync")
        let watch = try await tablet.start("watch", "--list", "WB")
        var iterator = watch.lines.makeAsyncIterator()
        _ = await lines(&iterator) { $0.contains("Tea") }
        try await phone.json("session", "logout", "--yes")
        let told = await lines(&iterator) { $0.hasPrefix("The list “WB” is not in") }
        #expect(told.contains { $0.hasPrefix("Now shown: account ") && !$0.contains(id) }, "\(told)")
        #expect(told.contains { $0.hasPrefix("No longer shown: account \(id), with 1 list") }, "\(told)")
        #expect(told.contains { $0.contains("kith move-lists --from \(id)") }, "\(told)")
        #expect(!told.contains { $0.hasPrefix("- ") }, "\(told)")
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }

    @Test("A new session by another process is one JSON line, followed by the new account's content")
    func newSession() async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Wone")
        try await phone.json("sync")
        let account = try await phone.account()
        let watch = try await phone.start("watch", "--json")
        var iterator = watch.lines.makeAsyncIterator()
        _ = await lines(&iterator) { $0.contains("Wone") }
        try await phone.json("session", "new")
        try await phone.json("lists", "create", "Later")
        let told = try await lines(&iterator) { $0.contains("Later") }.map { try JSON(parsing: $0) }
        let change = try #require(told.first { $0["shown"] != .null })
        #expect(change.keys == ["shown", "hidden", "origin"] && change["origin"] == "elsewhere")
        #expect(change["hidden"].elements.map { $0["account"].text } == [account])
        #expect(change["hidden"].elements.map { $0["lists"] } == [1])
        #expect(change["shown"]["account"].text != account && change["shown"]["current"] == true)
        #expect(told.allSatisfy { $0["removed"].elements.isEmpty }, "\(told)")
        // Back again: what is there comes first, as a state.
        try await phone.json("session", "use", account)
        let back = await lines(&iterator) { $0.contains("Wone") && $0.contains("collection") }
        #expect(back.last?.contains(#""origin":"state""#) == true, "\(back)")
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }

    @Test("Trap: another process switches away from the account of --account – watch stays with it") func named()
        async throws
    {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Wone")
        try await phone.json("sync")
        let account = try await phone.account()
        let watch = try await phone.start("watch", "--account", account)
        var iterator = watch.lines.makeAsyncIterator()
        _ = await lines(&iterator) { $0.contains("Wone") }
        try await phone.json("session", "new")
        try await phone.json("lists", "create", "Theirs")
        try await phone.json("--account", account, "lists", "create", "Ours")
        let told = await lines(&iterator) { line in ["Now shown", "Theirs", "Ours"].contains { line.contains($0) } }
        #expect(told.last?.contains("Ours") == true, "\(told)")
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }

    @Test("The error of an earlier command with a wrong server is not repeated") func staleError() async throws {
        let (server, wrong) = (try await folder.server(), try await folder.server("wrong"))
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Ours")
        try await phone.json("sync")
        let token = try await phone.token()
        let other = Device(folder, "other", server: server.url)
        try await other.json("session", "use", token)
        try await other.json("sync")
        let lost = Device(folder, "phone", server: wrong.url)
        #expect(try await lost.run("--account", "1", "sync").status == 5)
        let watch = try await Device(folder, "phone").start("watch", "--account", "1")
        var iterator = watch.lines.makeAsyncIterator()
        try await other.json("items", "add", "Ours", "Tea")
        try await other.json("sync")
        _ = await lines(&iterator) { $0.contains("Tea") }
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
        let said = try String(contentsOf: folder.file("watch.log"), encoding: .utf8)
        #expect(!said.contains("belongs to"), "\(said)")
    }

    @Test("If the server has asked to wait, watch says until when, and how much waits") func busy() async throws {
        let server = try await folder.server(flags: ["--session-rate", "0.001", "--session-burst", "1"])
        let device = Device(folder, "a", server: server.url)
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Tea")
        let watch = try await device.start("watch")
        var said = ""
        while !said.contains("to be sent.") {
            try Task.checkCancellation()
            await Task.yield()
            said = try String(contentsOf: folder.file("watch.log"), encoding: .utf8)
        }
        #expect(said.contains(#/The server is busy until .*; 1 change waits to be sent\./#), "\(said)")
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }

    @Test("After discover --auto-look, watch looks itself, and reports who is found") func looking() async throws {
        let server = try await folder.server()
        let (ada, ben) = (Device(folder, "ada", server: server.url), Device(folder, "ben", server: server.url))
        try await ada.json("session", "new")
        let account = try await ada.account()
        try await folder.addIdentity("ada@example.com", to: account)
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEMAIL:ada@example.com\r\nEND:VCARD\r\n"
        try await ben.json("contacts", "add-source", try folder.write(card, to: "ben.vcf"))
        try await ben.json("--offline", "discover", "--auto-look")
        let watch = try await ben.start("watch", "--json")
        var iterator = watch.lines.makeAsyncIterator()
        let told = await lines(&iterator) { $0.contains(#""collection":"match""#) && $0.contains(account) }
        #expect(told.last?.contains(account) == true, "\(told)")
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }

    @Test("Matches that another process in the folder finds are reported") func matches() async throws {
        let server = try await folder.server()
        let (ada, ben) = (Device(folder, "ada", server: server.url), Device(folder, "ben", server: server.url))
        try await ada.json("session", "new")
        let account = try await ada.account()
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEMAIL:ada@example.com\r\nEND:VCARD\r\n"
        try await ben.json("contacts", "add-source", try folder.write(card, to: "ben.vcf"))
        try await ben.json("discover")
        try await ben.json("lists", "create", "Here")
        let watch = try await ben.start("watch", "--json")
        var iterator = watch.lines.makeAsyncIterator()
        _ = await lines(&iterator) { $0.contains("Here") }
        try await folder.addIdentity("ada@example.com", to: account)
        try await ben.json("discover", "--again")
        let line = try #require(await lines(&iterator) { $0.contains(#""collection":"match""#) }.last)
        let news = try JSON(parsing: line)
        #expect(news["origin"] == "elsewhere")
        #expect(news["added"].elements.map { $0["name"] } == ["Ada"])
        watch.signal(SIGINT)
        #expect(await watch.ended() == 0)
    }
}
