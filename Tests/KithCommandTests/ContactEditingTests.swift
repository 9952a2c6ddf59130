import Foundation
import KithModel
import Processes
import Testing

@Suite("kith contacts edit and remove") struct ContactEditingTests {
    let folder = Folder()
    let device: Device
    private var file: URL { folder.file("contacts.vcf") }

    init() async throws {
        device = Device(folder, "device")
        try write(Self.ada + Self.grace)
        let run = try await device.run("contacts", "add-source", file.path(), "--region", "AT")
        try #require(run.status == 0, "\(run.complaints)")
    }

    private static let ada =
        "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lovelace;Ada;;;\r\nFN:Ada Lovelace\r\nTEL;TYPE=CELL:0664 5550101\r\n"
        + "X-ODD:kept\r\nEND:VCARD\r\n"
    private static let grace = "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:g\r\nFN:Grace Hopper\r\nEND:VCARD\r\n"

    private func write(_ text: String) throws { try Data(text.utf8).write(to: file, options: .atomic) }
    private var text: String { get throws { String(decoding: try Data(contentsOf: file), as: UTF8.self) } }

    @Test("change only the named properties") func edits() async throws {
        let run = try await device.run(
            "contacts", "edit", "ada", "--family", "King", "--add-phone", "01 5550101", "--remove-phone",
            "+43 664 5550101", "--add-email", "ada@example.com", "--job", "Countess")
        #expect(run.status == 0, "\(run.complaints)")
        #expect(run.output == "Saved “Ada King” in “contacts”.\n")
        let shown = try await device.json("contacts", "show", "ada")
        #expect(shown["contact"]["name"] == "Ada King")
        #expect(shown["contact"]["phones"].elements.map { $0["original"] } == ["01 5550101"])
        #expect(shown["contact"]["emails"].elements.map { $0["original"] } == ["ada@example.com"])
        #expect(try text.contains("X-ODD:kept\r\n"))
        #expect(try text.hasSuffix(Self.grace))
    }

    /// The card of Ada with other names.
    private static func card(fullName: String, parts: String) -> String {
        ada.replacing("FN:Ada Lovelace", with: "FN:\(fullName)").replacing("N:Lovelace;Ada;;;", with: "N:\(parts)")
    }

    @Test(
        "Trap: --given and --family replace the whole name by the parts – they change only these parts of it",
        arguments: [
            (["--given", "Änne"], "John Doe III", "Doe;John;;Mr.;III", "Änne Doe III", "Doe;Änne;;Mr.;III"),
            (["--family", "King"], #"Doe\, John"#, "Doe;John;;;", #"King\, John"#, "King;John;;;"),
            (["--given", "Doe", "--family", "Jo"], "Sir John Doe", "Doe;John;;;", "Sir Doe Jo", "Jo;Doe;;;"),
            (["--given", ""], "Mrs Ada Lovelace", "Lovelace;Ada;;;", "Mrs Lovelace", "Lovelace;;;;"),
            (["--given", "Frankie", "--family", "Dawson"], "Frank D.", ";;;;", "Frankie Dawson", "Dawson;Frankie;;;"),
            (["--given", "Eve"], "", ";;;;", "Eve", ";Eve;;;"),
        ])
    func partsOfNames(
        options: [String], fullName: String, parts: String, newName: String, newParts: String
    ) async throws {
        try write(Self.card(fullName: fullName, parts: parts))
        let run = try await device.run(["contacts", "edit", "+43 664 5550101"] + options)
        #expect(run.status == 0 && run.complaints == "", "\(run.complaints)")
        #expect(try text == Self.card(fullName: newName, parts: newParts))
    }

    @Test("A whole name that is neither composed of the parts nor contains them once stays, and the command says so")
    func wholeNameStays() async throws {
        for name in ["The Countess", "Adam Lovelace", "Ada Ada Lovelace"] {
            try write(Self.card(fullName: name, parts: "Lovelace;Ada;;;"))
            let run = try await device.run("contacts", "edit", "+43 664 5550101", "--given", "Eve")
            #expect(run.complaints == "The whole name “\(name)” stays as it is; --name changes it.\n")
            #expect(try text == Self.card(fullName: name, parts: "Lovelace;Eve;;;"))
        }
    }

    @Test("A part of a name does not replace the only name that a card has") func onlyWholeName() async throws {
        try write(Self.card(fullName: "ACME Inc.", parts: ";;;;"))
        let run = try await device.run("contacts", "edit", "+43 664 5550101", "--given", "Änne")
        #expect(run.status == 64)
        #expect(run.complaints.contains("“ACME Inc.”") && run.complaints.contains("--name"), "\(run.complaints)")
        #expect(try text == Self.card(fullName: "ACME Inc.", parts: ";;;;"))
    }

    @Test("A new number or address has no parameter that it does not need") func additions() async throws {
        let run = try await device.run(
            "contacts", "edit", "grace", "--add-phone", "01 5550101", "--add-phone", "01 5550102", "--add-email",
            "g@x.at")
        #expect(run.status == 0, "\(run.complaints)")
        let lines = try text.dropFirst(Self.ada.count).split(separator: "\r\n")
        #expect(Set(lines.suffix(4)) == ["TEL:01 5550101", "TEL:01 5550102", "EMAIL:g@x.at", "END:VCARD"])
    }

    @Test("An empty text removes what was there") func empties() async throws {
        _ = try await device.run("contacts", "edit", "grace", "--company", "Navy", "--note", "Bug")
        #expect(try text.contains("ORG:Navy"))
        _ = try await device.run("contacts", "edit", "grace", "--company", "", "--note", "")
        #expect(try text == Self.ada + Self.grace)
    }

    /// A card with two of each, written as no program of ours would.
    private static let twofold =
        "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:g\r\nFN:Grace Hopper\r\nORG;X-A=1:Navy;Ships\r\nORG;X-B=2:Harvard;Lab\r\n"
        + "TITLE:Admiral\r\nROLE:Speaker\r\nTITLE;X-C=3:Profes\r\n sor\r\nNOTE:First\\, bug\r\nitem1.NOTE;X-D=4:Sec\r\n ond\r\n"
        + "item1.X-ABLabel:Old\r\nEND:VCARD\r\n"

    @Test(
        "An edit of a note, a company or a job changes the one that is shown first, no byte of another, and says so",
        arguments: [
            (["--note", "new"], "NOTE:First\\, bug\r\n", "NOTE:new\r\n", "note"),
            (["--note", ""], "NOTE:First\\, bug\r\n", "", "note"),
            (["--company", "Army"], "ORG;X-A=1:Navy;Ships\r\n", "ORG;X-A=1:Army;Ships\r\n", "company"),
            (["--company", ""], "ORG;X-A=1:Navy;Ships\r\n", "", "company"),
            (["--job", "Captain"], "TITLE:Admiral\r\n", "TITLE:Captain\r\n", "job title"),
            (["--job", ""], "TITLE:Admiral\r\n", "", "job title"),
        ])
    func first(options: [String], old: String, new: String, noun: String) async throws {
        try write(Self.ada + Self.twofold)
        let run = try await device.run(["contacts", "edit", "grace"] + options)
        #expect(run.status == 0, "\(run.complaints)")
        #expect(try text == Self.ada + Self.twofold.replacing(old, with: new))
        let removed = options == ["--company", ""] ? " Its department was removed with the company: Ships." : ""
        #expect(run.complaints == "The card has 1 other \(noun), which stays as it is.\(removed)\n")
    }

    @Test("The departments that are removed with a company are named") func departments() async throws {
        let card = Self.grace.replacing("END:", with: "ORG:Navy;Ships;Bugs\r\nEND:")
        try write(Self.ada + card)
        let run = try await device.run("contacts", "edit", "grace", "--company", "")
        #expect(run.complaints == "Its departments were removed with the company: Ships, Bugs.\n")
        #expect(try text == Self.ada + Self.grace)
    }

    @Test("Nothing is said if no other value is left") func noOthers() async throws {
        let run = try await device.run("contacts", "edit", "grace", "--note", "x", "--company", "Navy", "--job", "y")
        #expect(run.complaints == "")
        try write(Self.ada + Self.twofold)
        let all = try await device.run("contacts", "edit", "grace", "--note", "x", "--company", "")
        let sentence = "The card has 1 other company and 1 other note, which stay as they are."
        #expect(all.complaints == sentence + " Its department was removed with the company: Ships.\n")
    }

    @Test("A card can be edited as text, from a file or standard input") func vCard() async throws {
        let card = try await device.run("contacts", "show", "grace", "--vcard").output
        let run = try await device.run(
            "contacts", "edit", "grace", "--vcard", "-", input: card.replacing("FN:Grace", with: "FN:Admiral Grace"))
        #expect(run.status == 0, "\(run.complaints)")
        #expect(try text == Self.ada + Self.grace.replacing("FN:Grace", with: "FN:Admiral Grace"))
        let two = try await device.run("contacts", "edit", "grace", "--vcard", "-", input: Self.ada + Self.grace)
        #expect(two.status == 7)
        #expect(two.complaints.contains("2 cards"), "\(two.complaints)")
    }

    @Test("With --original, what another program has changed since a card was shown is kept") func original()
        async throws
    {
        let shown = try await device.run("contacts", "show", "grace", "--vcard").output
        let old = try folder.write(shown, to: "old.vcf")
        let new = try folder.write(shown.replacing("END:", with: "NOTE:mine\r\nEND:"), to: "new.vcf")
        try write(Self.ada + Self.grace.replacing("END:", with: "TEL:1\r\nEND:"))
        let run = try await device.run("contacts", "edit", "grace", "--vcard", new, "--original", old)
        #expect(run.status == 0, "\(run.complaints)")
        #expect(try text.contains("NOTE:mine\r\n") && text.contains("TEL:1\r\n"))
    }

    @Test("A card with an earlier REV than the stored one is refused") func earlier() async throws {
        let now = Self.grace.replacing("END:", with: "TEL:1\r\nREV:20240102T000000Z\r\nEND:")
        try write(Self.ada + now)
        let older = Self.grace.replacing("END:", with: "REV:20240101T000000Z\r\nEND:")
        let run = try await device.run("contacts", "edit", "grace", "--vcard", "-", input: older)
        #expect(run.status == 5)
        #expect(run.complaints.contains("--original"), "\(run.complaints)")
        #expect(try text == Self.ada + now)
    }

    @Test("The card of somebody else is refused, and a missing uid stays") func uid() async throws {
        let other = try await device.run(
            "contacts", "edit", "grace", "--vcard", "-", input: Self.grace.replacing("UID:g", with: "UID:h"))
        #expect(other.status == 5)
        #expect(try text == Self.ada + Self.grace)
        let run = try await device.run(
            "contacts", "edit", "grace", "--vcard", "-",
            input: "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Grace M. Hopper\r\nEND:VCARD\r\n")
        #expect(run.status == 0, "\(run.complaints)")
        #expect(try text.contains("FN:Grace M. Hopper\r\n") && text.contains("UID:g\r\n"))
    }

    @Test("A card of version 2.1 in an 8-bit charset is converted to what the stored card has") func converted()
        async throws
    {
        let old = "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1:M\u{FC}ller;Grace\r\nEND:VCARD\r\n"
        let file = folder.file("latin.vcf")
        try Data(old.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }).write(to: file)
        let run = try await device.run("contacts", "edit", "grace", "--vcard", file.path())
        #expect(run.status == 0, "\(run.complaints)")
        #expect(try Data(contentsOf: self.file).range(of: Data("Müller".utf8)) != nil)
        #expect(try text.contains("VERSION:4.0\r\n") && !text.contains("CHARSET") && text.contains("UID:g\r\n"))
    }

    @Test("Removing a missing value is an error that lists the existing values") func lacks() async throws {
        let run = try await device.run("contacts", "edit", "ada", "--remove-phone", "01 999")
        #expect(run.status == 6)
        #expect(run.complaints.contains("0664 5550101"), "\(run.complaints)")
        #expect(try text == Self.ada + Self.grace)
    }

    @Test(
        "--remove-phone removes the number with its extension, and no other extension of the same switchboard",
        arguments: [
            ("+1 650 253 0000 ext. 102", ["+1 650 253 0000", "+1 650 253 0000 ext. 101"]),
            ("+16502530000 x101", ["+1 650 253 0000", "+1 (650) 253-0000 x102"]),
            ("+1 650-253-0000", ["+1 650 253 0000 ext. 101", "+1 (650) 253-0000 x102"]),
        ])
    func extensions(removed: String, left: [String]) async throws {
        try write(Self.ada.replacing("TEL;TYPE=CELL:0664 5550101\r\n", with: Self.switchboard))
        let run = try await device.run("contacts", "edit", "ada", "--remove-phone", removed)
        #expect(run.status == 0 && run.complaints == "", "\(run.complaints)")
        for number in ["+1 650 253 0000", "+1 650 253 0000 ext. 101", "+1 (650) 253-0000 x102"] {
            #expect(try text.contains("TEL;TYPE=WORK:\(number)\r\n") == left.contains(number), "\(number)")
        }
    }

    private static let switchboard =
        "TEL;TYPE=WORK:+1 650 253 0000\r\nTEL;TYPE=WORK:+1 650 253 0000 ext. 101\r\n"
        + "TEL;TYPE=WORK:+1 (650) 253-0000 x102\r\n"

    @Test("An extension that the card does not have removes none of its numbers") func missingExtension() async throws {
        let card = Self.ada.replacing("TEL;TYPE=CELL:0664 5550101\r\n", with: Self.switchboard)
        try write(card)
        let run = try await device.run("contacts", "edit", "ada", "--remove-phone", "+1 650 253 0000 ext. 99")
        #expect(run.status == 6)
        #expect(run.complaints.contains("The card has no “+1 650 253 0000 ext. 99”."), "\(run.complaints)")
        #expect(try text == card)
    }

    @Test("--remove-phone names the numbers that it removes, if the card has one in two spellings") func equalNumbers()
        async throws
    {
        try write(
            Self.ada.replacing("X-ODD", with: "TEL;TYPE=HOME:+43 664 5550101\r\nX-ODD"))
        let run = try await device.run("contacts", "edit", "ada", "--remove-phone", "0043 664 5550101")
        #expect(run.status == 0)
        #expect(run.complaints.contains("removed: 0664 5550101, +43 664 5550101."), "\(run.complaints)")
        #expect(try !text.contains("TEL"))
    }

    @Test(
        "An edit without a change, or in two ways at once, is a usage error",
        arguments: [[], ["--discard", "--note", "x"]])
    func usage(options: [String]) async throws {
        let run = try await device.run(["contacts", "edit", "ada"] + options)
        #expect(run.status == 64)
    }

    @Test("--discard is an error if there is no edit to discard") func nothingToDiscard() async throws {
        let run = try await device.run("contacts", "edit", "grace", "--discard")
        #expect(run.status == 6)
        #expect(run.complaints.contains("“Grace Hopper” has no edit to discard."), "\(run.complaints)")
        #expect(try text == Self.ada + Self.grace)
    }

    @Test("remove asks first, and names the contact and its source: undo cannot restore a contact")
    func asksBeforeRemoving() async throws {
        let run = try await device.run("contacts", "remove", "ada")
        #expect(run.status == 64)
        #expect(run.complaints.contains("Remove “Ada Lovelace” from “contacts”?"), "\(run.complaints)")
        #expect(run.complaints.contains("Repeat the command with --yes"), "\(run.complaints)")
        #expect(try text == Self.ada + Self.grace)
    }

    @Test("remove prints what it has removed, so that it can be imported again") func removes() async throws {
        let removed = try await device.json("contacts", "remove", "ada", "--yes")["removed"].elements
        #expect(removed.map { $0["vcard"] } == [.text(Self.ada)])
        #expect(removed.map { $0["sent"] } == [true])
        #expect(try text == Self.grace)
    }

    @Test("--card selects the card of a linked contact to edit; remove removes all cards, or that one")
    func severalCards() async throws {
        let other = folder.file("other.vcf")
        try Data(Self.grace.utf8).write(to: other)
        _ = try await device.run("contacts", "add-source", other.path())
        let run = try await device.run("contacts", "edit", "grace", "--note", "x")
        #expect(run.status == 64)
        #expect(run.complaints.contains("--card") && run.complaints.contains("other"), "\(run.complaints)")
        _ = try await device.run("contacts", "edit", "grace", "--note", "x", "--card", "other")
        #expect(try text == Self.ada + Self.grace)
        #expect(try String(contentsOf: other, encoding: .utf8).contains("NOTE:x"))
        _ = try await device.run("contacts", "remove", "grace", "--card", "other", "--yes")
        #expect(try await device.json("contacts")["total"] == 2)
        _ = try await device.run("contacts", "remove", "grace", "--yes")
        #expect(try text == Self.ada)
    }
}
