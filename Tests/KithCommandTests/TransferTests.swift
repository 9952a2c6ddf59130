import Foundation
import KithCommand
import KithModel
import Testing

@Suite("Import and export") struct TransferTests {
    let device = Device(Folder(), "device")
    var folder: Folder { device.folder }

    @Test("say in what format a file is written whose ending names none") func otherEnding() async throws {
        try await device.json("lists", "create", "Groceries")
        let file = folder.file("list.pdf").path()
        let run = try await device.run("lists", "export", "Groceries", "-o", file)
        #expect(run.status == 0 && run.complaints.hasPrefix("\(file) is written as markdown, because "))
        for arguments in [["-o", folder.file("list.md").path()], ["-o", file, "--format", "csv"], []] {
            #expect(try await device.run(["lists", "export", "Groceries"] + arguments).complaints == "")
        }
    }

    @Test("preserve a list in every format", arguments: ["markdown", "csv", "icalendar", "json", "text"])
    func everyFormat(format: String) async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread", "Oat milk, warm", "Käse 🧀")
        try await device.json("items", "tick", "Groceries", "2")
        let file = folder.file("list.\(format)").path()
        let export = try await device.json("lists", "export", "Groceries", "--format", format, "-o", file)
        #expect(export["exported"] == 3)
        let back = try await device.json("lists", "import", file, "--format", format, "--name", "Back")
        #expect(back["imported"] == 3)
        let items = try await device.json("items", "Back")["items"].elements
        #expect(items.map { $0["title"] } == ["Bread", "Oat milk, warm", "Käse 🧀"])
        if format != "text" { #expect(items.map { $0["ticked"] } == [false, true, false]) }
    }

    @Test("take the format from the file name, and also the list's name if the file has none") func names()
        async throws
    {
        let file = try folder.write("- [ ] Bread\n- [x] Tea\n", to: "Weekend.md")
        let answer = try await device.json("lists", "import", file)
        #expect(answer["format"] == "markdown")
        #expect(answer["list"]["name"] == "Weekend")
        #expect(answer["list"]["ticked"] == 1)
    }

    @Test("list the columns of a table that items have no field for", arguments: [true, false])
    func unreadColumns(hasHeader: Bool) async throws {
        let rows = "Bread,2,0.99\n"
        let file = try folder.write(hasHeader ? "Name,Anzahl,Price\n" + rows : rows, to: "prices.csv")
        let run = try await device.run("lists", "import", file)
        #expect(run.status == 0)
        let unread = hasHeader ? "Anzahl, Price" : "column 2, column 3"
        #expect(run.complaints.contains("Columns that were not read: \(unread)"))
        let json = try await device.json("lists", "import", file)
        #expect(json["unread"].elements.compactMap(\.text).joined(separator: ", ") == unread)
    }

    @Test("use standard input and output, and print nothing else there") func pipes() async throws {
        let imported = try await device.run(
            "lists", "import", "-", "--name", " Pipe ", "--format", "text", input: "Bread\nTea\n")
        #expect(imported.status == 0)
        #expect(try await device.json("lists")["lists"].elements.map { $0["name"] } == ["Pipe"])
        let export = try await device.run("lists", "export", "Pipe", "--format", "text")
        #expect(export.output == "Bread\nTea\n")
        #expect(export.complaints == "")
    }

    @Test("write to the target of a link, which stays, and into a pipe") func specialFiles() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread")
        let target = try folder.write("old\n", to: "list.txt")
        let link = folder.file("link.txt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: target))
        try await device.json("lists", "export", "Groceries", "--format", "text", "-o", link.path())
        #expect(try String(contentsOf: URL(filePath: target), encoding: .utf8) == "Bread\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path()) == target)

        let pipe = folder.file("pipe").path()
        try #require(mkfifo(pipe, 0o600) == 0)
        // Open for reading and writing, so that neither side waits for the other.
        let reader = try FileHandle(forUpdating: URL(filePath: pipe))
        try await device.json("lists", "export", "Groceries", "--format", "text", "-o", pipe)
        #expect(try reader.read(upToCount: 6) == Data("Bread\n".utf8))
        let type = try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType
        #expect(type != .typeRegular)
    }

    @Test(
        "Trap: an exported list can be read by every user of the machine – a new file is private, and another keeps its mode"
    )
    func privacy() async throws {
        try await device.json("lists", "create", "Groceries")
        func mode(_ file: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        }
        let file = folder.file("list.md").path()
        try await device.json("lists", "export", "Groceries", "-o", file)
        #expect(try mode(file) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        try await device.json("lists", "export", "Groceries", "-o", file)
        #expect(try mode(file) == 0o640)
    }

    @Test(
        "Trap: an export to text or Markdown drops what people have entered – a note says what",
        arguments: [true, false])
    func left(isText: Bool) async throws {
        let format = isText ? "text" : "markdown"
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread", "--category", "Bakery", "--offer", "o-1")
        let run = try await device.run("lists", "export", "Groceries", "--format", format)
        #expect(run.status == 0)
        let left = isText ? ["category", "offer"] : ["offer"]
        #expect(
            run.complaints
                == "Not in \(format): \(left.joined(separator: ", ")). csv keeps all of the items, json everything.\n")
        let file = folder.file("list").path()
        let json = try await device.json("lists", "export", "Groceries", "--format", format, "-o", file)
        #expect(json["left"].elements.compactMap(\.text) == left)
        let whole = try await device.json("lists", "export", "Groceries", "--format", "csv", "-o", file)
        #expect(whole["left"] == .array([]))
    }

    @Test("Trap: kind and theme are lost on the way through a file – JSON keeps them, and others say that they do not")
    func kindAndTheme() async throws {
        try await device.json("lists", "create", "Presents", "--kind", "wish", "--theme", "sea")
        try await device.json("items", "add", "Presents", "Book")
        let file = folder.file("list").path()
        let json = try await device.json("lists", "export", "Presents", "--format", "json", "-o", file)
        #expect(json["left"] == .array([]))
        let back = try await device.json("lists", "import", file, "--name", "Back")
        #expect(back["list"]["kind"] == "wish" && back["list"]["theme"] == "sea")
        let table = try await device.json("lists", "export", "Presents", "--format", "csv", "-o", file)
        #expect(table["left"].elements.compactMap(\.text) == ["kind", "theme"])
        let run = try await device.run("lists", "export", "Presents", "--format", "icalendar")
        #expect(run.complaints == "Not in icalendar: kind, theme. json keeps everything.\n")
    }

    @Test("add to an existing list") func into() async throws {
        try await device.json("lists", "create", "Groceries")
        try await device.json("items", "add", "Groceries", "Bread")
        let file = try folder.write("Tea\n", to: "more.txt")
        try await device.json("lists", "import", file, "--into", "Groceries")
        #expect(try await device.titles("Groceries") == ["Bread", "Tea"])
        #expect(try await device.json("lists")["lists"].elements.count == 1)
    }

    @Test("read what is valid, list each invalid line, and exit with 7") func faults() async throws {
        let long = String(repeating: "x", count: 600)
        let file = try folder.write("Bread\n\(long)\nTea\n", to: "list.txt")
        let run = try await device.run("--json", "lists", "import", file)
        #expect(run.status == 7)
        #expect(run.complaints.hasPrefix("\(file):2: "))
        #expect(try run.json["imported"] == 2)
        #expect(try run.json["faults"].elements.map { $0["line"] } == [2])
        #expect(try await device.titles("list") == ["Bread", "Tea"])
    }

    @Test("Trap: a file in Windows-1252 loses its rows with umlauts – it is refused, with the option that reads it")
    func encoding() async throws {
        let url = folder.file("list.csv")
        let text = "title;count\r\nK\u{E4}se;2\r\nBrot;1\r\n"
        try Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }).write(to: url)
        let refused = try await device.run("--json", "lists", "import", url.path())
        #expect(refused.status == 7)
        #expect(try refused.error["code"] == "encoding")
        #expect(try await device.json("lists")["lists"].elements.isEmpty)
        try await device.json("lists", "import", url.path(), "--encoding", "windows-1252", "--name", "Whole")
        #expect(try await device.titles("Whole") == ["Käse", "Brot"])
        let part = try await device.run("lists", "import", url.path(), "--encoding", "utf-8", "--name", "Part")
        #expect(part.status == 7)
        #expect(try await device.titles("Part") == ["Brot"])
    }

    @Test("create no list if nothing in the file can be read") func nothing() async throws {
        let file = try folder.write("{\"items\": [", to: "broken.json")
        #expect(try await device.run("lists", "import", file).status == 7)
        #expect(try await device.run("lists", "import", folder.file("missing.txt").path()).status == 7)
        #expect(try await device.json("lists")["lists"].elements.isEmpty)
    }
}
