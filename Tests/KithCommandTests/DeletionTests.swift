import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("Deleting an account, from the command line") struct DeletionTests {
    private let folder = Folder()
    private let (ada, ben): (Device, Device)

    /// Ada owns two lists; Ben is in the first.
    init() async throws {
        let server = try await folder.server()
        (ada, ben) = (Device(folder, "ada", server: server.url), Device(folder, "ben", server: server.url))
        try await ada.json("lists", "create", "Groceries")
        try await ada.json("lists", "create", "Mine")
        let link = try await ada.json("lists", "share", "Groceries")["link"]["url"].text ?? ""
        try await ben.json("lists", "accept", link)
        try await ben.json("lists", "my-name", "Groceries", "Ben")
        try await ada.json("sync")
    }

    @Test("Trap: A list is given away without a decision – nothing is deleted, and the error names the lists")
    func undecided() async throws {
        let refused = try await ada.run("--json", "session", "delete", "--yes")
        #expect(refused.status == 64)
        #expect(try refused.error["code"] == "listsUndecided")
        #expect(try refused.error["candidates"].elements == ["Groceries"])
        try await ada.json("sync")
    }

    @Test("Trap: A list with two decisions is deleted – it is wrong usage, and nothing is deleted")
    func twice() async throws {
        let run = try await ada.run(
            "session", "delete", "--yes", "--hand-over", "Groceries=Ben", "--delete-list", "Groceries")
        #expect(run.status == 64 && run.complaints.contains("named twice"))
        try await ben.json("sync")
        #expect(try await ben.json("lists")["lists"].elements.count == 1)
    }

    @Test("A list is handed over to a person, to an editor, or deleted for everybody", arguments: 0..<4)
    func decided(way: Int) async throws {
        let ways = [
            ["--hand-over", "Groceries=Ben"], ["--hand-over", "Groceries=editor"], ["--other-lists", "editor"],
            ["--delete-list", "Groceries"],
        ]
        try await ada.json(["session", "delete", "--drop"] + ways[way])
        try await ben.json("sync")
        let lists = try await ben.json("lists")["lists"].elements
        #expect(lists.map { $0["role"] } == (way == 3 ? [] : ["owner"]))
    }

    @Test("Trap: the server refuses the token, and the command deletes an account that has replaced the real one")
    func refused() async throws {
        let account = try await ada.account()
        try await ada.json("--offline", "items", "add", "Mine", "Unsent")
        let thief = Device(folder, "thief", server: ada.server)
        try await thief.json("session", "use", try await ada.token())
        try await thief.json("session", "logout", "--yes")
        let run = try await ada.run("session", "delete", "--yes", "--other-lists", "delete")
        #expect(run.status == 4, "\(run.output)")
        let reason = "Nothing was deleted. The server no longer accepts the token of account \(account.suffix(8))."
        #expect(run.complaints.contains(reason), "\(run.complaints)")
        #expect(try await ada.json("accounts")["accounts"].elements.map { $0["account"].text } == [account])
        try await ben.json("sync")
        #expect(try await ben.listNames() == ["Groceries"])
    }
}
