import Foundation
import KithCommand
import KithCards
import KithModel
import Testing

@Suite("Contacts that are exported and imported") struct ContactRoundTripTests {
    private let device = Device(Folder(), "device")
    private var folder: Folder { device.folder }

    private static let card = """
        BEGIN:VCARD\r
        VERSION:3.0\r
        UID:ada\r
        FN:Ada Lovelace\r
        N:Lovelace;Ada;;;\r
        X-SECRET-CODE:1815\\,12\r
        CLASS:PRIVATE\r
        item1.TEL;TYPE=CELL,X-Segelboot:+43 664 5550199\r
        item1.X-FOO;A=b:x\r
        item2.EMAIL:ada@example.com\r
        item2.X-ABLabel:Club\r
        X-SEAL;ENCODING=b:AQIDBA==\r
        item3.X-ABDATE:1835-07-08\r
        item3.X-ABLabel:Moved\r
        END:VCARD\r

        """

    /// The lines of a card, without folds.
    private static func lines(_ text: String) -> [String] {
        text.replacing("\r\n ", with: "").split(separator: "\r\n").map(String.init)
    }

    @Test("through JSContact keep unknown properties")
    func jscontact() async throws {
        try await device.json("contacts", "add-source", try folder.write(Self.card, to: "ada.vcf"))
        let json = folder.file("cards.json").path()
        try await device.json("contacts", "export", "--format", "jscontact", "-o", json)
        let other = Device(folder, "other")
        let copies = folder.file("copies")
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        try await other.json("contacts", "add-source", copies.path())
        #expect(try await other.json("contacts", "import", json)["imported"] == 1)
        let lines = Self.lines(try await other.run("contacts", "export").output)
        for line in ["X-SECRET-CODE:1815\\,12", "CLASS:PRIVATE", "item1.X-FOO;A=b:x"] {
            #expect(lines.contains(line), "\(line) is not in \(lines).")
        }
        #expect(lines.contains { $0.hasPrefix("X-SEAL") && $0.hasSuffix("AQIDBA==") })
        #expect(lines.contains { $0.hasPrefix("item1.TEL") && $0.contains("X-Segelboot") })
        #expect(try await other.run("contacts", "show", "Ada").output.contains("Segelboot"))
        // The group of the label is none of those that came along.
        let email = try #require(lines.first { $0.contains("EMAIL") })
        let group = try #require(email.split(separator: ".").first)
        #expect(lines.filter { $0.hasPrefix("\(group).") }.count == 2)
        #expect(lines.contains("\(group).X-ABLABEL:Club") || lines.contains("\(group).X-ABLabel:Club"))
    }

    /// Cards in UTF-16 with a byte order mark.
    private static func utf16(_ names: [String], lineEnd: String = "\r\n") -> Data {
        let cards = names.map { "BEGIN:VCARD\(lineEnd)VERSION:3.0\(lineEnd)FN:\($0)\(lineEnd)END:VCARD" }
        return Data(
            [0xFF, 0xFE] + cards.joined(separator: lineEnd).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    }

    @Test("from sources in UTF-16 and in UTF-8 are all exported, in one encoding")
    func encodings() async throws {
        let names = ["Zoë 日本 😀", "Ágnes", "Björn"]
        for (number, names) in [Array(names.prefix(2)), [names[2]]].enumerated() {
            let file = folder.file("utf16-\(number).vcf")
            try Self.utf16(names).write(to: file)
            try await device.json("contacts", "add-source", file.path())
        }
        try await device.json("contacts", "add-source", try folder.write(Self.card, to: "ada.vcf"))
        let export = folder.file("all.vcf")
        #expect(try await device.json("contacts", "export", "-o", export.path())["exported"] == 4)
        let data = try Data(contentsOf: export)
        #expect(String(validating: data, as: UTF8.self) != nil)
        let (cards, faults) = VCardReader.cards(in: data)
        #expect(Set(cards.compactMap { Card($0).name.full }) == Set(names + ["Ada Lovelace"]))
        #expect(faults.isEmpty)
        let shown = try await device.run("contacts", "show", "Björn", "--vcard")
        #expect(shown.output.hasPrefix("BEGIN:VCARD") && shown.output.contains("FN:Björn"))
    }

    @Test("from sources in an 8-bit charset and in UTF-8 are exported in UTF-8; from one file, unchanged")
    func charsets() async throws {
        func vCard(_ name: String) -> String { "BEGIN:VCARD\r\nVERSION:2.1\r\nN:\(name)\r\nEND:VCARD\r\n" }
        let latin = Data(vCard("Müller;Jörg").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        try latin.write(to: folder.file("latin.vcf"))
        try await device.json("contacts", "add-source", folder.file("latin.vcf").path())
        let (alone, all) = (folder.file("alone.vcf"), folder.file("all.vcf"))
        try await device.json("contacts", "export", "-o", alone.path())
        #expect(try Data(contentsOf: alone) == latin)
        try await device.json("contacts", "add-source", try folder.write(vCard("Zoë;Ágnes"), to: "utf8.vcf"))
        try await device.json("contacts", "export", "-o", all.path())
        let data = try Data(contentsOf: all)
        #expect(String(validating: data, as: UTF8.self) != nil)
        let names = VCardReader.cards(in: data).cards.map { Card($0).name.displayText }
        #expect(Set(names) == ["Jörg Müller", "Ágnes Zoë"])
    }

    @Test("from one folder in an 8-bit charset and in UTF-8 are exported in UTF-8")
    func charsetsOfAFolder() async throws {
        func vCard(_ name: String) -> String { "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\(name)\r\nEND:VCARD\r\n" }
        let cards = folder.file("cards")
        try FileManager.default.createDirectory(at: cards, withIntermediateDirectories: true)
        let latin = Data(vCard("Jörg").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        try latin.write(to: cards.appending(path: "latin.vcf"))
        try Data(vCard("Zoë").utf8).write(to: cards.appending(path: "utf8.vcf"))
        try await device.json("contacts", "add-source", cards.path())
        let export = folder.file("all.vcf")
        try await device.json("contacts", "export", "-o", export.path())
        let data = try Data(contentsOf: export)
        #expect(String(validating: data, as: UTF8.self) != nil)
        #expect(Set(VCardReader.cards(in: data).cards.map { Card($0).name.full }) == ["Jörg", "Zoë"])
    }

    @Test(
        "are not written over a source, however its file is named, nor among the files of one",
        arguments: ["ada.vcf", "sub/../ada.vcf", "link.vcf", "copies/new.vcf", "copies/ADA.VCF"])
    func ontoSource(target: String) async throws {
        let source = try folder.write(Self.card, to: "ada.vcf")
        for name in ["sub", "copies"] {
            try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.vcf").path(), withDestinationPath: source)
        try await device.json("contacts", "add-source", source)
        try await device.json("contacts", "add-source", folder.file("copies").path())
        let run = try await device.run("contacts", "export", "-o", folder.file(target).path())
        #expect(run.status == 64)
        let name = target.hasPrefix("copies") ? "copies" : "ada"
        #expect(run.complaints.contains("your source “\(name)”"), "\(run.complaints)")
        #expect(try String(contentsOfFile: source, encoding: .utf8) == Self.card)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("copies").path()).isEmpty)
        // A file beside the sources is no source, and neither is one of another kind in a source's folder.
        for other in ["other.vcf", "copies/cards.json"] {
            try await device.json("contacts", "export", "-o", folder.file(other).path())
        }
    }

    @Test("are not written if they cannot be read back")
    func notReadBack() throws {
        let sound = try VCard(Array(Self.card.utf8))
        let whole = try VCardExport([sound, sound], isOfOneFile: true).data
        #expect(VCardReader.cards(in: whole).cards == [sound, sound])
        let half = try VCard(Self.utf16(["\u{FFFD}"]).map { $0 == 0xFD ? 0x00 : $0 == 0xFF ? 0xD8 : $0 }.dropFirst(2))
        #expect(throws: Never.self) { try VCardExport([half, sound], isOfOneFile: false) }
        for end in [whole.count - 20, whole.count / 2 + 30, whole.count / 2 - 30, 0] {
            #expect(throws: Failure.self) { try VCardExport.check(whole.prefix(end), holds: [sound, sound]) }
        }
        #expect(throws: Failure.self) { try VCardExport.check(whole, holds: [sound]) }
        let json = Data(#"[{"@type":"Card","version":"1.0","uid":"a"},{"@type":"Card"}]"#.utf8)
        #expect(throws: Failure.self) { try CardFormat.check(json, holds: 3) }
        #expect(throws: Failure.self) { try CardFormat.check(json.dropLast(3), holds: 2) }
        #expect(throws: Never.self) { try CardFormat.check(json, holds: 2) }
        #expect(Failure.notReadBack(2, of: 6).sentence.contains("of 6 cards 2 could be read back"))
    }

    @Test("are not written if a card exceeds a limit, which is named")
    func beyondLimit() throws {
        let lines = String(repeating: "X-A:1\r\n", count: VCard.Limits.properties + 1)
        let card = Data("BEGIN:VCARD\r\n\(lines)END:VCARD\r\n".utf8)
        let error = #expect(throws: Failure.self) {
            try VCardExport.check(card, holds: [VCard(Array(Self.card.utf8))])
        }
        let sentence = try #require(error).sentence
        #expect(sentence.contains("more than \(VCard.Limits.properties) properties"), "\(sentence)")
        #expect(!sentence.contains("fewer contacts"), "\(sentence)")
    }

    @Test("are shown with all their types, and as JSON with unknown properties")
    func shown() async throws {
        let file = """
            BEGIN:VCARD
            VERSION:3.0
            FN:Grace Hopper
            item1.TEL;TYPE=X-Segelboot:+43 664 5550199
            item1.X-ABLabel:Harbour
            item2.EMAIL;TYPE=WhatsApp:grace@example.com
            item2.X-ABLabel:Club
            item3.ADR;TYPE=X-Winter:;;Ring 1;Graz;;8010;
            item3.X-ABLabel:Cottage
            IMPP;TYPE=X-Foo;X-SERVICE-TYPE=Jabber:xmpp:grace@example.com
            X-SECRET-CODE:1815
            END:VCARD

            """
        try await device.json("contacts", "add-source", try folder.write(file, to: "grace.vcf"))
        let page = try await device.run("contacts", "show", "Grace").output
        for words in ["Harbour, Segelboot", "Club, WhatsApp", "Cottage, Winter", "Jabber, Foo"] {
            #expect(page.contains(words), "\(words) is not in \(page)")
        }
        let card = try #require(try await device.json("contacts", "show", "Grace")["jscontact"].elements.first)
        #expect("\(card["vCardProps"])".contains("1815"), "\(card)")
    }

    @Test("in another version keep unknown properties, once and in their place")
    func versions() async throws {
        try await device.json("contacts", "add-source", try folder.write(Self.card, to: "ada.vcf"))
        for version in ["2.1", "3.0", "4.0"] {
            let lines = Self.lines(try await device.run("contacts", "export", "--version", version).output)
            #expect(lines.contains("X-SECRET-CODE:1815\\,12") && lines.contains("CLASS:PRIVATE"), "\(lines)")
            #expect(lines.filter { $0.hasPrefix("item1.") }.count == 2, "\(lines)")
            #expect(lines.count { $0.contains("X-ABDATE") } == 1 && lines.count { $0.hasSuffix("Moved") } == 1)
            #expect(lines.count { $0.contains("X-SEAL") } == 1)
        }
    }

    @Test("in another version lack lines that are no properties, with a note")
    func strayLines() async throws {
        let card = Self.card.replacing("CLASS:PRIVATE", with: "X-GOOGLE TALK:ada\r\nprose")
        let added = try await device.run("contacts", "add-source", try folder.write(card, to: "ada.vcf"))
        #expect(added.status == 7)
        let run = try await device.run("contacts", "export", "--version", "3.0")
        #expect(run.complaints.contains("Left out 2 lines that are no properties."), "\(run.complaints)")
        #expect(!run.output.contains("TALK"))
        #expect(try await device.run("contacts", "export").output == card)
    }

    @Test("JSON that is not a card is refused with exit code 7")
    func noCard() async throws {
        let copies = folder.file("copies")
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        try await device.json("contacts", "add-source", copies.path())
        let file = try folder.write(#"{"error":"x"}"#, to: "error.json")
        let run = try await device.run("contacts", "import", file)
        #expect(run.status == 7)
        #expect(run.complaints.hasPrefix("\(file):1: This is not a valid JSContact card"), "\(run.complaints)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path()).isEmpty)
    }
}
