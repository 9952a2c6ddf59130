import Foundation
import KithModel
import Processes
import Testing

@Suite("Passkeys, with a real browser") struct PasskeyBrowserTests {
    /// Why the test is skipped; nil if it can run.
    static let missing: String? = {
        #if os(Linux)
            return Peers.missing(
                "selenium", programs: ["/usr/bin/chromium": "chromium", "/usr/bin/chromedriver": "chromium-driver"])
        #else
            return "This system has no libfido2"
        #endif
    }()

    @Test(
        "Chromium adds a passkey and signs in another device with it; no request contains the ticket",
        .skipped(if: missing), .timeLimit(.minutes(15)))
    func browser() async throws {
        let folder = Folder()
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        try await tablet.json("lists", "create", "Mine")
        try await tablet.json("sync")
        let run = try await FinishedProcess(
            Peers.python,
            [
                Peers.script("passkey_browser.py"), Program.built.url.path,
                server.url.absoluteString, folder.url.path,
            ])
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        let result = try JSONDecoder().decode(JSON.self, from: run.output)

        #expect(result["unverified"] == "failed")
        #expect(result["adding"] == "done" && result["fragment"] == "" && result["used ticket"] == "failed")
        let credential = try #require(result["credentials"].elements.first)
        #expect(credential["isResidentCredential"] == true && credential["rpId"] == "localhost")
        let account = try await phone.account()
        #expect(try await phone.json("session", "show")["state"] == "identified")

        #expect(result["name"].text?.contains("Tablet") == true && result["signing in"] == "done")
        #expect(result["signed in"]["account"].text == account && result["signed in"]["isOtherAccount"] == true)
        #expect(result["signed in"]["hidden"].elements.count == 1)
        #expect(try await tablet.json("lists")["lists"].elements.map { $0["name"] } == ["Groceries"])
        let devices = try await phone.json("session", "devices")["sessions"].elements
        #expect(devices.map { $0["device"] }.contains("Tablet"))

        #expect(result["copied"] == "failed" && result["detail"].text?.contains("counter") == true)
        #expect(result["reason"].text?.hasPrefix("The passkey was not accepted.") == true)
        #expect(result["tickets in requests"].elements.isEmpty && result["referrers"].elements.isEmpty)
        #expect(result["other addresses"].elements.isEmpty, "\(result["other addresses"])")
        #expect(result["faults"].elements.isEmpty, "\(result["faults"])")

        let passkeys = try await phone.json("session", "passkey")["passkeys"].elements
        #expect(passkeys.count == 1 && passkeys[0]["name"] == "Chromium" && passkeys[0]["used"] != .null)
        let id = try #require(passkeys[0]["id"].text)
        let refused = try await phone.run("session", "passkey", "remove", id)
        #expect(refused.status == 64 && refused.complaints.contains("last way"))
        try await phone.json("session", "passkey", "remove", id, "--yes")
        #expect(try await phone.json("session", "show")["state"] == "anonymous")
        try await server.stop()
    }
}
