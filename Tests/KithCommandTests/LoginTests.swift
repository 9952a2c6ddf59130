import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite(
    "Signing in at a real issuer, from the command line",
    .enabled(if: MockIssuer.missing == nil, "\(MockIssuer.missing ?? "")"))
struct LoginTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Runs `kith session login` on a device, with a browser that signs in as `subject`.
    private func login(
        _ device: Device, _ issuer: MockIssuer, as subject: String, _ flags: String...
    ) async throws -> JSON {
        let log = folder.file("login-\(UUID().uuidString).log")
        let place = ["--json", "--data", device.data, "--server", device.server?.absoluteString ?? ""]
        let command = try await ChildProcess(
            Program.built.url, ["session", "login", "--issuer", "mock"] + place + flags, complaints: log)
        var address: Substring?
        while address == nil {
            try Task.checkCancellation()
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            address = text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1).first {
                $0.hasPrefix(issuer.url)
            }
            await Task.yield()
        }
        try await issuer.browse(String(address ?? ""), as: subject, in: folder)
        var lines: [String] = []
        for await line in command.lines { lines.append(line) }
        let status = await command.ended()
        let complaints = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        try #require(status == 0, "\(complaints)")
        return try JSONDecoder().decode(JSON.self, from: Data((lines.last ?? "").utf8))
    }

    @Test("A device signs in with a browser; a second one switches to its account; the identity is removed")
    func browser() async throws {
        let issuer = try await MockIssuer(in: folder)
        let server = ServerProcess(
            Program.built.url, database: folder.file("server.sqlite"), complaints: folder.file("server.log"),
            flags: ["--issuers-file", try issuer.write(to: folder).path()])
        try await server.start()
        let phone = Device(folder, "phone", server: server.url)
        let tablet = Device(folder, "tablet", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        #expect(try await phone.json("session", "issuers")["issuers"].elements.map { $0["name"] } == ["mock"])
        let first = try await login(phone, issuer, as: "ada", "--device", "Ada's phone")
        #expect(first["isOtherAccount"] == false && first["issuer"] == "mock")
        #expect(try await phone.json("session", "show")["state"] == "identified")
        try await phone.json("sync")

        try await tablet.json("lists", "create", "Mine")
        try await tablet.json("sync")
        let second = try await login(tablet, issuer, as: "ada", "--move")
        #expect(second["isOtherAccount"] == true && second["account"] == first["account"])
        #expect(second["choice"] == "move")
        let names = try await tablet.json("lists")["lists"].elements.compactMap { $0["name"].text }
        #expect(Set(names) == ["Groceries", "Mine"])

        // The operator trusts this issuer with emails.
        let own = try await tablet.json("session", "identities")
        #expect(own["identities"].elements.map { $0["identity"] } == ["mailto:ada@example.com"])
        #expect(own["issuers"].elements.map { $0["name"] } == ["mock"])
        try await tablet.json("session", "identities", "--remove", "mock")
        #expect(try await tablet.json("session", "identities")["issuers"].elements.isEmpty)
        #expect(try await tablet.json("session", "show")["state"] == "identified", "The account still has the email.")
        let unknown = try await phone.run("session", "login", "--issuer", "unknown")
        #expect(unknown.status == 6 && unknown.complaints.contains("mock"))
        try await server.stop()
        await issuer.stop()
    }
}
