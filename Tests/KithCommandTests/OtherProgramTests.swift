import Foundation
import GRDB
import KithCommand
import KithModel
import Processes
import Testing

/// Another `kith` of the same folder makes another account the current one while a command runs.
@Suite("Another program switches the account while a command runs") struct OtherProgramTests {
    private let folder = Folder()

    /// A device whose current account has a list on the server.
    private func phone() async throws -> Device {
        let phone = Device(folder, "phone", server: try await folder.server().url)
        try await phone.json("lists", "create", "Mine")
        try await phone.json("sync")
        return phone
    }

    @Test(
        "Trap: a command asks about one account and acts on the other – it changes neither",
        .skipped(if: Terminal.missing),
        arguments: [["delete"], ["logout"], ["logout", "--everywhere"], ["recovery", "create"]])
    func asking(command: [String]) async throws {
        let phone = try await phone()
        // The command asks only before it replaces codes.
        try await phone.json("session", "recovery", "create")
        let terminal = try await Terminal(phone, ["session"] + command)
        let question = await terminal.question()
        #expect(question?.hasSuffix("[y/N") == true, "\(question ?? "")")
        try await phone.json("session", "new")
        let account = try await phone.account()
        try terminal.types("y")
        // Logging out also asks what becomes of the data.
        try terminal.types("keep")
        let (status, said) = await terminal.ended()
        #expect(status == 5 && said.contains("Another account became the current one meanwhile."), "\(said)")
        #expect(try await phone.account() == account)
        let accounts = try await phone.json("accounts")["accounts"].elements
        #expect(accounts.count == 2)
        for id in accounts.compactMap({ $0["account"].text }) {
            let sync = try await phone.run("--account", id, "sync")
            #expect(sync.status == 0, "The session of \(id) is open: \(sync.complaints)")
        }
        #expect(try await phone.json("session", "recovery")["codes"] == 0)
    }

    @Test(
        "Trap: sync treats an account that another program has hidden as refused – it moves and drops nothing of it",
        arguments: ["--move", "--drop"])
    func syncing(flag: String) async throws {
        let phone = try await phone()
        let first = try await phone.account()
        try await phone.json("session", "new")
        let second = try await phone.account()
        try await phone.json("session", "use", first)
        // A server that does not answer until the account was switched, and not then either.
        let silent = try LoopbackSocket(isListening: true)
        let sync = try await Device(folder, "phone", server: URL(string: "http://127.0.0.1:\(silent.port)"))
            .start("sync", flag, isPatient: true)
        let connection = try await silent.connection()
        try await phone.json("--offline", "session", "use", second)
        close(connection)
        silent.close()
        #expect(await sync.ended() == 3)
        let said = try String(contentsOf: folder.file("watch.log"), encoding: .utf8)
        let reason = "Another program has switched this device to account \(second.suffix(8)) meanwhile."
        #expect(said.contains(reason + " Nothing was moved or dropped."), "\(said)")
        #expect(said.contains("No longer shown: account \(first.suffix(8))"), "\(said)")
        #expect(!said.contains("no longer accepts"), "\(said)")
        #expect(try await phone.listNames("--account", first) == ["Mine"])
        #expect(try await phone.listNames().isEmpty)
    }

    @Test(
        "Trap: a hidden account is shown again while a command asks about it – it is not dropped",
        .skipped(if: Terminal.missing))
    func shownAgain() async throws {
        let phone = try await phone()
        let account = try await phone.account()
        let terminal = try await Terminal(phone, ["session", "new"])
        #expect(await terminal.question()?.hasSuffix("[keep/move/drop") == true)
        try await phone.json("session", "use", account)
        try terminal.types("drop")
        #expect(await terminal.question()?.hasSuffix("Drop it? [y/N") == true)
        try terminal.types("y")
        let (status, said) = await terminal.ended()
        #expect(status == 5 && said.contains("This store is the current one."), "\(said)")
        #expect(try await phone.account() == account)
        #expect(try await phone.listNames() == ["Mine"])
        try await phone.json("sync")
    }

    @Test(
        "Trap: another program adds an account or a list while drop-data asks – nothing is dropped",
        .skipped(if: Terminal.missing), arguments: [["session", "new"], ["--offline", "lists", "create", "Late"]])
    func addition(command: [String]) async throws {
        let phone = try await phone()
        let account = try await phone.account()
        let terminal = try await Terminal(phone, ["drop-data", "everything"])
        #expect(await terminal.question()?.hasSuffix("[y/N") == true)
        try await phone.json(command)
        let accounts = try await phone.json("accounts")
        try terminal.types("y")
        let (status, said) = await terminal.ended()
        #expect(status == 5 && said.contains("Something was added on this device meanwhile."), "\(said)")
        #expect(try await phone.json("accounts") == accounts)
        #expect(try await phone.run("--account", account, "sync").status == 0)
    }

    @Test(
        "Trap: a command goes on with the account that another program shows by then – it changes nothing in it",
        .skipped(if: Terminal.missing))
    func editing() async throws {
        let phone = try await phone()
        let first = try await phone.account()
        try await phone.json("lists", "public", "Mine")
        try await phone.json("sync")
        let terminal = try await Terminal(phone, ["lists", "remove", "Mine"])
        #expect(await terminal.question()?.hasSuffix("Remove it for everyone? [y/N") == true)
        try await phone.json("session", "new")
        try terminal.types("y")
        let (status, said) = await terminal.ended()
        #expect(status == 5 && said.contains("Another account became the current one meanwhile."), "\(said)")
        #expect(try await phone.listNames("--account", first) == ["Mine"])
    }

    @Test("Trap: another program switches away from the account of --account – the command does not use the other one")
    func named() async throws {
        let phone = try await phone()
        let first = try await phone.account()
        try await phone.json("session", "new")
        let second = try await phone.account()
        try await phone.json("session", "use", first)
        // The account was last reached at an address that does not answer until the account was switched, and not then either.
        let silent = try LoopbackSocket(isListening: true)
        try await DatabaseQueue(path: URL(filePath: phone.data).appending(path: "kith.sqlite").path()).write { db in
            try db.execute(sql: "UPDATE account SET address = 'http://127.0.0.1:\(silent.port)'")
        }
        // An address that is no option: the command looks for the account at its own address first.
        let server = try #require(phone.server).absoluteString
        let edit = try await ChildProcess(
            Program.built.url, ["lists", "create", "Late", "--account", first, "--data", phone.data],
            environment: folder.environment.merging(["KITH_SERVER": server]) { $1 },
            complaints: folder.file("watch.log"))
        let connection = try await silent.connection()
        try await phone.json("--offline", "session", "use", second)
        close(connection)
        silent.close()
        #expect(await edit.ended() == 5)
        let said = try String(contentsOf: folder.file("watch.log"), encoding: .utf8)
        #expect(said.contains("Another account became the current one meanwhile."), "\(said)")
        #expect(try await phone.listNames().isEmpty)
        #expect(try await phone.listNames("--account", first) == ["Mine"])
    }

    @Test("The device that shows a QR code learns that it was used, also if another account is shown meanwhile")
    func pairing() async throws {
        let phone = try await phone()
        let process = try await phone.start("session", "pair", "--json")
        var lines = process.lines.makeAsyncIterator()
        let link = try #require(try JSON(parsing: await lines.next() ?? "")["link"].text)
        try await phone.json("session", "new")
        try await Device(folder, "tablet", server: phone.server).json("session", "join", link, "--device", "Tablet")
        let used = try JSON(parsing: await lines.next() ?? "")
        #expect(used["state"] == "used" && used["device"] == "Tablet")
        #expect(await process.ended() == 0)
    }

    @Test(
        "Trap: the name of a sign-in goes to the account that another program shows by then – it goes to that of the code",
        .skipped(if: Terminal.missing))
    func name() async throws {
        let phone = try await phone()
        let account = try await phone.account()
        try await folder.addIdentity("ada@example.com", to: account)
        let tablet = Device(folder, "tablet", server: phone.server)
        try await tablet.json("lists", "create", "Other")
        try await tablet.json("sync")
        let own = try await tablet.account()
        try await tablet.json("session", "register", "ada@example.com", "--name", "Ada Lovelace")
        let terminal = try await Terminal(tablet, ["session", "verify", try await folder.outbox.code(0)])
        #expect(await terminal.question()?.hasSuffix("[keep/move/drop") == true)
        try await tablet.json("session", "use", own)
        try terminal.types("keep")
        let (status, said) = await terminal.ended()
        #expect(status == 0, "\(said)")
        #expect(try await tablet.json("--account", account, "profile")["profile"]["name"] == "Ada Lovelace")
        #expect(try await tablet.json("profile")["profile"]["name"] == .null)
    }
}
