import Foundation
import KithCommand
import KithCards
import KithModel
import Processes
import Testing

@Suite("kith contacts") struct ContactTests {
    let device = Device(Folder(), "device")
    var folder: Folder { device.folder }

    /// One of the files that come with Kith, copied to where it may be changed.
    private func sample(_ name: String) throws -> String {
        let samples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Samples/AddressBook")
        let copy = folder.file(name)
        if !FileManager.default.fileExists(atPath: copy.path()) {
            try FileManager.default.copyItem(at: samples.appending(path: name), to: copy)
        }
        return copy.path()
    }

    private func add(_ names: String...) async throws {
        for name in names {
            let run = try await device.run("contacts", "add-source", try sample(name), "--region", "AT")
            try #require(run.status == 0 || run.status == 7, "\(run.complaints)")
        }
    }

    private static func card(_ name: String, _ lines: String...) -> String {
        (["BEGIN:VCARD", "VERSION:4.0", "FN:\(name)"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
    }

    /// Writes a file as programs do that have thought of power cuts: whole or not at all.
    private func replace(_ file: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    }

    @Test("shows one contact for the same person in two files, with each number once") func linked() async throws {
        try await add("iphone.vcf", "gmail.vcf")
        let zoe = try await device.json("contacts", "show", "zoe nowak")
        #expect(zoe["contact"]["cards"].elements.count == 2)
        #expect(zoe["numbers"].elements.map { $0["e164"] } == ["+436645550101", "+4315550101"])
        #expect(zoe["numbers"].elements.map { $0["kind"] } == ["mobile", "fixedLine"])
        #expect(zoe["numbers"].elements[0]["national"] == "0664 5550101")
        #expect(zoe["jscontact"].elements.count == 2)
    }

    @Test("Trap: Contacts without a phone are dropped – they are listed, and found by all else") func withoutPhone()
        async throws
    {
        try await add("gmail.vcf")
        let ruth = try await device.json("contacts", "search", "oyelaran")["contacts"].elements
        #expect(ruth.map { $0["name"] } == ["Ruth Oyelaran-Hayes"])
        #expect(ruth[0]["phones"] == .array([]))
        #expect(try await device.json("contacts")["total"] == 66)
    }

    @Test("Trap: Raw labels such as _$!<Mobile>!$_ are shown – people read “mobile”") func labels() async throws {
        let file = try sample("iphone.vcf")
        try #require(try String(contentsOf: URL(filePath: file), encoding: .utf8).contains("_$!<Mobile>!$_"))
        try await add("iphone.vcf")
        let labels = try await device.json("contacts")["contacts"].elements.flatMap { contact in
            (contact["phones"].elements + contact["emails"].elements).compactMap { $0["label"].text }
        }
        #expect(labels.contains("mobile") && labels.contains("Hütte"))
        #expect(!labels.contains { $0.contains("_$!<") })
        let page = try await device.run("contacts", "show", "zoë nowak")
        #expect(page.status == 0 && !page.output.contains("_$!<"))
    }

    @Test("answers in JSON with the documented keys") func shapes() async throws {
        try await add("khard.vcf")
        let listing = try await device.json("contacts", "--limit", "3")
        #expect(listing.keys == ["contacts", "total"])
        #expect(listing["contacts"].elements.count == 3)
        let contact = listing["contacts"].elements[0]
        #expect(
            contact.keys == ["id", "name", "section", "organization", "phones", "emails", "cards", "photo"])
        let whole = try await device.json("contacts", "show", try #require(contact["id"].text))
        #expect(whole.keys == ["contact", "numbers", "jscontact", "photo"])
        let sources = try await device.json("contacts", "sources")
        #expect(sources.keys == ["sources", "region"])
        #expect(sources["region"] == "AT")
        #expect(
            sources["sources"].elements[0].keys == [
                "id", "name", "kind", "location", "state", "cards", "error", "faults", "moreFaults", "limited",
                "waiting", "unsent", "loaded",
            ])
        #expect(sources["sources"].elements[0]["cards"] == 45)
    }

    @Test(
        "finds a contact by name, by family name, by a number in any notation, by an email in any case",
        arguments: [
            "Łukasz Nowak", "lukasz", "nowak łukasz", "0664 5550102", "+43 (0)664/555 01 02", "00436645550102",
            "Lukasz.Nowak@EXAMPLE.org",
        ])
    func naming(text: String) async throws {
        try await add("gmail.vcf")
        #expect(try await device.json("contacts", "show", text)["contact"]["name"] == "Łukasz Nowak")
    }

    @Test("never guesses: a shared landline lists its contacts, an unknown name similar ones") func ambiguous()
        async throws
    {
        try await add("iphone.vcf")
        let shared = try await device.run("--json", "contacts", "show", "01 5550101")
        #expect(shared.status == 6)
        #expect(try shared.error["code"] == "ambiguous")
        #expect(try shared.error["candidates"].elements.count == 3)
        let unknown = try await device.run("--json", "contacts", "show", "Zoe Nowka")
        #expect(unknown.status == 6)
        #expect(try unknown.error["candidates"] == .array(["Zoë Nowak"]))
    }

    @Test("reports unreadable parts by file and line, reads the rest, and exits with 7") func faults() async throws {
        let file = try sample("android.vcf")
        let run = try await device.run("contacts", "add-source", file)
        #expect(run.status == 7)
        let lines = run.complaints.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("\(file):") }, "\(run.complaints)")
        #expect(run.output.contains(": 78 cards; found \(lines.count) fault"), "\(run.output)")
        let source = try await device.json("contacts", "sources")["sources"].elements[0]
        #expect(source["cards"] == 78)
        #expect(source["faults"].elements.count == lines.count)
    }

    @Test("Trap: an import loses the rest of a broken note – it names the line, and exits with 7") func brokenNote()
        async throws
    {
        try await device.json("contacts", "add-source", try folder.write(Self.card("Zoe"), to: "mine.vcf"))
        let file = try folder.write(Self.card("Ada", "NOTE:red", "wine"), to: "ada.vcf")
        let run = try await device.run("contacts", "import", file)
        #expect(run.status == 7)
        #expect(run.complaints.hasPrefix("\(file):5: The line is no property"), "\(run.complaints)")
        #expect(run.output == "Imported 1 card into “mine”; found 1 fault.\n")
    }

    @Test("lists the first ten of many faults, counts the others, and says how to see them")
    func manyFaults()
        async throws
    {
        let text = String(repeating: "END:VCARD\r\n", count: 1_500) + Self.card("Ada")
        let file = try folder.write(text, to: "many.vcf")
        let run = try await device.run("contacts", "add-source", file)
        #expect(run.status == 7)
        let lines = run.complaints.split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.last == "\(file): … and 1490 more. To see them: kith contacts sources --json")
        let source = try await device.json("contacts", "sources")["sources"].elements[0]
        #expect(source["faults"].elements.count == 1_000 && source["moreFaults"] == 500)
    }

    @Test("exports vCards byte for byte, including unusual ones", arguments: ["iphone", "gmail", "outlook", "khard"])
    func untouched(name: String) async throws {
        try await add("\(name).vcf")
        let file = folder.file("out.vcf").path()
        try await device.json("contacts", "export", "-o", file)
        let original = try Data(contentsOf: folder.file("\(name).vcf"))
        let exported = try Data(contentsOf: URL(filePath: file))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        // The book is in another order than the file.
        #expect(exported.count == original.count)
        #expect(exported.sorted() == original.sorted())
        // Not in UTF-8, so that the test could not read what the program prints.
        if name == "outlook" { return }
        let one = try await device.json("contacts")["contacts"].elements[20]
        let card = try await device.run("contacts", "show", one["id"].text ?? "", "--vcard")
        #expect(card.status == 0)
        #expect(original.range(of: Data(card.output.utf8)) != nil)
    }

    @Test("imports only new contacts, from vCards and from JSContact") func importing()
        async throws
    {
        let folderOfCards = folder.file("cards")
        try FileManager.default.createDirectory(at: folderOfCards, withIntermediateDirectories: true)
        try await device.json("contacts", "add-source", folderOfCards.path(), "--name", "Mine")
        let file = try folder.write(
            Self.card("Ada Lovelace", "UID:ada", "TEL:+43 664 5550199") + Self.card("Grace Hopper", "UID:grace"),
            to: "two.vcf")
        let first = try await device.json("contacts", "import", file)
        #expect((first["imported"], first["known"]) == (2, 0))
        let again = try await device.json("contacts", "import", file, "--to", "mine")
        #expect((again["imported"], again["known"]) == (0, 2))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folderOfCards.path()).count == 2)

        // People with one uid, as in a copied template.
        let template = try folder.write(
            Self.card("Anna", "UID:t") + Self.card("Bert", "UID:t") + Self.card("Anna", "UID:t"), to: "template.vcf")
        let people = try await device.json("contacts", "import", template)
        #expect((people["imported"], people["known"], people["moreFaults"]) == (2, 1, 0))
        for name in ["Anna", "Bert"] { #expect(try await device.json("contacts", "search", name)["total"] == 1) }
        let typed = try await device.run("contacts", "import", "-", input: Self.card("Typed", "UID:typed"))
        #expect(typed.status == 0, "\(typed.complaints)")
        for uid in ["t", "t-2", "typed"] {
            try FileManager.default.removeItem(at: folderOfCards.appending(path: "\(uid).vcf"))
        }

        let json = folder.file("cards.json").path()
        try await device.json("contacts", "export", "--format", "jscontact", "-o", json)
        let other = Device(folder, "other")
        let empty = folder.file("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        try await other.json("contacts", "add-source", empty.path())
        #expect(try await other.json("contacts", "import", json)["imported"] == 2)
        let ada = try await other.json("contacts", "show", "ada")
        #expect(ada["numbers"].elements.map { $0["e164"] } == ["+436645550199"])

        let broken = try folder.write(Self.card("Alan Turing") + "BEGIN:VCARD\r\nFN:Cut off", to: "broken.vcf")
        let run = try await device.run("contacts", "import", broken)
        #expect(run.status == 7)
        #expect(run.complaints.hasPrefix("\(broken):5: "), "\(run.complaints)")
        #expect(try await device.json("contacts")["total"] == 4)
    }

    @Test("Trap: an import says that a card is there already, although its content differs – it names the card")
    func differing() async throws {
        let there = try folder.write(Self.card("Anna Huber", "UID:a", "TEL:1"), to: "mine.vcf")
        try await device.json("contacts", "add-source", there)
        let same = Self.card("Anna Huber", "REV:20260301T120000Z", "TEL:1", "UID:a")
        let file = try folder.write(Self.card("Anna Huber", "UID:a", "TEL:2") + same, to: "two.vcf")
        let run = try await device.run("contacts", "import", file)
        #expect(run.status == 7)
        let sentence = "1 differs from the card that is there, and was left out: Anna Huber."
        #expect(run.output.contains("; 1 was there already; \(sentence)"), "\(run.output)")
        let json = try await device.run("--json", "contacts", "import", file)
        #expect(try json.json["differing"] == .array(["Anna Huber"]))
        #expect(try json.json["known"] == 1)
    }

    @Test(
        "finds and shows a name, a company and a title in every language that the card has",
        arguments: ["山田", "太郎", "アクメ", "社長", "taro", "acme"])
    func languages(word: String) async throws {
        let card = """
            BEGIN:VCARD\r
            VERSION:4.0\r
            UID:taro\r
            FN;ALTID=1;LANGUAGE=en:Taro Yamada\r
            FN;ALTID=1;LANGUAGE=ja:山田太郎\r
            N;ALTID=2;LANGUAGE=en:Yamada;Taro;;;\r
            N;ALTID=2;LANGUAGE=ja:山田;太郎;;;\r
            ORG;ALTID=3;LANGUAGE=en:Acme\r
            ORG;ALTID=3;LANGUAGE=ja:アクメ\r
            TITLE;ALTID=4;LANGUAGE=en:Boss\r
            TITLE;ALTID=4;LANGUAGE=ja:社長\r
            END:VCARD\r

            """
        try await device.json("contacts", "add-source", try folder.write(card, to: "taro.vcf"))
        let found = try await device.json("contacts", "search", word)["contacts"].elements
        #expect(found.map { $0["name"] } == ["Taro Yamada"])
        for name in ["Taro Yamada", "山田太郎"] {
            let page = try await device.run("contacts", "show", name).output
            for text in ["Taro Yamada", "山田太郎", "Acme", "アクメ", "Boss", "社長"] {
                #expect(page.contains(text), "\(text) is not in \(page)")
            }
        }
    }

    @Test("converts cards to another version on request") func versions() async throws {
        let file = try folder.write(Self.card("Ada Lovelace", "UID:ada"), to: "ada.vcf")
        try await device.json("contacts", "add-source", file)
        let run = try await device.run("contacts", "export", "--version", "3.0")
        #expect(run.output.contains("VERSION:3.0\r\n") && run.output.contains("FN:Ada Lovelace\r\n"))
        #expect(try await device.run("contacts", "export", "--version", "5").status == 64)
        #expect(try await device.run("contacts", "export", "--version", "3.0", "--format", "jscontact").status == 64)
    }

    @Test("links and separates contacts, and keeps these decisions") func byHand() async throws {
        let file = try folder.write(
            Self.card("Ada Lovelace", "UID:1") + Self.card("Countess Ada", "UID:2")
                + Self.card("Grace Hopper", "UID:3"),
            to: "three.vcf")
        try await device.json("contacts", "add-source", file)
        let linked = try await device.json("contacts", "link", "ada lovelace", "countess")
        #expect(linked["contact"]["cards"].elements.count == 2)
        #expect(try await device.json("contacts")["total"] == 2)
        let apart = try await device.json("contacts", "unlink", "ada")
        #expect(apart["contacts"].elements.count == 2)
        #expect(try await device.json("contacts")["total"] == 3)
        #expect(try await device.run("contacts", "unlink", "grace").status == 64)
        #expect(try await device.run("contacts", "link", "grace", "Grace Hopper").status == 64)
    }

    @Test("finds a name by its start, also if that has neither letters nor digits", arguments: ["😀", "😀 Em", "???"])
    func signs(start: String) async throws {
        let cards = Self.card("😀 Emoji", "UID:a") + Self.card("??? Who", "UID:b")
        try await device.json("contacts", "add-source", try folder.write(cards, to: "signs.vcf"))
        let shown = try await device.json("contacts", "show", start)
        #expect(shown["contact"]["name"] == (start == "???" ? "??? Who" : "😀 Emoji"))
    }

    @Test("writes a photo with the bytes of the card") func photo() async throws {
        try await add("iphone.vcf")
        let file = folder.file("zoe.jpeg").path()
        let shown = try await device.json("contacts", "show", "zoë", "--photo", file)
        let data = try Data(contentsOf: URL(filePath: file))
        #expect(data.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(shown["photo"]["type"] == "image/jpeg")
        #expect(shown["photo"]["bytes"] == .integer(Int64(data.count)))
        #expect(try await device.run("contacts", "show", "ægir", "--photo", file).status == 6)
        // Not over the source itself.
        let source = try sample("iphone.vcf")
        #expect(try await device.run("contacts", "show", "zoë", "--photo", source).status == 64)
        #expect(try await device.json("contacts", "show", "zoë")["contact"]["name"] == shown["contact"]["name"])
    }

    @Test("keeps the contacts of a missing source, and says so") func gone() async throws {
        let file = try folder.write(Self.card("Ada Lovelace", "UID:ada"), to: "ada.vcf")
        try await device.json("contacts", "add-source", file)
        try FileManager.default.removeItem(atPath: file)
        let run = try await device.run("contacts", "sources", "--json")
        let source = try run.json["sources"].elements[0]
        #expect(source["state"] == "failed" && source["error"]["code"] == "notFound")
        #expect(try await device.json("contacts", "remove-source", "ada")["removed"]["name"] == "ada")
        #expect(try await device.json("contacts", "sources")["sources"] == .array([]))
    }

    @Test("refuses to add a source that does not exist, is already added, or has no password") func notAdded()
        async throws
    {
        let missing = try await device.run("--json", "contacts", "add-source", folder.file("missing.vcf").path())
        #expect(missing.status == 6)
        let file = try folder.write(Self.card("Ada Lovelace"), to: "ada.vcf")
        try await device.json("contacts", "add-source", file)
        #expect(try await device.run("contacts", "add-source", file).status == 64)
        for arguments in [
            ["https://dav.example.org"], ["https://ada:secret@dav.example.org"], ["https://ada@dav.example.org"],
            ["http://dav.example.org", "--user", "ada"], [file, "--user", "ada"],
        ] {
            let run = try await device.run(["contacts", "add-source"] + arguments)
            #expect(run.status == 64, "\(arguments): \(run.complaints)")
        }
        #expect(try await device.json("contacts", "sources")["sources"].elements.count == 1)
    }

    @Test("keeps an account with an unreachable server under its user name, and says so") func account()
        async throws
    {
        let password = try folder.write("correct horse\n", to: "password")
        let run = try await device.run(
            "--json", "contacts", "add-source", "http://127.0.0.1:1/dav", "--user", "ada", "--password-file", password)
        #expect(run.status == 0, "\(run.complaints)")
        let source = try run.json["source"]
        #expect(source["kind"] == "account" && source["location"] == "ada at http://127.0.0.1:1/dav")
        #expect(source["error"]["code"] == "offline")
        let data = try FileManager.default.contentsOfDirectory(atPath: device.data)
        for name in data where name.contains("sqlite") {
            let bytes = try Data(contentsOf: URL(filePath: device.data).appending(path: name))
            #expect(bytes.range(of: Data("correct horse".utf8)) == nil, "The password is in \(name).")
        }
        let listing = try await device.run("contacts")
        #expect(listing.status == 3 && !listing.complaints.contains("horse"))
    }

    @Test("says how to add a source if there is none") func noSource() async throws {
        let run = try await device.run("contacts")
        #expect(run.status == 0 && run.output.contains("kith contacts add-source"))
        #expect(try await device.json("contacts") == .object(["contacts": .array([]), "total": 0]))
        #expect(try await device.run("contacts", "show", "Ada").status == 6)
    }

    @Test("stores the region, and reads all numbers again") func region() async throws {
        let file = try folder.write(Self.card("Ada Lovelace", "TEL:0664 5550199"), to: "ada.vcf")
        try await device.json("contacts", "add-source", file, "--region", "at")
        func number() async throws -> JSON {
            try await device.json("contacts")["contacts"].elements[0]["phones"].elements[0]["number"]
        }
        #expect(try await number() == "+436645550199")
        try await device.json("contacts", "--region", "DE")
        #expect(try await number() == "+496645550199")
        #expect(try await device.run("contacts", "--region", "Austria").status == 64)
    }

    @Test("watches: first the current contacts, then each change of a file once")
    func watching() async throws {
        let file = try folder.write(Self.card("Ada Lovelace", "UID:ada", "TEL:+436645550199"), to: "ada.vcf")
        try await device.json("contacts", "add-source", file)
        let watch = try await device.start("contacts", "watch")
        let machine = try await device.start("contacts", "watch", "--json")
        var lines = watch.lines.makeAsyncIterator()
        var objects = machine.lines.map { try JSON(parsing: $0) }.makeAsyncIterator()
        #expect(await lines.next() == "1 contact, and what changes from now on:")
        let state = try #require(try await objects.next())
        #expect(state.keys == ["origin", "added", "removed", "modified"])
        #expect(state["origin"] == "state" && state["added"].elements.map { $0["name"] } == ["Ada Lovelace"])

        try replace(file, Self.card("Ada Lovelace", "UID:ada", "TEL:+436645550188"))
        #expect(await lines.next() == "~ Ada Lovelace: +436645550199 → +436645550188")
        #expect(try await objects.next()?["modified"].elements.count == 1)
        try replace(
            file, Self.card("Ada Lovelace", "UID:ada", "TEL:+436645550188") + Self.card("Grace Hopper", "UID:grace"))
        #expect(await lines.next() == "+ Grace Hopper")
        #expect(try await objects.next()?["added"].elements.map { $0["name"] } == ["Grace Hopper"])
        for child in [watch, machine] {
            child.signal(SIGINT)
            #expect(await child.ended() == 0)
        }
    }

    @Test("shows short ids that find the contact of their row") func idsOfAll()
        async throws
    {
        let file = folder.file("many.vcf")
        let cards = (1...30).map { Self.card("Ada Number\($0)", "UID:big-\($0)") }
        try Data(cards.joined().utf8).write(to: file)
        try await device.json("contacts", "add-source", file.path())
        for number in [2, 21] {
            let listing = try await device.run("contacts", "search", "Number\(number)", "--limit", "1")
            let row = try #require(listing.output.split(separator: "\n").first { $0.contains("Ada Number") })
            let id = try #require(row.split(separator: " ").last)
            let shown = try await device.json("contacts", "show", String(id))
            #expect(shown["contact"]["name"] == .text("Ada Number\(number)"))
        }
    }

    @Test("suggests likely contacts if no name matches") func likely() async throws {
        let file = folder.file("few.vcf")
        try Data(Self.card("Jürgen Müller").utf8).write(to: file)
        try await device.json("contacts", "add-source", file.path())
        #expect(try await device.run("contacts", "show", "Mueller").output.contains("Jürgen Müller"))
        let run = try await device.run("contacts", "show", "Miller")
        #expect(run.status == 6)
        #expect(run.complaints.contains("Did you mean") && run.complaints.contains("Jürgen Müller"))
    }

    @Test(
        "refuses a source without a location or a name", arguments: [["", "--name", "x"], ["x.vcf", "--name", " "]])
    func emptyArguments(_ arguments: [String]) async throws {
        let run = try await device.run("contacts", "add-source", arguments[0], arguments[1], arguments[2])
        #expect(run.status == 64)
    }

    @Test("refuses an invalid region, and says what a valid one is", arguments: ["XX", "Germany"])
    func noRegion(_ text: String) async throws {
        let run = try await device.run("contacts", "--region", text)
        #expect(run.status == 64)
        #expect(run.complaints.contains("two letters"))
    }
}
