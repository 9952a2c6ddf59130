import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Options for the other accounts of a device, as text and as JSON") struct AccountOptionTests {
    private let folder = Folder()

    /// A device whose account is called Ada, and has a list of three items on the server, the second of them ticked.
    private func phone(_ server: ServerProcess) async throws -> (device: Device, account: String) {
        let phone = Device(folder, "phone", server: server.url)
        try await phone.json("profile", "set", "--given", "Ada")
        try await phone.json("lists", "create", "Groceries")
        try await phone.json("items", "add", "Groceries", "Bread", "Milk", "Tea")
        try await phone.json("items", "tick", "Groceries", "Milk")
        try await phone.json("sync")
        return (phone, try await phone.account())
    }

    /// Opens another account on the device, with a list on the server.
    private func open(_ list: String, on device: Device) async throws -> String {
        try await device.json("session", "new")
        try await device.json("lists", "create", list)
        try await device.json("sync")
        return try await device.account()
    }

    @Test("lists --all-accounts shows the lists of every store, whichever is current") func allAccounts() async throws {
        let empty = Device(folder, "empty")
        #expect(try await empty.run("lists", "--all-accounts").output == "No lists on this device.\n")
        let stores = try await empty.json("lists", "--all-accounts")["accounts"].elements
        #expect(stores.map { $0["lists"] } == [.array([])])

        let server = try await folder.server()
        let (phone, first) = try await phone(server)
        let second = try await open("Gifts", on: phone)
        try await phone.json("session", "use", "userless")
        try await phone.json("--offline", "lists", "create", "Alone")
        let accounts = try await phone.json("lists", "--all-accounts")["accounts"].elements
        #expect(accounts.map { $0["account"]["account"].text } == [first, second, nil])
        #expect(accounts.map { $0["account"]["name"].text } == ["Ada", nil, nil])
        #expect(accounts.map { $0["account"]["current"] } == [false, false, true])
        #expect(accounts.map { $0["lists"].elements.map { $0["name"] } } == [["Groceries"], ["Gifts"], ["Alone"]])
        #expect(accounts.map { $0["lists"].elements.map { $0["items"] } } == [[3], [0], [0]])
        #expect(accounts.map { $0["lists"].elements.map { $0["ticked"] } } == [[1], [0], [0]])

        let lines = try await phone.run("lists", "--all-accounts").output.split(separator: "\n")
        let rows = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(rows.first == ["Account", "Name", "Open", "Items", "Id"])
        #expect(lines.last == "To work with one: kith --account ACCOUNT items LIST")
        let lists = rows.dropFirst().dropLast().map { Array($0.prefix(4)) }
        let expected = [
            ["Ada", "Groceries", "2", "3"], [String(second.suffix(8)), "Gifts", "0", "0"],
            ["userless", "Alone", "0", "0"],
        ]
        #expect(lists == expected, "\(lines)")
    }

    @Test("An account that is not there leads to the accounts of the device") func noAccount() async throws {
        let phone = try await phone(folder.server()).device
        let run = try await phone.run("--json", "--account", "nobody", "lists")
        #expect(run.status == 6)
        #expect(try run.error["sentence"] == "There is no account “nobody”. To see them all: kith accounts")
    }

    @Test("move-lists --from A --to B moves between two accounts while a third is current", arguments: [false, true])
    func between(isJSON: Bool) async throws {
        let server = try await folder.server()
        let (phone, first) = try await phone(server)
        let second = try await open("Gifts", on: phone)
        let shown = try await open("Shown", on: phone)
        let old = try await phone.json("--account", first, "lists")["lists"].elements.compactMap { $0["id"].text }
        let (from, to) = (String(first.suffix(8)), String(second.suffix(8)))
        if isJSON {
            let answer = try await phone.json("move-lists", "--from", from, "--to", to)
            #expect(answer.keys == ["moved", "staying"] && answer["staying"] == .array([]))
            #expect(answer["moved"].elements.compactMap { $0["from"].text } == old)
            let now = try await phone.json("--account", second, "lists")["lists"].elements
            let new = now.filter { $0["name"] == "Groceries" }.compactMap { $0["id"].text }
            #expect(answer["moved"].elements.compactMap { $0["to"].text } == new && new != old)
        } else {
            let run = try await phone.run("move-lists", "--from", from, "--to", to)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output == "Moved 1 list from account \(first) to account \(second).\n")
        }
        #expect(try await phone.listNames("--account", first).isEmpty)
        #expect(try await phone.listNames("--account", second) == ["Gifts", "Groceries"])
        #expect(try await phone.account() == shown)
        #expect(try await phone.json("lists")["lists"].elements.map { $0["name"] } == ["Shown"])

        // The command tells the servers only for a moment; a sync, until it is done.
        for account in [first, second] { try await phone.json("--account", account, "sync") }
        #expect(try await phone.json("accounts")["accounts"].elements.map { $0["waiting"] } == [0, 0, 0])
        let token = try #require(try await phone.json("--account", second, "session", "--token")["token"].text)
        let tablet = Device(folder, "tablet", server: server.url)
        try await tablet.json("session", "use", token)
        try await tablet.json("sync")
        let items = try await tablet.json("items", "Groceries")["items"].elements
        #expect(items.map { $0["title"] } == ["Bread", "Milk", "Tea"])
        #expect(items.map { $0["ticked"] } == [false, true, false])
    }

    @Test(
        "session logout --move takes the lists to the store without an account, and ends the session",
        arguments: [false, true])
    func logOut(isJSON: Bool) async throws {
        let server = try await folder.server()
        let (phone, account) = try await phone(server)
        let token = try await phone.token()
        if isJSON {
            let answer = try await phone.json("session", "logout", "--move")
            #expect(answer["state"] == "loggedOut" && answer["account"] == .null && answer["token"] == .null)
            #expect(answer["choice"] == "move")
            #expect(answer["hidden"].elements.map { $0["lists"] } == [0], "The profile stays.")
        } else {
            let run = try await phone.run("session", "logout", "--move")
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.hasPrefix("Logged out. Edits stay on this device"), "\(run.output)")
            let moved = "Moved 1 list from “Ada” (account \(account.suffix(8))). Other devices of that account lose it."
            #expect(run.complaints.contains(moved), "\(run.complaints)")
            let rest = "No longer shown: “Ada” (account \(account.suffix(8))), with a profile. It stays on this device."
            #expect(run.complaints.contains(rest), "\(run.complaints)")
        }
        let items = try await phone.json("items", "Groceries")["items"].elements
        #expect(items.map { $0["title"] } == ["Bread", "Milk", "Tea"])
        #expect(items.map { $0["ticked"] } == [false, true, false])
        let stores = try await phone.json("accounts")["accounts"].elements
        let old = try #require(stores.first { $0["account"].text == account })
        #expect(old["lists"] == 0 && old["waiting"] == 0 && old["current"] == false && old["token"] == false)
        #expect(stores.filter { $0["current"] == true }.map { $0["account"] } == [.null])
        #expect(try await Device(folder, "other", server: server.url).run("session", "use", token).status == 4)
    }
}
