import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("What a command does with a hidden store") struct StoreChoiceTests {
    private let folder = Folder()

    /// A device with a list of its own and one that has a public link.
    private func phone(_ server: ServerProcess) async throws -> (device: Device, account: String, id: String) {
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "Mine")
        try await phone.json("lists", "create", "Ours")
        try await phone.json("sync")
        let link = try #require(try await phone.json("lists", "share", "Ours")["link"]["url"].text)
        let other = Device(folder, "other", server: server.url)
        try await other.json("lists", "accept", link)
        try await other.json("sync")
        try await phone.json("sync")
        let account = try await phone.account()
        return (phone, account, String(account.suffix(8)))
    }

    @Test("A command that fails after its session was replaced reports what is hidden") func failing() async throws {
        let server = try await folder.server()
        let (phone, _, id) = try await phone(server)
        try await phone.json("--offline", "items", "add", "Mine", "Unsent")
        let token = try await phone.token()
        let thief = Device(folder, "thief", server: server.url)
        try await thief.json("session", "use", token)
        try await thief.json("session", "logout", "--yes")
        let share = try await phone.run("lists", "share", "Mine")
        #expect(share.status != 0 && share.complaints.contains("No longer shown: account \(id)"), "\(share.complaints)")
    }

    @Test("--move leaves lists that others are in, and names them; move-lists moves them if they are named")
    func shared() async throws {
        let server = try await folder.server()
        let (phone, _, id) = try await phone(server)
        let other = Device(folder, "other", server: server.url)
        let new = try await phone.run("session", "new", "--move")
        #expect(new.status == 0 && new.complaints.contains("“Ours” stays in account \(id)"), "\(new.complaints)")
        #expect(try await phone.listNames() == ["Mine"])
        #expect(try await phone.json("move-lists", "--from", id)["staying"].elements.count == 1)
        let asked = try await phone.run("move-lists", "Ours", "--from", id)
        #expect(asked.status == 64 && asked.complaints.contains("loses it"), "\(asked.complaints)")
        try await other.json("sync")
        #expect(try await other.listNames() == ["Ours"])
        try await phone.json("move-lists", "Ours", "--from", id, "--yes")
        #expect(try await phone.listNames() == ["Mine", "Ours"])
        try await other.json("sync")
        #expect(try await other.listNames().isEmpty)
    }

    @Test("Trap: the hint about a list that stays is refused, or moves it elsewhere – it moves it with the others")
    func hint() async throws {
        let (phone, _, id) = try await phone(folder.server())
        let back = try await phone.run("move-lists", "--back")
        let hint = "kith move-lists Ours --from \(id) --to userless"
        #expect(back.status == 0 && back.complaints.contains(hint), "\(back.complaints)")
        try await phone.json("move-lists", "Ours", "--from", id, "--to", "userless", "--yes")
        #expect(try await phone.listNames("--account", "userless") == ["Mine", "Ours"])
    }

    @Test("Logging out with --move keeps the lists if the server cannot be reached") func offlineMove() async throws {
        let server = try await folder.server()
        let (phone, _, id) = try await phone(server)
        await server.kill()
        let out = try await phone.run("session", "logout", "--move")
        #expect(out.status == 0 && out.complaints.contains("The lists were not moved."), "\(out.complaints)")
        #expect(out.complaints.contains("It is notified at the next sync or sign-in"), "\(out.complaints)")
        #expect(try await phone.json("--account", id, "--offline", "lists")["lists"].elements.count == 2)
    }

    @Test("Deleting an account with --yes keeps its data on the device") func deletion() async throws {
        let server = try await folder.server()
        let (phone, account, id) = try await phone(server)
        let deleted = try await phone.json("session", "delete", "--yes", "--delete-list", "Ours")
        #expect(deleted["choice"] == "keep")
        let kept = try await phone.json("--account", id, "--offline", "lists")["lists"].elements
        #expect(kept.count == 2, "\(account)")
    }

    @Test(
        "Law 13: An account without lists is named with what else it has, and deleted only with --drop",
        arguments: ["--keep", "--move", "--drop"])
    func withoutLists(flag: String) async throws {
        let server = try await folder.server()
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("profile", "set", "--given", "Zed")
        try await phone.json("invite", "email", "ben@example.com")
        try await phone.json("sync")
        let account = try await phone.account()
        let id = String(account.suffix(8))
        let accounts = try await phone.json("accounts")["accounts"].elements
        #expect(accounts.map { $0["records"]["profile"] } == [1] && accounts.map { $0["lists"] } == [0])
        let run = try await phone.run("session", "delete", flag)
        #expect(run.status == 0, "\(run.complaints)")
        let words =
            switch flag {
            case "--keep":
                "No longer shown: “Zed” (account \(id)), with a profile, 1 invitation. It stays on this device."
            case "--move": "Only lists move. This stays in “Zed” (account \(id)): a profile, 1 invitation."
            default: "“Zed” (account \(id)): a profile, 1 invitation."
            }
        #expect(run.complaints.contains(words), "\(run.complaints)")
        if flag == "--keep" {
            #expect(run.complaints.contains("kith --account \(id) profile, kith --account \(id) invite"))
        }
        let left = try await phone.json("accounts")["accounts"].elements.contains { $0["account"].text == account }
        #expect(left == (flag != "--drop"))
    }

    @Test("A dead address of an account does not hide the server that is named") func deadAddress() async throws {
        let before = try await folder.server()
        let (phone, _, id) = try await phone(before)
        let old = before.url
        try await before.stop()
        // At another address, with the same database.
        let after = try await folder.server()
        #expect(after.url != old)
        try await phone.json("--offline", "items", "add", "Mine", "Unsent")
        try await phone.json("--offline", "session", "use", "userless")
        let sync = try await Program.built.run(
            ["--account", id, "sync", "--data", phone.data], in: folder,
            environment: ["KITH_SERVER": after.url.absoluteString])
        #expect(sync.status == 0, "\(sync.complaints)")
    }
}
