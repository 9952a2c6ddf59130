import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Hidden data on a device is always reported") struct AccountTests {
    private let folder = Folder()

    /// A device whose anonymous account has a list of three items on the server, and one item that was not sent.
    private func phone(_ server: ServerProcess) async throws -> (device: Device, account: String, token: String) {
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("items", "add", "Groceries", "Bread", "Milk", "Tea")
        try await phone.json("sync")
        try await phone.json("--offline", "items", "add", "Groceries", "Unsent")
        let session = try await phone.json("session", "--token")
        return (phone, try #require(session["account"].text), try #require(session["token"].text))
    }

    /// The token of another account, which has a list of its own.
    private func otherToken(_ server: ServerProcess) async throws -> String {
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("lists", "create", "Gifts")
        try await tablet.json("sync")
        return try await tablet.token()
    }

    @Test("Trap: taking over a session hides lists and unsent edits") func sessionUse() async throws {
        let server = try await folder.server()
        let (phone, account, _) = try await phone(server)
        let use = try await phone.run("session", "use", try await otherToken(server))
        #expect(use.status == 0, "\(use.complaints)")
        let id = String(account.suffix(8))
        #expect(use.complaints.contains("No longer shown: account \(id), with 1 list, 1 unsent edit."))
        #expect(use.complaints.contains("kith --account \(id) lists"))
        #expect(use.complaints.contains("kith move-lists --from \(id)"))
        #expect(try await phone.listNames() == ["Gifts"])

        let accounts = try await phone.json("accounts")["accounts"].elements
        #expect(accounts.map { $0["lists"] } == [1, 1])
        #expect(accounts.map { $0["waiting"] } == [1, 0])
        #expect(accounts.map { $0["current"] } == [false, true])
        #expect(accounts.allSatisfy { $0["address"].text?.contains(":\(server.url.port ?? 0)") == true })
        let status = try await phone.run("status").output
        #expect(!status.contains("Everything is sent") && status.contains("kith --account \(id) sync"), "\(status)")
        #expect(try await phone.json("status")["otherAccounts"].elements.map { $0["waiting"] } == [1])
        #expect(try await phone.run("sync").complaints.contains("kith --account \(id) sync"))
        let all = try await phone.json("lists", "--all-accounts")["accounts"].elements
        #expect(all.map { $0["lists"].elements.map { $0["items"] } } == [[4], [0]])

        // Without --server: the account knows its own.
        let sent = try await Program.built.run(["--account", id, "sync", "--data", phone.data], in: folder)
        #expect(sent.status == 0, "\(sent.complaints)")
        #expect(try await phone.run("status").output.contains("Everything is sent."))
        let exported = try await phone.run("--account", id, "lists", "export", "Groceries", "--format", "text")
        #expect(exported.output == "Bread\nMilk\nTea\nUnsent\n")
        try await phone.json("--account", "1", "items", "tick", "Groceries", "Tea")
        #expect(try await phone.json("session", "use", id)["account"].text == account)
        #expect(try await phone.json("items", "Groceries")["items"].elements.map { $0["ticked"] }[2] == true)
    }

    @Test("A script keeps, moves or drops hidden stores", arguments: ["--keep", "--move", "--drop"])
    func choices(flag: String) async throws {
        let server = try await folder.server()
        let (phone, account, _) = try await phone(server)
        let token = try await otherToken(server)
        let run = try await phone.run("session", "use", token, flag)
        #expect(run.status == 0, "\(run.complaints)")
        let stores = try await phone.json("accounts")["accounts"].elements
        let old = stores.first { $0["account"].text == account }
        switch flag {
        case "--keep": #expect(old?["lists"] == 1 && old?["waiting"] == 1)
        case "--move":
            #expect(try await phone.listNames() == ["Gifts", "Groceries"])
            #expect(try await phone.titles("Groceries") == ["Bread", "Milk", "Tea", "Unsent"])
            #expect(old?["lists"] == 0 && old?["waiting"] == 0)
        default:
            #expect(old == nil)
            #expect(
                run.complaints.contains("account \(account.suffix(8)): 1 list, 1 unsent edit."), "\(run.complaints)")
            let warning = "cannot be opened again without its token or a recovery code."
            #expect(run.complaints.contains(warning), "\(run.complaints)")
        }
        #expect(try await phone.run("session", "use", token, "--keep", "--drop").status == 64)
    }

    @Test("Trap: after a refused token nothing is shown, and everything is said to be sent") func refusedToken()
        async throws
    {
        let server = try await folder.server()
        let (phone, account, token) = try await phone(server)
        let other = Device(folder, "other", server: server.url)
        try await other.json("session", "use", token)
        try await other.json("session", "logout", "--yes")

        let sync = try await phone.run("sync")
        #expect(sync.status == 0, "\(sync.complaints)")
        #expect(
            sync.complaints.contains("A new session is open. It has taken over what was not sent: “Groceries”."),
            "\(sync.complaints)")
        // The list with the unsent edit has gone to the new account, and is sent.
        #expect(try await phone.json("session", "show")["account"].text != account)
        #expect(try await phone.titles("Groceries") == ["Bread", "Milk", "Tea", "Unsent"])
        #expect(try await phone.run("status").output.contains("Everything is sent."))
    }

    @Test("Trap: when an operator deletes the account, its lists disappear") func deletedAccount() async throws {
        let server = try await folder.server()
        let (phone, account, _) = try await phone(server)
        let deleted = try await folder.admin("account", "delete", account, "--yes")
        #expect(deleted.status == 0, "\(deleted.complaints)")
        let sync = try await phone.run("sync")
        #expect(sync.status == 4 && sync.complaints.contains("kith accounts"), "\(sync.complaints)")
        #expect(try await phone.titles("Groceries") == ["Bread", "Milk", "Tea", "Unsent"])
        let new = try await phone.run("session", "new")
        #expect(new.status == 0 && new.complaints.contains("No longer shown"), "\(new.complaints)")
        #expect(try await phone.run("--account", String(account.prefix(13)), "items", "Groceries").status == 0)
        try await phone.json("move-lists", "--from", account, "Groceries")
        try await phone.json("sync")
        #expect(try await phone.titles("Groceries") == ["Bread", "Milk", "Tea", "Unsent"])
        #expect(try await phone.json("status")["status"]["waiting"] == 0)
    }

    @Test("Trap: one wrong --server signs the device out of the right one") func wrongServer() async throws {
        let (right, wrong) = (try await folder.server(), try await folder.server("wrong"))
        let (phone, account, _) = try await phone(right)
        let lost = Device(folder, "phone", server: wrong.url)
        let sync = try await lost.run("--json", "sync")
        #expect(sync.status == 5)
        #expect(try sync.error["code"] == "otherServer")
        let sentence = try #require(try sync.error["sentence"].text)
        #expect(sentence.contains("belongs to") && sentence.contains("Nothing was sent"), "\(sentence)")
        #expect(sentence.contains("kith session new") && sentence.contains("kith accounts"), "\(sentence)")
        let edit = try await lost.run("items", "add", "Groceries", "Soap")
        #expect(edit.status == 0 && edit.complaints.contains("2 changes wait"), "\(edit.complaints)")
        #expect(edit.complaints.contains("The edit is saved here and waits: the account belongs"))
        #expect(!edit.complaints.contains("nothing has changed"), "\(edit.complaints)")
        let session = try await phone.json("session")
        #expect(session["state"] == "anonymous" && session["account"].text == account)
        try await phone.json("sync")
        #expect(try await phone.json("status")["status"]["waiting"] == 0)
    }

    @Test("A log-out while offline keeps the lists, and the server is told later") func offlineLogOut() async throws {
        let server = try await folder.server()
        let (phone, account, token) = try await phone(server)
        await server.kill()
        let asked = try await phone.run("session", "logout")
        #expect(asked.status == 64 && asked.complaints.contains("--move"), "\(asked.complaints)")
        let warning = "Only a recovery code opens an anonymous account again"
        #expect(asked.complaints.contains(warning), "\(asked.complaints)")
        let out = try await phone.run("session", "logout", "--yes")
        #expect(out.status == 0 && out.complaints.contains("The server could not be notified"), "\(out.complaints)")
        #expect(out.complaints.contains("No longer shown"))
        #expect(try await phone.json("--account", String(account.suffix(8)), "lists")["lists"].elements.count == 1)
        try await server.start()
        _ = try await phone.run("sync")
        let other = Device(folder, "other", server: server.url)
        #expect(try await other.run("session", "use", token).status == 4)
    }

    @Test(
        "Logging out and deleting an account can move the lists to the store without an account",
        arguments: [
            "logout", "delete",
        ])
    func moving(command: String) async throws {
        let server = try await folder.server()
        let (phone, _, _) = try await phone(server)
        try await phone.json("session", command, "--move")
        #expect(try await phone.titles("Groceries") == ["Bread", "Milk", "Tea", "Unsent"])
        #expect(try await phone.json("session")["state"] == "loggedOut")
    }

    @Test("Lists move between any two accounts; the error about a wrong name suggests the nearest") func between()
        async throws
    {
        let server = try await folder.server()
        let (phone, account, _) = try await phone(server)
        try await phone.json("session", "new")
        try await phone.json("move-lists", "--from", account, "--to", "userless")
        #expect(try await phone.listNames("--account", "userless") == ["Groceries"])
        #expect(try await phone.json("move-lists")["moved"].elements.count == 1)
        #expect(try await phone.listNames() == ["Groceries"])
        #expect(try await phone.run("move-lists", "--from", "nobody").status == 6)
        #expect(try await phone.run("--account", "nobody", "lists").status == 6)
        #expect(try await phone.run("move-lists", "--back", "--to", "userless").status == 64)
        let dropped = try await phone.run("drop-data", account)
        #expect(dropped.status == 64 && dropped.complaints.contains("--yes"))
        #expect(try await phone.json("drop-data", account, "--yes")["dropped"].text == account)
        #expect(try await phone.json("accounts")["accounts"].elements.allSatisfy { $0["account"].text != account })
    }
}
