import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Mistakes with sessions change nothing, and their errors use the terms of the command line")
struct SessionMistakesTests {
    private let folder = Folder()

    /// A device whose anonymous account has a list on the server, and the account's token.
    private func phone(_ server: ServerProcess) async throws -> (device: Device, id: String, token: String) {
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Mine")
        try await phone.json("sync")
        let session = try await phone.json("session", "--token")
        return (phone, String(try #require(session["account"].text).suffix(8)), try #require(session["token"].text))
    }

    /// Ends the session of a token on the server.
    private func revoke(_ token: String, _ server: ServerProcess) async throws {
        let thief = Device(folder, "thief-\(UUID().uuidString)", server: server.url)
        try await thief.json("session", "use", token)
        try await thief.json("session", "logout", "--yes")
    }

    private func accounts(_ device: Device) async throws -> Int {
        try await device.json("accounts")["accounts"].elements.count
    }

    @Test("Going back to an account with a refused token opens no session") func refusedStore() async throws {
        let server = try await folder.server()
        let (phone, id, token) = try await phone(server)
        try await phone.json("session", "new")
        let account = try await phone.json("session")["account"]
        let count = try await accounts(phone)
        try await revoke(token, server)
        for _ in 1...2 {
            let use = try await phone.run("session", "use", id)
            #expect(use.status == 4, "\(use.complaints)")
            #expect(use.complaints.contains("The server no longer accepts the token of account \(id)."))
            #expect(use.complaints.contains("kith move-lists --from \(id)"), "\(use.complaints)")
        }
        #expect(try await phone.json("session")["account"] == account)
        #expect(try await accounts(phone) == count)
        let states = try await phone.json("accounts")["accounts"].elements.map { $0["state"] }
        #expect(states.contains("invalidToken"))
        let sync = try await phone.run("--account", id, "sync")
        #expect(sync.status == 4 && sync.complaints.contains("kith move-lists --from \(id)"), "\(sync.complaints)")
        #expect(!sync.complaints.contains("session new"), "\(sync.complaints)")
    }

    @Test("Going to the current account opens no session in place of a refused one") func refusedCurrent() async throws
    {
        let server = try await folder.server()
        let (phone, id, token) = try await phone(server)
        try await revoke(token, server)
        let use = try await phone.run("session", "use", id)
        #expect(use.status == 4 && use.complaints.contains("kith session new --move"), "\(use.complaints)")
        #expect(use.complaints.contains("kith session recovery use CODE"), "\(use.complaints)")
        #expect(try await accounts(phone) == 1)
    }

    @Test("Going back to an account that is logged out says how to reach its lists") func loggedOut() async throws {
        let server = try await folder.server()
        let (phone, id, _) = try await phone(server)
        try await phone.json("session", "logout", "--yes")
        let use = try await phone.run("session", "use", id)
        #expect(use.status == 4 && use.complaints.contains("kith --account \(id) lists"), "\(use.complaints)")
        #expect(!use.complaints.contains("client.") && !use.complaints.contains("TOKEN"), "\(use.complaints)")
        let dropped = try await phone.run("drop-data", id)
        #expect(dropped.status == 64 && !dropped.complaints.contains("--token"), "\(dropped.complaints)")
    }

    @Test("A token that is missing on this device is not called refused, and the session works again with it")
    func missingToken() async throws {
        let server = try await folder.server()
        let (phone, id, token) = try await phone(server)
        try FileManager.default.removeItem(atPath: "\(phone.data)/credentials.json")
        let sync = try await phone.run("sync")
        #expect(sync.status == 4 && sync.complaints.contains("This device does not have the token of account \(id)."))
        #expect(sync.complaints.contains("kith session new --move"), "\(sync.complaints)")
        let shown = try await phone.run("status").output
        #expect(shown.contains("This device does not have the token of account \(id)."), "\(shown)")
        #expect(!(sync.complaints + shown).contains("accepts"), "\(sync.complaints) \(shown)")
        #expect(try await phone.json("accounts")["accounts"].elements.map { $0["state"] } == ["anonymous"])
        try await phone.json("session", "use", token)
        try await phone.json("sync")
        #expect(try await accounts(phone) == 1)
    }

    @Test("An edit that waits in an account whose token is missing is sent by signing in again, and the advice says so")
    func waitingWithoutToken() async throws {
        let server = try await folder.server()
        let (phone, id, _) = try await phone(server)
        try await phone.json("session", "register", "ada@example.com")
        try await phone.json("session", "verify", try await folder.outbox.code(0))
        try FileManager.default.removeItem(atPath: "\(phone.data)/credentials.json")
        try await phone.json("items", "add", "Mine", "Oat milk")
        try await phone.json("session", "new")
        let advice = try await phone.run("accounts").output
        #expect(advice.contains("1 edit waits in account \(id)"), "\(advice)")
        #expect(advice.contains("sign in again with what belongs to the account: kith session register"), "\(advice)")
        #expect(!advice.contains("move-lists"), "\(advice)")
    }

    @Test(
        "Trap: moving the lists of an account whose session has ended takes them from its other devices – the advice is to sign in again",
        arguments: [false, true])
    func waitingAfterTheEnd(isRefused: Bool) async throws {
        let server = try await folder.server()
        let (phone, id, _) = try await phone(server)
        try await phone.json("session", "register", "ada@example.com")
        try await phone.json("session", "verify", try await folder.outbox.code(0))
        let token = try await phone.token()
        try await phone.json("--offline", "items", "add", "Mine", "Oat milk")
        if isRefused {
            try await revoke(token, server)
            #expect(try await phone.run("sync").status == 4)
            try await phone.json("session", "new", "--keep")
        } else {
            let out = try await phone.run("--offline", "session", "logout", "--keep")
            #expect(out.status == 0 && out.complaints.contains("sign in again"), "\(out.complaints)")
            let asked = try await phone.run("move-lists", "--from", id)
            #expect(asked.status == 64 && asked.complaints.contains("Other devices of"), "\(asked.complaints)")
        }
        for command in [["accounts"], ["status"], ["session", "use", id]] {
            let run = try await phone.run(command)
            let told = run.output + run.complaints
            let advice = "sign in again with what belongs to the account: kith session register EMAIL"
            #expect(told.contains(advice), "\(told)")
            #expect(!told.contains("move-lists"), "\(told)")
        }
        #expect(try await phone.listNames("--account", id) == ["Mine"])
        try await phone.json("--offline", "move-lists", "--from", id, "--yes")
        #expect(try await phone.listNames("--account", id).isEmpty)
    }

    @Test("A word that is neither an account nor a token is not sent to the server") func noToken() async throws {
        let device = Device(folder, "device", server: URL(string: "http://127.0.0.1:9"))
        let use = try await device.run("session", "use", "nosuch")
        #expect(use.status == 6, "\(use.complaints)")
        #expect(use.complaints.contains("There is no account “nosuch” on this device, and it is no token."))
        #expect(try await device.run("session", "use", "-", input: "\n").status == 64)
    }

    @Test("A token that the server refuses changes nothing") func refusedToken() async throws {
        let server = try await folder.server()
        let (phone, id, _) = try await phone(server)
        let use = try await phone.run("session", "use", String(repeating: "A", count: 43))
        #expect(use.status == 4, "\(use.complaints)")
        #expect(use.complaints.contains("The server does not accept this token. Nothing has changed."))
        #expect(!use.complaints.contains("session new"), "\(use.complaints)")
        #expect(try await phone.json("session")["account"].text?.hasSuffix(id) == true)
    }

    @Test("A new session cannot be combined with --account; the command line itself reports that") func pinned()
        async throws
    {
        let server = try await folder.server()
        let (phone, id, _) = try await phone(server)
        try await phone.json("session", "new")
        for arguments in [["session", "new", "--move"], ["session", "use", "userless"]] {
            let run = try await phone.run(["--account", id] + arguments)
            #expect(run.status == 64 && run.complaints.contains("cannot be used with --account"), "\(run.complaints)")
            #expect(!run.complaints.contains("client"), "\(run.complaints)")
        }
        #expect(try await phone.json("--account", id, "session", "delete", "--move")["choice"] == "move")
    }

    @Test("--move says that other devices of the account lose the lists") func otherDevices() async throws {
        let server = try await folder.server()
        let (phone, id, token) = try await phone(server)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("session", "use", token)
        let new = try await phone.run("session", "new", "--move")
        #expect(
            new.complaints.contains("Moved 1 list from account \(id). Other devices of that account lose it."),
            "\(new.complaints)")
        try await tablet.json("sync")
        #expect(try await tablet.json("lists")["lists"].elements.isEmpty)
    }

    @Test("If an edit leads to a new session, the reason is printed first") func edit() async throws {
        let server = try await folder.server()
        let (phone, id, token) = try await phone(server)
        try await phone.json("lists", "create", "Other")
        try await phone.json("sync")
        try await revoke(token, server)
        let edit = try await phone.run("items", "add", "Mine", "Bread")
        let reason = try #require(edit.complaints.range(of: "The server no longer accepts the session's token."))
        let hidden = try #require(edit.complaints.range(of: "No longer shown: account \(id)"), "\(edit.complaints)")
        #expect(reason.upperBound <= hidden.lowerBound)
    }

    @Test("A note ends with the command that it names") func command() async throws {
        let server = try await folder.server()
        let (phone, _, _) = try await phone(server)
        try await phone.json("session", "logout", "--yes")
        let edit = try await phone.run("lists", "create", "Later")
        #expect(
            edit.complaints.contains(#/Saved here; \d+ changes? waits? to be sent\. [A-Z].*kith accounts\n/#),
            "\(edit.complaints)")
    }

    @Test("A log-out while another server answers says that the account's own server learns of it later")
    func elsewhere() async throws {
        let (own, wrong) = (try await folder.server(), try await folder.server("wrong"))
        let (_, _, token) = try await phone(own)
        let lost = Device(folder, "phone", server: wrong.url)
        let out = try await lost.run("session", "logout", "--yes")
        #expect(out.status == 0 && out.complaints.contains("is another one"), "\(out.complaints)")
        #expect((out.output + out.complaints).components(separatedBy: "Logged out").count == 2, "\(out.complaints)")
        _ = try await Device(folder, "phone", server: own.url).run("sync")
        let other = Device(folder, "other", server: own.url)
        #expect(try await other.run("session", "use", token).status == 4)
    }

    @Test("Logging out with --move offline changes nothing") func offlineMove() async throws {
        let server = try await folder.server()
        let (phone, _, token) = try await phone(server)
        let out = try await phone.run("--offline", "session", "logout", "--move")
        #expect(out.status == 3 && out.complaints.contains("Nothing was changed"), "\(out.complaints)")
        #expect(try await phone.json("session", "--token")["token"].text == token)
        #expect(try await phone.json("session", "logout", "--move")["choice"] == "move")
    }

    @Test("Rejections in another account are named") func rejections() async throws {
        let server = try await folder.server()
        let (phone, _, _) = try await phone(server)
        let reader = Device(folder, "reader", server: server.url)
        let link = try #require(
            try await phone.json("lists", "share", "Mine")["link"]["url"].text)
        try await reader.json("lists", "accept", link)
        try await reader.json("sync")
        let id = try await reader.account()
        try await phone.json("sync")
        try await reader.json("--offline", "items", "add", "Mine", "Bread")
        let member = try #require(
            try await phone.json("lists", "members", "Mine")["members"].elements.first { $0["account"].text == id })
        try await phone.json("lists", "remove-member", "Mine", try #require(member["account"].text))
        #expect(try await reader.run("sync").status == 5)
        try await reader.json("session", "new")
        let status = try await reader.run("status").output
        #expect(status.contains("kith --account \(id.suffix(8)) rejections"), "\(status)")
        #expect(try await reader.run("accounts").output.contains("Rejected"))
    }

    /// `script` runs a program at a terminal of its own.
    private static let script = Program(url: URL(filePath: "/usr/bin/script"))

    @Test(
        "At a terminal the lists are moved before the session ends, so that no edit waits in it",
        .enabled(if: FileManager.default.isExecutableFile(atPath: script.url.path()), "There is no “script” here."))
    func terminal() async throws {
        let server = try await folder.server()
        let (phone, id, _) = try await phone(server)
        let command =
            "'\(Program.built.url.path())' --data '\(phone.data)' --server '\(server.url.absoluteString)' session logout"
        let out = try await Self.script.run(
            ["--quiet", "--return", "--command", command, "/dev/null"], in: folder, input: "y\nmove\n")
        #expect(out.status == 0 && out.output.contains("Moved 1 list from account \(id)"), "\(out.output)")
        #expect(!out.output.contains("TOKEN") && !out.output.contains("waits"), "\(out.output)")
        let old = try await phone.json("accounts")["accounts"].elements.first {
            $0["account"].text?.hasSuffix(id) == true
        }
        #expect(old?["waiting"] == 0 && old?["lists"] == 0)
        #expect(try await phone.json("lists")["lists"].elements.map { $0["name"] } == ["Mine"])
    }
}
