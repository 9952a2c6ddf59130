import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Signing in at a real issuer, from the command line", .skipped(if: MockIssuer.missing))
struct LoginTests {
    private let folder = Folder()

    /// How a `kith session login` ended.
    private struct Login {
        let status: Int32
        let output: String
        let complaints: String
    }

    /// Runs `kith session login` on a device, with a browser that signs in as `subject`.
    private func attempt(
        _ device: Device, _ issuer: MockIssuer, as subject: String, _ flags: [String] = []
    ) async throws -> Login {
        let log = folder.file("login-\(UUID().uuidString).log")
        let command = try await ChildProcess(
            Program.built.url, ["session", "login", "--issuer", "mock", "--json"] + device.options + flags,
            complaints: log)
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
        return Login(
            status: await command.ended(), output: lines.last ?? "",
            complaints: (try? String(contentsOf: log, encoding: .utf8)) ?? "")
    }

    /// The same for a login that must succeed: the object that it prints.
    private func login(
        _ device: Device, _ issuer: MockIssuer, as subject: String, _ flags: String...
    ) async throws -> JSON {
        let login = try await attempt(device, issuer, as: subject, flags)
        try #require(login.status == 0, "\(login.complaints)")
        return try JSON(parsing: login.output)
    }

    /// A server that lets people sign in at `issuer`.
    private func server(_ issuer: MockIssuer) async throws -> ServerProcess {
        try await folder.server(flags: ["--issuers-file", try issuer.write(to: folder).path()])
    }

    @Test("A device signs in with a browser; a second one switches to its account; the identity is removed")
    func browser() async throws {
        let issuer = try await MockIssuer(in: folder)
        let server = try await server(issuer)
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
        #expect(try await tablet.listNames() == ["Groceries", "Mine"])

        // The operator trusts this issuer with emails.
        let own = try await tablet.json("session", "identities")
        #expect(own["identities"].elements.map { $0["identity"] } == ["mailto:ada@example.com"])
        #expect(own["issuers"].elements.map { $0["name"] } == ["mock"])
        try await tablet.json("session", "identities", "--remove", "mock")
        #expect(try await tablet.json("session", "identities")["issuers"].elements.isEmpty)
        #expect(try await tablet.json("session", "show")["state"] == "identified", "The account still has the email.")
        let late = try await phone.run("--json", "session", "login", "--timeout", "1")
        #expect(late.status == 1 && late.complaints.contains(#""timeout""#), "\(late.complaints)")
        let unknown = try await phone.run("session", "login", "--issuer", "unknown")
        #expect(unknown.status == 6 && unknown.complaints.contains("mock"))
        await issuer.stop()
    }

    /// What is wrong with the token that ``MockIssuer`` gives to a user of this name, and a part of the refusal.
    private static let hostile = [
        ("none", "algorithm that is not permitted"), ("none-unsigned", "not signed"),
        ("hs256-pem", "algorithm that is not permitted"), ("hs256-jwk", "algorithm that is not permitted"),
        ("aud", "(aud)"), ("iss", "(iss)"), ("nonce", "(nonce)"), ("kid", "a key that it does not have"),
        ("signature", "signature of its token is wrong"),
    ]

    @Test("A hostile id token of a real issuer is refused with its reason, and the device stays as it was")
    func hostileTokens() async throws {
        let issuer = try await MockIssuer(in: folder)
        let server = try await server(issuer)
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("sync")
        let account = try await phone.json("session", "show")["account"]
        for (user, reason) in Self.hostile {
            let refused = try await attempt(phone, issuer, as: user)
            #expect(refused.status != 0 && refused.complaints.contains(reason), "\(user): \(refused.complaints)")
        }
        let session = try await phone.json("session", "show")
        #expect(session["state"] == "anonymous" && session["account"] == account)
        #expect(try await phone.json("session", "identities")["issuers"].elements.isEmpty)
        // The refusals are not the issuer's fault in general: a token that it signs in the same way is accepted.
        #expect(try await login(phone, issuer, as: "resigned")["account"] == account)
        await issuer.stop()
    }
}
