import Foundation
import GRDB
import KithCommand
import KithModel
import Processes
import Testing

@Suite("kith rejections") struct RejectionsTests {
    private let folder = Folder()

    @Test("shows an editor who became a viewer the list, the item, the refused and the current values")
    func bothValues() async throws {
        let server = try await folder.server()
        let (ada, grace) = (Device(folder, "ada", server: server.url), Device(folder, "grace", server: server.url))
        try await ada.json("lists", "create", "Groceries")
        try await ada.json("items", "add", "Groceries", "Milk", "Tea")
        let link = try #require(try await ada.json("lists", "share", "Groceries")["link"]["url"].text)
        try await grace.json("lists", "accept", link)
        try await grace.json("lists", "my-name", "Groceries", "Grace")
        try await grace.json("sync")
        try await ada.json("sync")

        // Grace edits offline. Meanwhile Ada renames the same item, and makes Grace a viewer.
        let items = try await grace.json("items", "Groceries")
        try await grace.json(
            "--offline", "items", "edit", "Groceries", "Milk", "--title", "Oat milk", "--comment", "the blue one")
        try await grace.json("--offline", "items", "remove", "Groceries", "Tea")
        try await ada.json("items", "edit", "Groceries", "Milk", "--title", "Whole milk")
        try await ada.json("lists", "role", "Groceries", "Grace", "viewer")
        try await ada.json("sync")
        let sync = try await grace.run("sync")
        #expect(sync.status == 5 && sync.complaints.contains("kith rejections"), "\(sync.complaints)")
        #expect(try await grace.json("lists")["lists"].elements.map { $0["role"] } == ["viewer"])
        #expect(try await grace.titles("Groceries") == ["Whole milk", "Tea"])

        let rejections = try await grace.json("rejections")["rejections"].elements
        #expect(rejections.count == 2)
        let edit = try #require(rejections.first { $0["deletion"] == false })
        #expect(edit["code"] == "forbidden" && edit["collection"] == "item")
        #expect(edit["list"] == items["list"]["id"] && edit["record"] == items["items"].elements[0]["id"])
        #expect(edit["listName"] == "Groceries" && edit["title"] == "Whole milk")
        #expect(edit.keys == (try DocumentedShapes().keys(of: "rejection")))
        #expect(edit["values"].keys == ["title", "comment"])
        #expect(edit["values"]["title"] == "Oat milk" && edit["values"]["comment"] == "the blue one")
        #expect(edit["current"].keys == ["title", "comment"])
        #expect(edit["current"]["title"] == "Whole milk" && edit["current"]["comment"] == .null)
        let removal = try #require(rejections.first { $0["deletion"] == true })
        #expect(removal["code"] == "forbidden" && removal["record"] == items["items"].elements[1]["id"])
        #expect(removal["listName"] == "Groceries" && removal["title"] == "Tea")
        #expect(removal["values"].keys.isEmpty && removal["current"] != .null)

        let told = try await grace.run("rejections")
        #expect(told.status == 0, "\(told.complaints)")
        let lines = told.output.split(separator: "\n")
        #expect(lines.first?.contains(#/Lost +There now/#) == true, "\(told.output)")
        let change = try #require(
            lines.first { $0.contains("change item “Whole milk” in “Groceries”") }, "\(told.output)")
        let sentence = try #require(edit["sentence"].text)
        #expect(change.contains(sentence))
        #expect(change.contains(#/comment: the blue one, title: Oat milk +comment: nothing, title: Whole milk/#))
        let deletion = try #require(lines.first { $0.contains("remove item “Tea” in “Groceries”") }, "\(told.output)")
        #expect(deletion.contains("it is still there"), "\(told.output)")

        // What is there now follows the list. What was refused stays as it was.
        try await ada.json("items", "edit", "Groceries", "Whole milk", "--title", "Skimmed milk")
        try await ada.json("sync")
        try await grace.json("sync")
        let later = try await grace.json("rejections")["rejections"].elements.first { $0["deletion"] == false }
        #expect(later?["current"]["title"] == "Skimmed milk" && later?["values"]["title"] == "Oat milk")
        #expect(try await grace.run("rejections", "dismiss", "1").output == "Dismissed 1 rejection.\n")
        // Only what was read is written, and not whatever is there by then.
        let replica = URL(filePath: grace.data).appending(path: "kith.sqlite")
        try await DatabaseQueue(path: replica.path()).write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER once BEFORE UPDATE ON rejection WHEN OLD.isDismissed
                    BEGIN SELECT RAISE(ABORT, 'It was dismissed before.'); END
                    """)
        }
        #expect(try await grace.run("rejections", "dismiss", "--all").output == "Dismissed 1 rejection.\n")
        #expect(try await grace.run("rejections").output == "Nothing was refused.\n")
    }

    @Test("Trap: a command sends an earlier edit, which the server refuses – the command succeeds, and a note says so")
    func earlierEdit() async throws {
        let grace = try await deviceWithRefusedEdit()
        let add = try await grace.run("items", "add", "Own", "Milk")
        #expect(add.status == 0 && add.complaints.contains("The server refused 1 earlier change"), "\(add.complaints)")
        #expect(try await grace.json("rejections")["rejections"].elements.map { $0["title"] } == ["Late"])
        #expect(try await grace.json("status")["status"]["waiting"] == 0)
    }

    @Test(
        "Trap: another program sends an earlier edit while a command asks, and the server refuses it – the command succeeds",
        .skipped(if: Terminal.missing))
    func editSentMeanwhile() async throws {
        let grace = try await deviceWithRefusedEdit()
        let terminal = try await Terminal(grace, ["lists", "remove", "Own"])
        #expect(await terminal.question()?.hasSuffix("Remove it for everyone? [y/N") == true)
        #expect(try await grace.run("sync").status == 5)
        try terminal.types("y")
        let (status, said) = await terminal.ended()
        #expect(status == 0 && said.contains("The server refused 1 earlier change"), "\(said)")
    }

    /// Grace's device, which has a published list of her own, and an edit of Ada's list that waits and that the server
    /// will refuse.
    private func deviceWithRefusedEdit() async throws -> Device {
        let server = try await folder.server()
        let (ada, grace) = (Device(folder, "ada", server: server.url), Device(folder, "grace", server: server.url))
        try await ada.json("lists", "create", "Groceries")
        let link = try #require(try await ada.json("lists", "share", "Groceries")["link"]["url"].text)
        try await grace.json("lists", "accept", link)
        try await grace.json("lists", "my-name", "Groceries", "Grace")
        try await grace.json("lists", "create", "Own")
        try await grace.json("lists", "public", "Own")
        try await grace.json("sync")
        try await grace.json("--offline", "items", "add", "Groceries", "Late")
        try await ada.json("sync")
        try await ada.json("lists", "role", "Groceries", "Grace", "viewer")
        return grace
    }
}
