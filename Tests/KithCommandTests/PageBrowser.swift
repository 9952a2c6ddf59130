import Foundation
import Processes
import Testing

/// Debian's Chromium, driven by selenium, and what it has seen: `Tests/Peers/pages_browser.py`.
enum PageBrowser {
    private static let project = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// Why the tests with a browser are skipped; nil if they can run.
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

    /// Accepts a link with an email. The codes are in the folder `outbox`. With `KITH_SHOTS`, a folder, pictures of the
    /// pages are kept there.
    static func accept(_ link: String, email: String, outbox: String) async throws -> JSON {
        let script = project.appending(path: "Tests/Peers/pages_browser.py").path
        let shots = ProcessInfo.processInfo.environment["KITH_SHOTS"].map { [$0] } ?? []
        let run = try await FinishedProcess(
            project.appending(path: ".build/peers/bin/python"), [script, link, outbox, email] + shots)
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        return try JSONDecoder().decode(JSON.self, from: run.output)
    }
}
