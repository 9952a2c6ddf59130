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

    @Test(
        "A person opens a link, gets a code by email, and is in the list; the pages are accessible and fit on a phone")
    func accepting() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        let name = "Groceries <b>&</b> " + String(repeating: "W", count: 100)
        try await ada.json("lists", "create", name)
        let link = try #require(try await ada.json("lists", "share", name)["link"]["url"].text)
        let seen = try await PageBrowser.accept(
            link, email: "ben@example.com", outbox: folder.file("server.sqlite").path() + ".outbox")
        #expect(seen["scripts"] == "off")
        #expect(
            seen["headings"].elements.compactMap(\.text) == [
                "You are invited to a list", "You are invited to a list", "Enter the code", "Enter the code",
                "You have joined the list", "This link does not exist",
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
