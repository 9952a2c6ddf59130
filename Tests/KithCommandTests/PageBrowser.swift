import Foundation
import Processes
import Testing

/// Debian's Chromium, which `Tests/Peers/pages_browser.py` drives with selenium.
enum PageBrowser {
    /// Why the tests with a browser are skipped; nil if they can run.
    static let missing = Peers.missing(
        "selenium", "axe_playwright_python",
        programs: ["/usr/bin/chromium": "chromium", "/usr/bin/chromedriver": "chromium-driver"])

    /// Accepts a link with an email, opens share links, and returns what the browser has seen. The codes are in the folder
    /// `outbox`. If the variable `KITH_SHOTS` names a folder, screenshots of the pages are saved there.
    static func accept(_ link: String, email: String, outbox: String, shares: [String]) async throws -> JSON {
        let shots = ProcessInfo.processInfo.environment["KITH_SHOTS"].map { [$0] } ?? []
        let run = try await FinishedProcess(
            Peers.python,
            [Peers.script("pages_browser.py"), link, outbox, email, shares.joined(separator: ",")] + shots)
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        return try JSONDecoder().decode(JSON.self, from: run.output)
    }
}
