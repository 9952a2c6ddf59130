import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite(
    "A link in Debian’s Chromium, without JavaScript",
    .enabled(if: PageBrowser.missing == nil, "\(PageBrowser.missing ?? "")"))
struct PageBrowserTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Shares in two programmes, of which the second is paused.
    ///
    /// - Returns: The links, and one with a code that nobody has.
    private func share(by device: Device) async throws -> [String] {
        let long = String(repeating: "W", count: 100)
        let paused = try folder.write(
            #"{"name": "paused", "title": {"en": "Another week \#(long)"}, "text": {"en": "\#(long)"}}"#,
            to: "paused.json")
        let sample = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Samples/friends.json")
            .standardizedFileURL.path()
        for arguments in [["create", sample], ["create", paused]] { try await programme(arguments) }
        var links: [String] = []
        for name in ["friends", "paused"] {
            let made = try await device.json("share", "link", "--programme", name)
            links.append(try #require(made["link"].text))
        }
        try await programme(["pause", "paused"])
        let code = try #require(links[0].split(separator: "/").last)
        return links + [String(links[0].dropLast(code.count)) + "NOBODY-HAS-IT"]
    }

    private func programme(_ arguments: [String]) async throws {
        let run = try await Program.built.run(
            ["admin", "programme"] + arguments + ["--database", folder.file("server.sqlite").path()], in: folder)
        try #require(run.status == 0, "\(run.complaints)")
    }

    @Test(
        "A person opens a link, gets a code by email, and is in the list; the pages are accessible and fit on a phone")
    func accepting() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        let name = "Groceries <b>&</b> " + String(repeating: "W", count: 100)
        try await ada.json("lists", "create", name)
        let link = try #require(try await ada.json("lists", "share", name)["link"]["url"].text)
        let shares = try await share(by: ada)
        let seen = try await PageBrowser.accept(
            link, email: "ben@example.com", outbox: folder.file("server.sqlite").path() + ".outbox", shares: shares)
        #expect(seen["scripts"] == "off")
        #expect(
            seen["headings"].elements.compactMap(\.text) == [
                "You are invited to a list", "You are invited to a list", "Enter the code", "Enter the code",
                "You have joined the list", "This link does not exist", "A week of tea, for you and for a friend",
                "Another week " + String(repeating: "W", count: 100), "This code does not exist",
            ])
        for finding in ["violations", "wide", "foreign", "cookies", "console"] {
            #expect(seen[finding].elements.isEmpty, "\(finding): \(seen[finding])")
        }
        try await ada.json("sync")
        #expect(try await ada.json("lists", "members", name)["members"].elements.count == 2)

        // The command takes the link of the button that opens the app.
        let app = try #require(seen["app"].text)
        #expect(app.hasPrefix("kith://127.0.0.1:"))
        let eve = Device(folder, "eve", server: server.url)
        #expect(try await eve.json("lists", "accept", app)["list"]["name"].text == name)
        try await server.stop()
    }
}
