import Foundation
import KithCommand
import KithModel
import Testing

@Suite("kith without a server") struct LocalTests {
    let folder: Folder
    let device: Device

    init() throws {
        folder = try Folder()
        device = Device(folder, "device")
    }

    @Test("keeps lists and items, which one names by name, by number, and by the start of an id") func lists()
        async throws
    {
        let list = try await device.json("lists", "create", "Groceries")["list"]
        try await device.json("items", "add", "Groceries", "Bread", "Oat milk", "Tea", "--category", "Food")
        try await device.json("items", "tick", "groc", "2")
        try await device.json(
            "items", "edit", try #require(list["id"].text), "oat", "--count", "3", "--comment", "the dark one")
        try await device.json("items", "move", "Groceries", "Tea", "--first")
        let run = try await device.run("items", "Groceries")
        #expect(run.status == 0)
        #expect(run.complaints == "")
        #expect(
            run.output == """
                Groceries  2 of 3 open
                1  [ ]  Tea           Food
                2  [ ]  Bread         Food
                3  [x]  Oat milk  ×3  Food  the dark one

                """)
        try await device.json("items", "remove", "Groceries", "Bread")
        try await device.json("items", "clear-ticked", "Groceries")
        #expect(try await device.titles("Groceries") == ["Tea"])
        try await device.json("lists", "rename", "Groceries", "Food")
        #expect(try await device.json("lists")["lists"].elements.map { $0["name"] } == ["Food"])
        try await device.json("lists", "remove", "Food")
        #expect(try await device.json("lists") == .object(["lists": .array([])]))
    }

    @Test("answers in JSON with the documented keys") func shapes() async throws {
        try await device.json("lists", "create", "Groceries")
        let item = try await device.json("items", "add", "Groceries", "Tea")["items"].elements[0]
        #expect(
            item.keys == [
                "number", "id", "list", "title", "count", "ticked", "category", "comment", "offer", "creator",
                "modified",
            ])
        let list = try await device.json("lists")["lists"].elements[0]
        #expect(list.keys == ["id", "name", "kind", "theme", "access", "role", "modified", "items", "ticked"])
        let status = try await device.json("status")
        #expect(status.keys == ["status", "server", "data"])
        #expect(
            status["status"].keys == [
                "session", "account", "waiting", "oldestWaiting", "lastRound", "lastError", "retryAt", "rejections",
                "syncing", "hasSynced",
            ])
        #expect(try await device.json("session").keys == ["state", "account", "server", "token"])
        #expect(try await device.json("rejections") == .object(["rejections": .array([])]))
    }

    @Test("never guesses: what is ambiguous or unknown ends with 6 and shows candidates") func names() async throws {
        for name in ["Gifts", "Groceries", "Groceries"] { try await device.json("lists", "create", name) }
        let ambiguous = try await device.run("items", "Groceries")
        #expect(ambiguous.status == 6)
        #expect(ambiguous.output == "")
        #expect(ambiguous.complaints.split(separator: "\n").count == 3)
        let unknown = try await device.run("--json", "items", "Gitfs")
        #expect(unknown.status == 6)
        #expect(try unknown.error["code"] == "notFound")
        #expect(try unknown.error["candidates"] == .array(["Gifts"]))
        #expect(try unknown.error["status"] == 6)
    }

    @Test("changes nothing if one of several items is unknown") func allOrNone() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread", "Tea")
        #expect(try await device.run("items", "tick", "Groceries", "Bread", "Soap").status == 6)
        #expect(try await device.json("lists")["lists"].elements[0]["ticked"] == 0)
    }

    @Test("says 64 to wrong usage and to values that break a rule, with JSON where it is wanted") func usage()
        async throws
    {
        #expect(try await device.run("lists", "create").status == 64)
        #expect(try await device.run("lists", "create", "").status == 64)
        #expect(try await device.run("lists", "create", String(repeating: "x", count: 201)).status == 64)
        #expect(try await device.run("--server", "nonsense", "lists").status == 64)
        let run = try await device.run("lists", "rename", "--json")
        #expect(run.status == 64)
        #expect(try run.error["code"] == "usage")
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Tea")
        #expect(try await device.run("items", "edit", "Groceries", "Tea").status == 64)
        #expect(try await device.run("items", "move", "Groceries", "Tea", "--first", "--last").status == 64)
        #expect(try await device.run("items", "move", "Groceries", "Tea", "--after", "Tea").status == 64)
    }

    @Test("puts an item first, last, after and before another") func moving() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "a", "b", "c", "d")
        try await device.json("items", "move", "L", "a", "--last")
        #expect(try await device.titles("L") == ["b", "c", "d", "a"])
        try await device.json("items", "move", "L", "a", "--before", "c")
        #expect(try await device.titles("L") == ["b", "a", "c", "d"])
        try await device.json("items", "move", "L", "b", "--after", "4")
        #expect(try await device.titles("L") == ["a", "c", "d", "b"])
        try await device.json("items", "move", "L", "d", "--before", "a")
        #expect(try await device.titles("L") == ["d", "a", "c", "b"])
    }

    @Test("shows what is there twice, and makes it one with the counts added up") func duplicates() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Milk", "Tea", "milk", "--count", "2")
        let found = try await device.json("items", "duplicates", "L")["duplicates"].elements
        #expect(found.map { $0["count"] } == [4])
        try await device.json("items", "duplicates", "L", "--merge")
        let items = try await device.json("items", "L")["items"].elements
        #expect(items.map { $0["title"] } == ["Milk", "Tea"])
        #expect(items.map { $0["count"] } == [4, 2])
    }

    @Test("asks before it forgets, and without a terminal wants --yes") func dropping() async throws {
        try await device.json("lists", "create", "Groceries")
        let refused = try await device.run("drop-data", "everything")
        #expect(refused.status == 64)
        #expect(refused.complaints.contains("--yes"))
        #expect(try await device.json("lists")["lists"].elements.count == 1)
        try await device.json("drop-data", "everything", "--yes")
        #expect(try await device.json("lists")["lists"].elements.isEmpty)
    }

    @Test("says 3 where a server is needed and none is named") func noServer() async throws {
        #expect(try await device.run("sync").status == 3)
        #expect(try await device.run("session", "new").status == 3)
        #expect(try await device.run("lists", "accept", "x").status == 3)
    }

    @Test("finds its data by KITH_DATA") func environment() async throws {
        let made = try await Program.built.run(["lists", "create", "Groceries"], in: folder)
        #expect(made.status == 0)
        let named = try await Program.built.run(["lists", "--json", "--data", folder.file("data").path()], in: folder)
        #expect(try named.json["lists"].elements.map { $0["name"] } == ["Groceries"])
    }

    @Test(
        "makes no folder for completing a word, and completes the names of lists", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let script = try await device.run("--generate-completion-script", shell)
        #expect(script.status == 0)
        #expect(script.output.contains("clear-ticked"))
        #expect(!FileManager.default.fileExists(atPath: device.data))
    }

    @Test("is described in Documentation/CommandLine.md, every command of it") func documentation() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/CommandLine.md"), encoding: .utf8)
        let dump = try await device.run("--experimental-dump-help")
        let tree = try JSONDecoder().decode(JSON.self, from: Data(dump.output.utf8))["command"]
        var missing: [String] = []
        var count = 0
        func visit(_ command: JSON, _ path: [String]) {
            let name = command["commandName"].text ?? ""
            let children = command["subcommands"].elements
            guard name != "help", name != "show" else { return }
            count += 1
            let words = (path + [name]).joined(separator: " ")
            if children.isEmpty && !page.contains("`\(words)") && !page.contains("`\(name)`") { missing.append(words) }
            for child in children { visit(child, path + [name]) }
        }
        visit(tree, [])
        #expect(count > 40)
        #expect(missing == [])
    }
}
