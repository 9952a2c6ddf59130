import Foundation
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
}
