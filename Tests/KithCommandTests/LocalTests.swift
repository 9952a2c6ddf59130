import Foundation
import KithCommand
import KithModel
import Processes
import Testing

@Suite("kith without a server") struct LocalTests {
    let device = Device(Folder(), "device")
    var folder: Folder { device.folder }

    @Test("stores lists and items, which are named by name, by number, or by the start of an id") func lists()
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
                "creatorName", "modified",
            ])
        let list = try await device.json("lists")["lists"].elements[0]
        #expect(list.keys == ["id", "name", "kind", "theme", "access", "role", "modified", "items", "ticked"])
        let status = try await device.json("status")
        #expect(status.keys == ["status", "server", "data", "damaged", "otherAccounts"])
        #expect(
            status["status"].keys == [
                "session", "account", "waiting", "oldestWaiting", "lastRound", "lastError", "retryAt", "rejections",
                "syncing", "hasSynced",
            ])
        for words in [["session"], ["session", "show"]] {
            let session = try await device.json(words)
            #expect(session.keys == ["state", "account", "server", "token"])
            #expect(session["state"] == "initial")
        }
        #expect(try await device.run("session", "show", "--token").status == 4)
        #expect(try await device.json("rejections") == .object(["rejections": .array([])]))
    }

    @Test("never guesses: an ambiguous or unknown name exits with 6 and lists candidates") func names() async throws {
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

    @Test("Trap: nobody can name one of two lists with the same name – the commands that make the second say its id")
    func namesakes() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Milk", "Tea")
        let made = try await device.run("--json", "lists", "create", "Groceries")
        let id = try #require(try made.json["list"]["id"].text)
        let short = String(made.complaints.dropLast().split(separator: " ").last ?? "")
        #expect(made.complaints == "There is another list “Groceries”. To name this one: \(short)\n")
        #expect(short.count >= 8 && id.hasPrefix(short), "\(made.complaints)")
        try await device.json("items", "add", short, "Soap")
        let run = try await device.run("items", "Groceries")
        #expect(run.status == 6 && run.complaints.contains("“Groceries” fits 2 lists. Use an id:"), "\(run.complaints)")
        #expect(run.complaints.contains("  Groceries  2 items\n"), "\(run.complaints)")
        #expect(run.complaints.contains("  \(short)  Groceries  1 item\n"), "\(run.complaints)")
        #expect(try await device.run("lists", "rename", short, "Food").complaints == "")
        #expect(try await device.run("lists", "rename", "Food", "Groceries").complaints.contains("another list"))
        let imported = try await device.run("lists", "import", "-", "--name", "Groceries", input: "Bread\n")
        #expect(imported.status == 0 && imported.complaints.contains("another list “Groceries”"))
    }

    @Test("changes nothing if one of several items is unknown") func allOrNone() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread", "Tea")
        #expect(try await device.run("items", "tick", "Groceries", "Bread", "Soap").status == 6)
        #expect(try await device.json("lists")["lists"].elements[0]["ticked"] == 0)
    }

    @Test("exits with 64 for wrong usage and invalid values, with JSON on request") func usage()
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

    @Test("moves an item to the first place, to the last, after another and before another") func moving() async throws
    {
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

    @Test("shows duplicates, and merges them with their counts added up") func duplicates() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Milk", "Tea", "milk", "--count", "2")
        let found = try await device.json("items", "duplicates", "L")["duplicates"].elements
        #expect(found.map { $0["count"] } == [4])
        try await device.json("items", "duplicates", "L", "--merge")
        let items = try await device.json("items", "L")["items"].elements
        #expect(items.map { $0["title"] } == ["Milk", "Tea"])
        #expect(items.map { $0["count"] } == [4, 2])
    }

    @Test("asks before it deletes data, and requires --yes without a terminal") func dropping() async throws {
        try await device.json("lists", "create", "Groceries")
        let refused = try await device.run("drop-data", "everything")
        #expect(refused.status == 64)
        #expect(refused.complaints.contains("--yes"))
        #expect(try await device.json("lists")["lists"].elements.count == 1)
        try await device.json("drop-data", "everything", "--yes")
        #expect(try await device.json("lists")["lists"].elements.isEmpty)
    }

    @Test("Trap: the error about items remove --yes suggests --all, which empties the list – --yes is accepted")
    func removedWithYes() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Milk", "Tea")
        let removed = try await device.json("items", "remove", "Groceries", "1", "--yes")["removed"].elements
        #expect(removed.map { $0["title"] } == ["Milk"])
        let both = try await device.run("items", "remove", "Groceries", "--all", "1")
        #expect(both.status == 64 && both.complaints.contains("not both"), "\(both.complaints)")
        let none = try await device.run("items", "remove", "Groceries", "--yes")
        #expect(none.status == 64 && none.complaints.contains("or use --all"), "\(none.complaints)")
        #expect(try await device.titles("Groceries") == ["Tea"])
    }

    @Test("exits with 3 if a server is needed and none is set") func noServer() async throws {
        #expect(try await device.run("sync").status == 3)
        #expect(try await device.run("session", "new").status == 3)
        #expect(try await device.run("lists", "accept", "x").status == 3)
    }

    @Test("finds its data by KITH_DATA") func environment() async throws {
        let made = try await Program.built.run(["lists", "create", "Groceries"], in: folder)
        #expect(made.status == 0)
        let named = try await Program.built.run(["lists", "--json", "--data", folder.file("data").path()], in: folder)
        #expect(try named.json["lists"].elements.map { $0["name"] } == ["Groceries"])
        let home = ["HOME": folder.url.path()]
        let atHome = try await Program.built.run(
            ["lists", "--json", "--data", "~/data"], in: folder, environment: home)
        #expect(try atHome.json["lists"].elements.map { $0["name"] } == ["Groceries"])
        // The names of files mean the same folder.
        let export = try await Program.built.run(
            ["lists", "export", "Groceries", "--data", "~/data", "-o", "~/list.md"], in: folder, environment: home)
        #expect(export.status == 0, "\(export.complaints)")
        #expect(FileManager.default.fileExists(atPath: folder.file("list.md").path()))
    }

    @Test(
        "completes the names of lists for shells, without creating a folder",
        arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let script = try await device.run("--generate-completion-script", shell)
        #expect(script.status == 0)
        let question = ["---completion", "items", "tick", "--", "positional@0"]
        #expect(script.output.contains(question.joined(separator: " ")))
        func names() async throws -> [Substring] {
            // What is on the line so far, with the place of the word to complete and of the cursor in it.
            let line = ["5", "0", "kith", "items", "tick", "--data", device.data, ""]
            let run = try await Program.built.run(question + line, in: folder, environment: ["SAP_SHELL": shell])
            #expect(run.status == 0 && run.complaints == "")
            return run.output.split(separator: "\n").filter { $0 != " " }
        }
        #expect(try await names() == [])
        #expect(!FileManager.default.fileExists(atPath: device.data))
        for name in ["Groceries", "Tool shed"] { try await device.json("lists", "create", name) }
        // bash expands it once more.
        #expect(try await names() == ["Groceries", shell == "bash" ? #"'Tool\ shed'"# : "Tool shed"])
    }

    @Test("completes a command and a list in bash itself") func bash() async throws {
        let party = "Party $(touch run)`touch run` \"; touch run; it's \\"
        for name in ["Groceries", "Gifts", "Tool shed", party] {
            #expect(try await Program.built.run(["lists", "create", name], in: folder).status == 0)
        }
        let script = try await device.run("--generate-completion-script", "bash")
        let file = try folder.write(script.output, to: "completion")
        let ask = """
            source "$0" 2>/dev/null
            compopt() { :; }
            COMP_WORDS=("${@}")
            COMP_CWORD=$(($# - 1)) COMP_LINE=$* COMP_POINT=${#COMP_LINE}
            _kith "$1" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            printf '%s\n' "${COMPREPLY[@]}"
            """
        func replies(_ words: String...) async throws -> [Substring] {
            let line = ["-c", ask, file, Program.built.url.path()] + words
            let run = try await Program(url: URL(filePath: "/bin/bash")).run(line, in: folder)
            return run.output.split(separator: "\n").sorted()
        }
        #expect(try await replies("items", "unt") == ["untick", "untick-all"])
        #expect(try await replies("items", "tick", "G") == ["Gifts", "Groceries"])
        #expect(try await replies("items", "tick", "Too") == ["Tool\\ shed"])
        // Trap: Another person has chosen the name, and bash runs a part of it.
        let typed = try #require(try await replies("items", "tick", "Par").first)
        let read = try await Program(url: URL(filePath: "/bin/bash")).run(["-c", "printf %s \(typed)"], in: folder)
        #expect(read.output == party)
        #expect(!FileManager.default.fileExists(atPath: folder.file("run").path()))
    }

    @Test("sets and clears every property of an item") func editing() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Tea", "--count", "2")
        let flags = [
            "--title", "Green tea", "--count", "5", "--category", "Drinks", "--comment", "loose", "--offer", "o-1",
        ]
        let item = try await device.json(["items", "edit", "L", "Tea"] + flags)["items"].elements[0]
        #expect(item["title"] == "Green tea" && item["count"] == 5 && item["number"] == 1)
        #expect(item["category"] == "Drinks" && item["comment"] == "loose" && item["offer"] == "o-1")
        let more = try await device.json("items", "edit", "L", "1", "--more", "3")["items"].elements[0]
        #expect(more["count"] == 8 && more["title"] == "Green tea")
        let less = try await device.json("items", "edit", "L", "1", "--more=-6")["items"].elements[0]
        #expect(less["count"] == 2)
        let bare = try await device.json(
            "items", "edit", "L", "1", "--category", "", "--comment", "", "--offer", "")["items"].elements[0]
        #expect(bare["category"] == .null && bare["comment"] == .null && bare["offer"] == .null)
        #expect(try await device.run("items", "edit", "L", "1", "--count", "2", "--more", "1").status == 64)
    }

    @Test("loses no edit of an item or a list if several processes edit it at once") func atOnce() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Tea")
        let additions = Array(repeating: ["items", "edit", "L", "Tea", "--more", "1"], count: 6)
        let others = [
            ["items", "edit", "L", "Tea", "--comment", "loose"], ["items", "edit", "L", "Tea", "--category", "Drinks"],
            ["lists", "rename", "L", "--kind", "wish"], ["lists", "rename", "L", "--theme", "green"],
        ]
        try await withThrowingTaskGroup { group in
            for edit in additions + others { group.addTask { _ = try await device.json(edit) } }
            try await group.waitForAll()
        }
        let item = try await device.json("items", "L")["items"].elements[0]
        #expect(item["count"] == 7 && item["comment"] == "loose" && item["category"] == "Drinks")
        let list = try await device.json("lists")["lists"].elements[0]
        #expect(list["kind"] == "wish" && list["theme"] == "green")
    }

    @Test("unticks one, some and all, and shows what is open with its number") func unticking() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "a", "b", "c", "d")
        try await device.json("items", "tick", "L", "a", "b", "c")
        let unticked = try await device.json("items", "untick", "L", "b")["items"].elements
        #expect(unticked.map { $0["ticked"] } == [false])
        let open = try await device.json("items", "L", "--open")["items"].elements
        #expect(open.map { $0["title"] } == ["b", "d"])
        #expect(open.map { $0["number"] } == [2, 4])
        #expect(try await device.json("items", "untick-all", "L")["unticked"] == 2)
        #expect(try await device.json("items", "untick-all", "L")["unticked"] == 0)
        #expect(try await device.json("lists")["lists"].elements[0]["ticked"] == 0)
        try await device.json("items", "remove", "L", "--all")
        #expect(try await device.titles("L") == [])
    }

    @Test("moves lists that were never sent") func movingLists() async throws {
        for name in ["A", "B"] { try await device.json("lists", "create", name) }
        try await device.json("lists", "move", "B", "--first")
        #expect(try await device.json("lists")["lists"].elements.map { $0["name"] } == ["B", "A"])
        #expect(try await device.run("lists", "move", "B", "--after", "A").status == 0)
        #expect(try await device.json("lists")["lists"].elements.map { $0["name"] } == ["A", "B"])
    }

    @Test("drops the userless store on request") func droppingUserless() async throws {
        try await device.json("lists", "create", "Groceries")
        #expect(try await device.run("drop-data", "account", "--yes").status == 4)
        #expect(try await device.json("drop-data", "userless", "--yes") == .object(["dropped": "userless"]))
        #expect(try await device.json("lists")["lists"].elements.isEmpty)
    }

    @Test("reports damaged data with the place where it is kept, at once and in the status") func damage() async throws
    {
        try await device.json("lists", "create", "Groceries")
        #expect(try await device.json("status")["damaged"] == .array([]))
        let file = URL(filePath: device.data).appending(path: "kith.sqlite")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + suffix) }
        try Data("This is no database.".utf8).write(to: file)

        let run = try await device.run("--json", "lists")
        let kept = file.path() + ".broken-1"
        #expect(run.status == 0)
        #expect(try run.json["lists"] == .array([]))
        #expect(run.complaints.contains(kept), "\(run.complaints)")
        #expect(try String(contentsOf: URL(filePath: kept), encoding: .utf8) == "This is no database.")
        let status = try await device.run("status", "--json")
        #expect(status.complaints == "")
        #expect(try status.json["damaged"] == .array([.text(kept)]))
        #expect(try await device.run("status").output.contains(kept))
    }

    @Test("reports in JSON, too, that its folder cannot be created") func noFolder() async throws {
        let file = try folder.write("", to: "file")
        let run = try await Program.built.run(["lists", "--json", "--data", file + "/data"], in: folder)
        #expect(run.status == 1)
        #expect(try run.error["code"] == "folder")
    }

    @Test("watches the changes of another kith process in the same folder, each once", .timeLimit(.minutes(15)))
    func watching() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread")
        let watch = try await device.start("watch", "--json")
        var news = watch.lines.map { try JSON(parsing: $0) }.makeAsyncIterator()
        func next(_ collection: JSON) async throws -> JSON {
            while let piece = try await news.next(isolation: #isolation) {
                if piece["collection"] == collection { return piece }
            }
            return .null
        }
        let state = try await next("item")
        #expect(state["origin"] == "state")
        try await device.json("items", "add", "Groceries", "Tea")
        let added = try await next("item")
        #expect(added["origin"] == "elsewhere")
        #expect(added["added"].elements.map { $0["title"] } == ["Tea"])
        try await device.json("items", "tick", "Groceries", "Bread")
        #expect(try await next("item")["modified"].elements.map { $0["title"] } == ["Bread"])
        try await device.json("items", "remove", "Groceries", "Bread")
        #expect(try await next("item")["removed"].elements.map { $0["title"] } == ["Bread"])
        try await device.json("lists", "rename", "Groceries", "Food")
        try await device.json("lists", "remove", "Food")
        // Of a list that is gone only the list is told.
        var last = try await next("list")
        while last["removed"] == .array([]) { last = try await next("list") }
        #expect(last["removed"].elements.map { $0["id"] } == state["added"].elements.map { $0["list"] })
        watch.signal(SIGTERM)
        #expect(try await next("item") == .null)
        #expect(await watch.ended() == 0)
    }

    @Test("is described in Documentation/CommandLine.md, every command of it") func documentation() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/CommandLine.md"), encoding: .utf8)
        let dump = try await device.run("--experimental-dump-help")
        let tree = try JSON(parsing: dump.output)["command"]
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
