import Foundation
import Kith
import Processes
import Testing

@Suite("Santa", .timeLimit(.minutes(15))) struct SantaTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "kith-santa-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let server: ServerProcess

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        server = ServerProcess(
            World.program("kith"), database: folder.appending(path: "server.sqlite"),
            complaints: folder.appending(path: "server.log"))
    }

    /// Plays while the server runs. Nothing is left of it.
    private func playing(_ play: () async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await server.start()
        do {
            try await play()
        } catch {
            await server.kill()
            throw error
        }
        await server.kill()
    }

    private func start(_ name: String, at address: URL) async throws -> SantaPlayer {
        let data = folder.appending(path: name).path(percentEncoded: false)
        let player = try await SantaPlayer(name, in: folder, ["--server", address.absoluteString, "--data", data])
        let menu = try await player.untilQuestion()
        #expect(menu.contains { $0.hasPrefix("1 state") } && menu.last == "What now?")
        return player
    }

    /// Runs a command of the operator.
    private func admin(_ arguments: String...) async throws -> String {
        let run = try await FinishedProcess(
            World.program("kith"),
            ["admin"] + arguments + ["--database", folder.appending(path: "server.sqlite").path(percentEncoded: false)])
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        return String(decoding: run.output, as: UTF8.self)
    }

    private func makeProgramme() async throws {
        let file = folder.appending(path: "friends.json")
        let programme = """
            {"name": "friends", "title": {"en": "Wishes"}, "text": {"en": "Look what I wish for."},
             "rewards": {"advocate": {"name": "star", "title": {"en": "A star"}}}, "guards": {"soonest-seconds": null}}
            """
        try Data(programme.utf8).write(to: file)
        _ = try await admin("programme", "create", file.path(percentEncoded: false))
    }

    /// The code in the newest email.
    private func code() async throws -> String {
        while true {
            let lines = try await admin("outbox", "show").split(separator: "\n").map(String.init)
            if let code = lines.first(where: { $0.wholeMatch(of: /\s*[0-9]{6}/) != nil }) { return code }
            try Task.checkCancellation()
        }
    }

    /// A page of the server.
    private func html(_ path: String) async throws -> String {
        let shown = try await SystemTransport(server: server.url).send(TransportRequest(method: "GET", path: path))
        #expect(shown.status == 200)
        return String(decoding: shown.body, as: UTF8.self)
    }

    /// Sends the first form of the page of a share link, as a browser does: “I give this”.
    private func give(_ html: String) async throws {
        let action = try #require(html.firstMatch(of: /action="\.\.(\/v1\/public\/[^"]+)"/)?.1)
        let item = try #require(html.firstMatch(of: /name="item" value="([^"]+)"/)?.1)
        let form = TransportRequest(
            method: "POST", path: String(action), body: Data("item=\(item)&ticked=yes".utf8),
            contentType: "application/x-www-form-urlencoded")
        // The answer sends the browser back to the page. The SDK follows no redirect, and throws.
        let transport = SystemTransport(server: server.url)
        await #expect(throws: KithError.self) { try await transport.send(form) }
    }

    @Test("Ada shares her wish list, Ben comes by her link, and she is rewarded") func story() async throws {
        try await playing {
            try await makeProgramme()
            let ada = try await start("ada", at: server.url)
            _ = try await ada.types("state", untilAnswer: "state: anonymous; ready to share")
            try await ada.types("name Ada")
            try await ada.types("wish Telescope")
            #expect(try await ada.types("4").contains("• Telescope"))
            let page = try await ada.types("page", untilAnswer: server.url.absoluteString)
            let path = try #require(URL(string: page)).path
            let html = try await html(path)
            #expect(html.contains("Look what I wish for.") && html.contains("Telescope"), "\(html)")
            try await give(html)
            #expect(try await self.html(path).contains(">Taken<"))
            let wishes = try await ada.types("wishes")
            #expect(wishes == ["• Telescope", "What now?"], "She does not learn that somebody gives it.")
            #expect(try await ada.types("share message").last == "Have you sent it? (y/n)")
            #expect(try await ada.types("n").contains("Nothing was shared."))
            #expect(try await ada.types("share message").contains { $0.contains("/s/") })
            #expect(try await ada.types("y").contains("shared: message"))

            let ben = try await start("ben", at: server.url)
            try await ben.types("name Ben")
            try await ben.types("use \(page)")
            #expect(try await ben.types("identify ben@example.com").last?.hasPrefix("The code in") == true)
            let code = try await code()
            #expect(try await ben.types(code).contains("identified: ben@example.com"))
            #expect(try await ben.types("who").contains("email: ben@example.com; 1 proved"))
            _ = try await ben.types("state", untilAnswer: "state: identified; ready to share")

            _ = try await ada.types("friends", untilAnswer: "reward: A star")
            #expect(try await ada.types("friends").contains { $0.hasPrefix("friend: ") && $0.hasSuffix(", granted") })
            let log = try await ada.types("log")
            #expect(log.contains { $0.hasPrefix("debug A round has ended.") })
            #expect(!log.contains { $0.contains("Ada") || $0.contains("Telescope") || $0.contains("/s/") })
            #expect(try await ada.quits() == 0)
            #expect(try await ben.quits() == 0)
        }
    }

    @Test("A saved token brings a session back after another one was begun, and a log-out ends it") func token()
        async throws
    {
        try await playing {
            let ada = try await start("ada", at: server.url)
            try await ada.types("wish Telescope")
            _ = try await ada.types("state", untilAnswer: "state: anonymous; ready to share; 0 edits wait")
            let account = try #require(try await ada.types("who").first { $0.hasPrefix("account: ") })
            #expect(try await ada.types("save").contains("saved"))
            try await ada.types("new")
            let other = try #require(try await ada.types("who").first { $0.hasPrefix("account: ") })
            #expect(other != account)
            #expect(try await ada.types("restore").contains("restored: \(account.dropFirst("account: ".count))"))
            #expect(try await ada.types("wishes").contains("• Telescope"))
            _ = try await ada.types("out")
            _ = try await ada.types("state", untilAnswer: "state: loggedOut; not ready to share")
            #expect(try await ada.types("restore").contains { $0.hasPrefix("unauthorized: ") }, "The token has ended.")
            #expect(try await ada.quits() == 0)
        }
    }

    @Test("Wishes are kept without a server, also after a restart, and an error is a sentence") func offline()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let nobody = try #require(URL(string: "http://127.0.0.1:1"))
        let ada = try await start("ada", at: nobody)
        try await ada.types("wish Telescope")
        #expect(try await ada.types("link").contains { $0.hasPrefix("offline: ") })
        #expect(try await ada.types("state").contains { $0.hasPrefix("state: initial; not ready to share") })
        #expect(try await ada.types("nonsense").contains { $0.hasPrefix("1 state") })
        #expect(try await ada.quits() == 0)
        try FileManager.default.removeItem(at: folder.appending(path: "ada.pipe"))
        let again = try await start("ada", at: nobody)
        #expect(try await again.types("wishes").contains("• Telescope"))
        #expect(try await again.quits() == 0)
    }

    @Test("Wrong usage ends with the code 2") func usage() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for arguments in [["--nonsense", "x"], ["--data"]] {
            let run = try await FinishedProcess(World.program("Santa"), arguments)
            #expect(run.status == 2)
            #expect(String(decoding: run.output, as: UTF8.self).hasPrefix("usage: Santa"))
        }
    }
}
