import Foundation
import KithCommand
import KithModel
import Testing

@Suite("Typed commands are understood, or the error names the wrong word") struct TypingTests {
    private let device = Device(Folder(), "device")
    private var folder: Folder { device.folder }

    private func run(_ arguments: [String]) async throws -> Program.Run {
        try await Program.built.run(arguments, in: folder)
    }

    @Test(
        "The error about a mistyped command does not name an option before it",
        arguments: [["--json"], ["--data", "x"], ["--data=x"], ["--offline"], ["--yes"], ["--json", "--offline"]])
    func optionBefore(options: [String]) async throws {
        let run = try await run(options + ["lsits", "create", "Tea"])
        #expect(run.status == 64)
        #expect(run.complaints.contains("There is no command “kith lsits”. Did you mean:"), "\(run.complaints)")
        #expect(run.complaints.contains("kith lists"))
    }

    @Test("The error names a mistyped option, also before a command, and says to put a command's option after it")
    func mistypedOption() async throws {
        let global = try await run(["--serverr", "http://x", "lists"])
        #expect(global.complaints.contains("no option --serverr. Did you mean:\n  --server"), "\(global.complaints)")
        let early = try await run(["--yes", "lists", "remove", "Tea"])
        #expect(early.status == 64)
        #expect(early.complaints.contains("Write options of “kith lists remove” after it"), "\(early.complaints)")
        for words in [["--region", "AT", "contacts"], ["--data", "d", "--region", "AT", "contacts"]] {
            let complaints = try await run(words).complaints
            #expect(complaints.contains("“kith” has no option --region. Write options of “kith contacts” after it."))
        }
        let between = try await run(["lists", "--theme", "x", "create", "Tea"]).complaints
        #expect(between.contains("“kith lists” has no option --theme. Write options of “kith lists create” after it."))
        let late = try await run(["network", "--all", "shwo"])
        #expect(late.complaints.contains("There is no command “kith network shwo”."), "\(late.complaints)")
    }

    @Test("Options without a command, as an alias has them, are an error that says so; with -h they show the help")
    func onlyOptions() async throws {
        for words in [["--data", "lists"], ["--data=x", "--json"], ["--account", "a", "--offline"]] {
            let run = try await run(words)
            #expect(run.status == 64 && run.complaints.contains("A command is missing."), "\(run.complaints)")
        }
        for help in [["-h"], ["--help"]] {
            let group = try await run(["items"] + help)
            #expect(try await run(["--data", "x", "items"] + help).output == group.output)
            let all = try await run(help)
            #expect(try await run(["--json"] + help).output == all.output)
        }
    }

    @Test("A second list after “items” is too much, and the first one is no command") func secondList() async throws {
        let run = try await device.run("items", "Groceries", "extra")
        #expect(run.status == 64 && run.complaints.contains("Unexpected argument 'extra'"), "\(run.complaints)")
        let near = try await device.run("items", "tik", "Groceries")
        #expect(near.complaints.contains("There is no command “kith items tik”. Did you mean:"), "\(near.complaints)")
    }

    @Test("Help for an unknown command fails and suggests the nearest") func help() async throws {
        for words in [["help", "lsits"], ["help", "lists", "crate"], ["--json", "help", "lsits"]] {
            let run = try await run(words)
            #expect(run.status == 64 && run.output.isEmpty && run.complaints.contains("There is no command"))
        }
        #expect(try await run(["help", "lists", "crate"]).complaints.contains("kith lists create"))
        #expect(try await run(["help", "nonsense"]).status == 64)
        #expect(try await run(["help", "lists", "create"]).output.contains("USAGE: kith lists create"))
        #expect(try await run(["help"]).status == 0)
        for words in [["--data", "d", "help", "lists", "create"], ["help", "lists", "create", "--offline"]] {
            #expect(try await run(words).output.contains("USAGE: kith lists create"))
        }
    }

    @Test(
        "Help offers only the roles that the command gives",
        arguments: [["lists", "share"], ["lists", "role"], ["invite", "email"]])
    func roles(command: [String]) async throws {
        let help = try await run(["help"] + command).output
        #expect(help.contains("viewer") && help.contains("editor") && !help.contains("owner"), "\(help)")
        let refused = try await run(["lists", "share", "Tea", "--as", "owner"])
        #expect(refused.status == 64 && refused.complaints.contains("kith lists hand-over"))
    }

    @Test("A list's name after “lists” leads to its items") func listName() async throws {
        try await device.json("lists", "create", "Tool shed")
        let exact = try await device.run("lists", "tool")
        #expect(exact.status == 64 && exact.complaints.contains("kith items 'Tool shed'"), "\(exact.complaints)")
        let json = try await device.run("--json", "lists", "Tool shed")
        #expect(try json.error["candidates"].elements.first == "kith items 'Tool shed'")
        #expect(try await !device.run("lists", "crate").complaints.contains("Tool shed"))
        try await device.json("lists", "create", "N")
        let letter = try await device.run("--json", "lists", "N")
        #expect(try letter.error["candidates"].elements == ["kith items N"])
        let near = try await device.run("--json", "lists", "Toolshed")
        #expect(try near.error["candidates"].elements == ["kith items 'Tool shed'"])
    }

    @Test("A mistyped command of “lists” leads to the nearest ones and to the help, not to all of them")
    func mistypedListCommand() async throws {
        #expect(try await device.run("--json", "lists", "nosuch").error["candidates"].elements == ["kith lists --help"])
        let near = try await device.run("--json", "lists", "crate").error["candidates"].elements
        #expect(near.first == "kith lists create" && near.last == "kith lists --help" && near.count <= 4, "\(near)")
        for help in [["lists", "--help"], ["help", "lists"]] {
            #expect(try await run(help).output.contains("--all-accounts"))
        }
    }

    @Test(
        "A command that other programs have leads to the one that does the same here",
        arguments: [
            ("lists delete Groceries", "kith lists remove"), ("lists rm Groceries", "kith lists remove"),
            ("lists show Groceries", "kith items Groceries"), ("items list Groceries", "kith items LIST"),
            ("items done Groceries 1", "kith items tick"), ("items rm Groceries 1", "kith items remove"),
            ("contacts add Ada", "kith contacts import FILE"), ("contacts new", "kith contacts import FILE"),
            ("help contacts create", "kith contacts import FILE"),
        ])
    func equivalents(typed: String, meant: String) async throws {
        try await device.json("lists", "create", "Groceries")
        let words = (typed.hasPrefix("help") ? [] : device.options) + typed.split(separator: " ").map(String.init)
        let run = try await run(["--json"] + words)
        #expect(run.status == 64)
        #expect(try run.error["candidates"].elements == [.text(meant)], "\(run.complaints)")
    }

    @Test("An option that other programs have leads to those that do the same here") func equivalentOptions()
        async throws
    {
        let run = try await device.run("--json", "profile", "set", "--name", "Ada Lovelace")
        #expect(run.status == 64)
        #expect(try run.error["candidates"].elements == ["--given", "--family"], "\(run.complaints)")
    }

    @Test("A word with a dash that is no option leads to --, with which it is an argument") func dashedWords()
        async throws
    {
        try await device.json("lists", "create", "L")
        for words in [["-x"], ["Tea", "-x"]] {
            let run = try await device.run(["items", "add", "L"] + words)
            #expect(run.status == 64 && run.complaints.contains("write -- before it: -- -x"), "\(run.complaints)")
        }
        try await device.json("items", "add", "L", "--", "-x")
        #expect(try await device.titles("L") == ["-x"])
        #expect(try await !device.run("lists", "export", "-o").complaints.contains("write --"))
        // A number is an argument, so it is not the mistake.
        let number = try await device.run("lists", "role", "L", "-1")
        #expect(number.status == 64 && !number.complaints.contains("write --"), "\(number.complaints)")
    }

    @Test("Two options that exclude each other are named in plain words") func clash() async throws {
        let run = try await device.run("session", "logout", "--keep", "--move")
        #expect(run.status == 64)
        #expect(run.complaints.contains("Use either --keep or --move, and not both."), "\(run.complaints)")
        let json = try await device.run("--json", "session", "new", "--drop", "--keep")
        #expect(try json.error["sentence"] == "Use either --drop or --keep, and not both.")
    }

    @Test("The error about a wrong value has the help of its option, as text and as JSON") func wrongValue()
        async throws
    {
        let text = try await device.run("lists", "share", "L", "--expires", "14")
        #expect(text.status == 64 && text.complaints.contains("12h, 14d, 2w"), "\(text.complaints)")
        let json = try await device.run("--json", "lists", "share", "L", "--expires", "14")
        let sentence = try #require(try json.error["sentence"].text)
        #expect(sentence.hasPrefix("The value '14' is invalid for '--expires <expires>'. How long"), "\(sentence)")
        #expect(sentence.contains("12h, 14d, 2w"), "\(sentence)")
        let listed = try await device.run("--json", "lists", "share", "L", "--as", "x")
        let values = try #require(try listed.error["sentence"].text)
        #expect(values.contains("viewer") && !values.contains(".."), "\(values)")
    }

    @Test("A negative number is a value of an option, and an argument") func negative() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Tea", "--count", "3")
        let less = try await device.json("items", "edit", "L", "Tea", "--more", "-2")["items"].elements[0]
        #expect(less["count"] == 1)
        let count = try await device.run("items", "edit", "L", "Tea", "--count", "-2")
        #expect(count.status == 64 && count.complaints.contains("from 1 to 9999"), "\(count.complaints)")
        #expect(
            try await device.run("items", "add", "L", "Milk", "--count", "-2").complaints.contains("from 1 to 9999"))
        #expect(try await device.run("contacts", "--limit", "-2").complaints.contains("A limit is 1 or more."))
        #expect(try await device.run("contacts", "search", "x", "--limit", "-2").complaints.contains("1 or more."))
        #expect(try await device.run("lists", "share", "L", "--expires", "-2d").complaints.contains("-2d"))
        #expect(try await run(["admin", "account", "list", "--limit", "-2"]).complaints.contains("from 1 to 100000"))
        try await device.json("items", "add", "L", "-10 °C bag", "-4", "Ice", "--count", "2")
        #expect(try await device.titles("L") == ["Tea", "-10 °C bag", "-4", "Ice"])
        #expect(try await device.run("items", "tick", "L", "-9").complaints.contains("There is no item “-9”."))
    }

    @Test("A value of an option can be empty after its sign, and can begin with a dash") func values() async throws {
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Tea", "--comment", "- green", "--category=Drinks")
        let made = try await device.json("items", "L")["items"].elements[0]
        #expect(made["comment"] == "- green" && made["category"] == "Drinks")
        try await device.json("items", "edit", "L", "Tea", "--category=", "--comment=- black = hot")
        let changed = try await device.json("items", "L")["items"].elements[0]
        #expect(changed["comment"] == "- black = hot" && changed["category"] == .null)
        try await device.json("items", "edit", "L", "Tea", "--comment", "-- cold")
        #expect(try await device.json("items", "L")["items"].elements[0]["comment"] == "-- cold")
        let forgotten = try await device.run("items", "edit", "L", "Tea", "--comment", "--category=two words")
        #expect(forgotten.status == 64 && forgotten.complaints.contains("--comment"), "\(forgotten.complaints)")
    }

    @Test("White space at the ends of names and titles is not stored") func whiteSpace() async throws {
        try await device.json("lists", "create", " Tools\n")
        try await device.json("items", "add", "Tools", "\u{A0}saw ", "nails\r", "hammer")
        try await device.json("items", "edit", "Tools", "hammer", "--title", "\tbig hammer\u{200B}")
        try await device.json("lists", "rename", "Tools", "  Shed  ")
        #expect(try await device.listNames() == ["Shed"])
        #expect(try await device.titles("Shed") == ["saw", "nails", "big hammer"])
        #expect(try await device.run("items", "add", "Shed", "  ").status == 64)
    }

    @Test("The last removal can be undone in another process, once") func undo() async throws {
        #expect(try await device.run("undo").status == 6)
        try await device.json("lists", "create", "L")
        try await device.json("items", "add", "L", "Milk", "Tea", "Bread")
        try await device.json("items", "remove", "L", "Milk", "Tea")
        #expect(try await device.run("undo").output == "Put back “Milk”, “Tea” in “L”.\n")
        #expect(try await device.titles("L") == ["Milk", "Tea", "Bread"])
        let again = try await device.run("--json", "undo")
        #expect(try again.status == 6 && again.error["code"] == "notFound")
        try await device.json("items", "tick", "L", "Tea")
        try await device.json("items", "clear-ticked", "L")
        #expect(try await device.json("undo")["items"].elements.map { $0["title"] } == ["Tea"])
        try await device.json("items", "remove", "L", "--all")
        try await device.json("lists", "remove", "L")
        let back = try await device.json("undo")
        #expect(back["lists"].elements.map { $0["name"] } == ["L"])
        try await device.json("drop-data", "everything", "--yes")
        #expect(try await device.run("undo").status == 6)
    }

    @Test("A file is accepted as a source only if it has a card") func cardless() async throws {
        for (name, text) in [("empty.vcf", ""), ("notes.txt", "Buy milk.\n"), ("end.vcf", "END:VCARD\n")] {
            let file = try folder.write(text, to: name)
            let run = try await device.run("--json", "contacts", "add-source", file)
            #expect(run.status == 7, "\(name): \(run.complaints)")
            #expect(run.complaints.contains("noCard"), "\(name): \(run.complaints)")
        }
        #expect(try await device.json("contacts", "sources")["sources"].elements.isEmpty)
        let file = try folder.write("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n", to: "ada.vcf")
        #expect(try await device.json("contacts", "add-source", file)["source"]["cards"] == 1)
    }

    @Test("A contact's long values are wrapped to COLUMNS on a terminal, and not in a pipe")
    func wrapping() async throws {
        let note =
            String(repeating: "Brings the cake. ", count: 1) + "Knows the way to the lake, and where the key is kept"
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nNOTE:\(note)\r\nEND:VCARD\r\n"
        try await device.json("contacts", "add-source", try folder.write(card, to: "ada.vcf"), "--region", "AT")
        #expect(try await device.run("contacts", "show", "Ada").output.contains(note))
        let narrow = try await device.run(["contacts", "show", "Ada"], environment: ["COLUMNS": "50"])
        let lines = narrow.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 50 } && lines.contains { $0.hasPrefix("Note") }, "\(narrow.output)")
    }
}
