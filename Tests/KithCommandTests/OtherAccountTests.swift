import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Commands find lists and removals of other accounts") struct OtherAccountTests {
    private let folder = Folder()

    /// A device that shows an empty account; another one has a list, from which an item was removed.
    private func phone(_ server: ServerProcess) async throws -> (device: Device, id: String) {
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("lists", "create", "R3")
        try await phone.json("items", "add", "R3", "Tea", "Milk")
        try await phone.json("items", "remove", "R3", "Tea")
        try await phone.json("sync")
        let account = try await phone.account()
        try await phone.json("session", "new")
        return (phone, String(account.suffix(8)))
    }

    /// A device whose account holds nothing but the removal of its only list.
    private func emptied(
        _ server: ServerProcess, _ name: String = "phone"
    ) async throws -> (device: Device, account: String) {
        let phone = Device(folder, name, server: server.url)
        try await phone.json("lists", "create", "R4")
        try await phone.json("items", "add", "R4", "Tea", "Milk")
        try await phone.json("sync")
        try await phone.json("lists", "remove", "R4", "--yes")
        try await phone.json("sync")
        return (phone, try await phone.account())
    }

    @Test("For a list of another account, the command that shows it is printed") func list() async throws {
        let server = try await folder.server()
        let (phone, id) = try await phone(server)
        for command in [["items", "R3"], ["items", "add", "R3", "Bread"], ["lists", "share", "R3"]] {
            let run = try await phone.run(command)
            #expect(run.status == 6)
            let sentence =
                "There is no list “R3” in this account. It is in account \(id): kith --account \(id) items R3"
            #expect(run.complaints.contains(sentence), "\(run.complaints)")
        }
        let none = try await phone.run("items", "Nosuch")
        #expect(none.status == 6 && none.complaints.contains("there are no lists in this account"))
        #expect(none.complaints.contains("account \(id)"), "\(none.complaints)")
        try await phone.json("lists", "create", "Here")
        #expect(try await phone.run("items", "R3").complaints.contains("It is in account \(id)"))
        #expect(try await phone.run("items", "Heer").complaints.contains("Did you mean:"))
        let empty = Device(folder, "empty")
        #expect(try await empty.run("items", "R3").complaints.contains("there are no lists at all."))
    }

    @Test("For a removal in another account, the command that undoes it is printed") func undo() async throws {
        let server = try await folder.server()
        let (phone, id) = try await phone(server)
        let run = try await phone.run("undo")
        #expect(run.status == 6 && run.complaints.contains("no removal is kept in this account."), "\(run.complaints)")
        #expect(run.complaints.contains("One is kept in account \(id): kith --account \(id) undo"))
        #expect(try await phone.run("--account", id, "undo").output == "Put back “Tea” in “R3”.\n")
        #expect(try await !phone.run("undo").complaints.contains("One is kept"))
    }

    @Test("An account that holds nothing but a removal is reported when it is hidden", arguments: [false, true])
    func onlyUndo(isJSON: Bool) async throws {
        let server = try await folder.server()
        let (phone, account) = try await emptied(server)
        let id = String(account.suffix(8))
        if isJSON {
            let hidden = try await phone.json("session", "new")["hidden"].elements
            #expect(hidden.map { $0["account"].text } == [account])
            let others = try await phone.json("status")["otherAccounts"].elements
            #expect(others.map { $0["account"].text } == [account])
        } else {
            let new = try await phone.run("session", "new")
            #expect(new.status == 0 && new.complaints.contains("No longer shown: account \(id)"), "\(new.complaints)")
            #expect(new.complaints.contains("kith --account \(id) undo"), "\(new.complaints)")
        }
        let undone = try await phone.run("--account", id, "undo").output
        #expect(undone.hasPrefix("Put back the list “R4” with 2 items."), "\(undone)")
    }

    @Test("An account that holds nothing but a removal is kept with --yes, and forgotten with --drop")
    func onlyUndoChosen() async throws {
        let server = try await folder.server()
        let (phone, account) = try await emptied(server)
        #expect(try await phone.json("session", "delete", "--yes")["choice"] == "keep")
        #expect(try await phone.json("accounts")["accounts"].elements.contains { $0["account"].text == account })

        let (tablet, other) = try await emptied(server, "tablet")
        #expect(try await tablet.json("session", "logout", "--drop")["choice"] == "drop")
        #expect(try await tablet.json("accounts")["accounts"].elements.allSatisfy { $0["account"].text != other })
    }

    @Test("Moving from an empty store, and “lists NAME” with --account, lead to the other account") func moving()
        async throws
    {
        let server = try await folder.server()
        let (phone, id) = try await phone(server)
        let moved = try await phone.run("move-lists", "--from", "userless").output
        #expect(moved.hasSuffix(" There is 1 list in account \(id): kith move-lists --from \(id)\n"), "\(moved)")
        let run = try await phone.run("--json", "--account", "1", "lists", "R3")
        #expect(try run.error["candidates"].elements == ["kith --account 1 items R3"])
        // With --to, the hint moves the lists there too: without it they would stay where they are.
        try await phone.json("session", "use", id)
        let named = try await phone.run("move-lists", "--from", "2", "--to", "userless").output
        #expect(named.hasSuffix(": kith move-lists --from \(id) --to userless\n"), "\(named)")
    }

    @Test("A link's server is used if none is set, unless an account of another server exists") func link()
        async throws
    {
        let (server, other) = (try await folder.server(), try await folder.server("other"))
        let ada = Device(folder, "ada", server: server.url)
        try await ada.json("lists", "create", "Ours")
        let link = try #require(try await ada.json("lists", "share", "Ours")["link"]["url"].text)
        let ben = Device(folder, "ben")
        let preview = try await ben.run("lists", "preview", link)
        #expect(preview.status == 0, "\(preview.complaints)")
        let accept = try await ben.run("lists", "accept", link)
        #expect(accept.status == 0 && accept.output.contains("“Ours”"), "\(accept.complaints)")
        #expect(accept.complaints.contains("KITH_SERVER=\(server.url.absoluteString)"), "\(accept.complaints)")
        #expect(try await ben.run("lists", "accept", link).status == 0)
        #expect(try await ben.run("--offline", "lists", "accept", link).status == 3)
        let stranger = Device(folder, "stranger", server: other.url)
        try await stranger.json("session", "new")
        let refused = try await Device(folder, "stranger").run("lists", "accept", link)
        #expect(refused.status == 3 && refused.complaints.contains("This needs a server"), "\(refused.complaints)")

        // Its account on the link's server is named, and can be used.
        let first = try await stranger.account()
        let there = Device(folder, "stranger", server: server.url)
        try await there.json("session", "new")
        let id = String(try await there.account().suffix(8))
        try await stranger.json("session", "use", first)
        let named = try await Device(folder, "stranger").run("lists", "accept", link)
        #expect(named.status == 3 && named.complaints.contains("with --account \(id)."), "\(named.complaints)")
        let elsewhere = try await stranger.run("lists", "accept", link)
        #expect(elsewhere.status == 5 && elsewhere.complaints.contains("--account \(id)."), "\(elsewhere.complaints)")
        #expect(!elsewhere.complaints.contains("kith session new"), "\(elsewhere.complaints)")
        #expect(try await Device(folder, "stranger").run("--account", id, "lists", "accept", link).status == 0)
        // It is not named once its session has ended.
        try await there.json("--account", id, "session", "logout", "--yes")
        let ended = try await Device(folder, "stranger").run("lists", "accept", link)
        #expect(ended.status == 3 && !ended.complaints.contains("--account"), "\(ended.complaints)")
    }
}
