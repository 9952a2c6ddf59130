import Foundation
import KithCommand
import Processes
import Testing

@Suite(
    "A link in Debian’s Chromium, without JavaScript",
    .enabled(if: PageBrowserTests.isMissing == nil, "\(PageBrowserTests.isMissing ?? "")"))
struct PageBrowserTests {
    private static let project = URL(filePath: #filePath).appending(path: "../../..").standardized
    private static let python = project.appending(path: ".build/peers/bin/python")

    /// Why the test is skipped; nil if it can run.
    static let isMissing: String? = {
        for program in ["/usr/bin/chromium", "/usr/bin/chromedriver"]
        where !FileManager.default.isExecutableFile(atPath: program) {
            return "\(program) is not installed: apt-get install chromium chromium-driver"
        }
        let library = project.appending(path: ".build/peers/lib")
        let pythons = (try? FileManager.default.contentsOfDirectory(atPath: library.path)) ?? []
        let isHere = pythons.contains { python in
            ["selenium", "axe_playwright_python"].allSatisfy {
                FileManager.default.fileExists(atPath: library.appending(path: "\(python)/site-packages/\($0)").path)
            }
        }
        return isHere ? nil : "selenium and axe-playwright-python are not installed: Scripts/peers"
    }()

    private let folder: Folder

    init() throws { folder = try Folder() }

    /// With `KITH_SHOTS`, a folder, the test keeps pictures of the pages there.
    @Test(
        "A person opens a link, gets a code by email, and is in the list; the pages are accessible and fit on a phone")
    func accepting() async throws {
        let server = try await folder.server()
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("lists", "create", "Groceries <b>&</b> \u{202E}more\u{202C}")
        try await ada.json("sync")
        let shared = try await ada.json("lists", "share", "Groceries <b>&</b> \u{202E}more\u{202C}")
        let link = try #require(shared["link"]["url"].text)
        let script = Self.project.appending(path: "Tests/Peers/pages_browser.py")
        let outbox = folder.file("server.sqlite").path() + ".outbox"
        var arguments = [script.path, link, outbox, "ben@example.com"]
        if let shots = ProcessInfo.processInfo.environment["KITH_SHOTS"] { arguments.append(shots) }
        let run = try await FinishedProcess(Self.python, arguments)
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        let seen = try JSONDecoder().decode(JSON.self, from: run.output)
        #expect(seen["scripts"] == "off")
        #expect(
            seen["headings"].elements.compactMap(\.text) == [
                "You are invited to a list", "You are invited to a list", "Enter the code", "Enter the code",
                "You have joined the list", "This link does not exist",
            ])
        #expect(seen["app"].text?.hasPrefix("kith://127.0.0.1:") == true)
        for finding in ["violations", "wide", "foreign", "cookies", "console"] {
            #expect(seen[finding].elements.isEmpty, "\(finding): \(seen[finding])")
        }

        // Ben signs in on a device, and has the list.
        try await ada.json("sync")
        #expect(try await ada.json("lists", "members", "Groceries")["members"].elements.count == 2)
        let accepted = try await Program.built.run(
            ["--data", folder.file("eve").path(), "lists", "accept", try #require(seen["app"].text)], in: folder)
        #expect(accepted.status == 0, "The link of the button: \(accepted.complaints)")
        try await server.stop()
    }
}
