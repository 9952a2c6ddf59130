import KithCards
import Testing

/// Each test shows the lines that an edit leaves.
@Suite("Edits of vCards") struct ApplyingTests {
    @Test("Only the changed part of a property is rewritten; other parameters stay")
    func patch() throws {
        let lines = try edit(
            "VERSION:3.0", "item1.EMAIL;type=INTERNET;type=pref;X-UID=\"7\":a@x", "item1.X-ABLabel:Club", "NOTE:n"
        ) {
            $0.emails[0].address = "b@x"
        }
        #expect(lines == ["item1.EMAIL;type=INTERNET;type=pref;X-UID=\"7\":b@x", "item1.X-ABLabel:Club", "NOTE:n"])
    }

    @Test("Known TYPE values are added and removed; unknown ones stay")
    func types() throws {
        let lines = try edit("VERSION:3.0", "TEL;type=CELL;type=VOICE;type=MSG:1", "TEL;TYPE=WORK:2") {
            $0.phones[0].features = [.text]
            $0.phones[1].contexts = []
        }
        #expect(lines == ["TEL;type=MSG,TEXT:1", "TEL:2"])
    }

    @Test("Edits use the syntax of each version")
    func manners() throws {
        #expect(try edit("VERSION:2.1", "TEL;CELL:1") { $0.phones[0].pref = 1 } == ["TEL;CELL;PREF:1"])
        #expect(
            try edit("VERSION:2.1", "N:a;;;;") { $0.name.components[0].value = "é" }
                == ["N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=A9;;;;"])
        #expect(
            try edit("VERSION:4.0", "TEL;VALUE=uri:tel:+43-1") { $0.phones[0].number = "+43-2" }
                == ["TEL;VALUE=uri:tel:+43-2"])
        #expect(
            try edit("VERSION:4.0", "TEL;VALUE=uri:tel:+43-1") { $0.phones[0].number = "0800 HELP" } == [
                "TEL:0800 HELP"
            ])
        #expect(try edit("VERSION:4.0", "TEL:+43-1") { $0.phones[0].number = "+43-2" } == ["TEL:+43-2"])
        #expect(
            try edit("VERSION:3.0", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-03") {
                $0.anniversaries[0].day = .date(year: nil, month: 3, day: 4)
            } == ["BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-04"])
        #expect(
            try edit("VERSION:3.0", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-03") {
                $0.anniversaries[0].day = .date(year: 1980, month: 3, day: 4)
            } == ["BDAY:1980-03-04"])
    }

    @Test("Unchanged components of a name keep their spelling; the full name is the caller's")
    func names() throws {
        let changed = try edit("VERSION:3.0", "FN:Ada Lovelace", "N:Lovelace;Ada;Augusta,King;;") {
            $0.name.components[1].value = "Eve"
        }
        #expect(changed == ["FN:Ada Lovelace", "N:Lovelace;Eve;Augusta,King;;"])
        let derived = try edit("VERSION:4.0", "FN;DERIVED=TRUE:Ada Lovelace", "N:Lovelace;Ada;;;") {
            $0.name.components[1].value = "Eve"
        }
        #expect(derived == ["FN;DERIVED=TRUE:Eve Lovelace", "N:Lovelace;Eve;;;"])
        let unnamed = try edit("VERSION:3.0", "FN:Ada Lovelace", "N:Lovelace;Ada;;;") { $0.name.full = nil }
        #expect(unnamed == ["FN;DERIVED=TRUE:Ada Lovelace", "N:Lovelace;Ada;;;"])
        // Parts alone stay alone.
        #expect(try edit("VERSION:2.1", "N:a;b;;;") { $0.name.components[1].value = "c" } == ["N:a;c;;;"])
    }

    @Test(
        "Trap: an edit removes a property that says no more than its absence – it stays",
        arguments: [
            ["VERSION:4.0", "FN:Ada", "N:;;;;", "TEL:1"], ["VERSION:4.0", "KIND:individual", "FN:Ada", "TEL:1"],
            ["VERSION:3.0", "FN:Ada", "N:;;;;", "X-ADDRESSBOOKSERVER-KIND:individual", "TEL:1"],
            ["VERSION:2.1", "FN:", "N:;;;;", "TEL:1"],
        ])
    func silentProperties(lines: [String]) throws {
        var vCard = try VCard.of(lines)
        var card = Card(vCard)
        card.phones.append(Card.Phone(id: "PHONE-2", number: "2"))
        vCard.apply(card)
        #expect(vCard.lines == Array(lines.dropFirst()) + ["TEL:2"])
    }

    @Test("Trap: a card without a name loses its FN, which servers require – it stays, and follows the card if derived")
    func nameless() throws {
        let empty = try edit("VERSION:3.0", "FN:", "N:;;;;", "TEL:1") { $0.phones[0].number = "2" }
        #expect(empty == ["FN:", "N:;;;;", "TEL:2"])
        let derived = try edit("VERSION:4.0", "FN;DERIVED=TRUE:1", "TEL:1") { $0.phones[0].number = "2" }
        #expect(derived == ["FN;DERIVED=TRUE:2", "TEL:2"])
        // Version 3.0 cannot say the order of the parts, so the card is read otherwise than it was meant.
        let ordered = try edit("VERSION:3.0", "FN;DERIVED=TRUE:Ada Lovelace", "N:Lovelace;Ada;;;") {
            $0.name.isOrdered = true
        }
        #expect(ordered == ["FN;DERIVED=TRUE:Lovelace Ada", "N:Lovelace;Ada;;;"])
        let named = try edit("VERSION:3.0", "FN:", "N:;;;;", "TEL:1") { $0.name.full = "Ada" }
        #expect(named == ["FN:Ada", "N:;;;;", "TEL:1"])
    }

    @Test("A removed entry also removes its label and its program's additions")
    func removal() throws {
        let lines = try edit(
            "VERSION:3.0", "TEL:1", "item1.ADR:;;a;;;;", "item1.X-ABADR:somewhere", "item1.X-ABLabel:Home",
            "item2.TEL:2",
            "item2.X-ABLabel:x"
        ) { card in
            card.addresses = []
            card.phones.removeFirst()
        }
        #expect(lines == ["item2.TEL:2", "item2.X-ABLabel:x"])
    }

    @Test("A new entry follows the entry before it, and a new label is beside its entry")
    func addition() throws {
        let lines = try edit("VERSION:3.0", "TEL:1", "NOTE:n", "EMAIL:a") { card in
            card.phones.append(Card.Phone(id: "new", number: "2"))
            card.phones[1].features = [.fax]
            card.emails[0].label = "Club"
            card.links = [Card.Resource(id: "l", content: .uri("https://example.com/?a=b,c"))]
        }
        let expected = [
            "TEL:1", "TEL;TYPE=FAX:2", "NOTE:n", "item1.EMAIL:a", "item1.X-ABLabel:Club",
            "URL:https://example.com/?a=b,c",
        ]
        #expect(lines == expected)
    }

    @Test("A value that a program's own property cannot express uses another property")
    func rewriting() throws {
        #expect(
            try edit("VERSION:3.0", "X-EVOLUTION-SPOUSE:Maria") { $0.relatedTo[0].other = "Mia" } == [
                "X-EVOLUTION-SPOUSE:Mia"
            ])
        #expect(
            try edit("VERSION:3.0", "X-EVOLUTION-SPOUSE:Maria") { $0.relatedTo[0].relations = ["friend"] }
                == [
                    "item1.X-ABRELATEDNAMES:Maria",
                    "item1.X-ABLabel:Friend".replacing("Friend", with: "_$!<Friend>!$_"),
                ])
        #expect(
            try edit("VERSION:3.0", "X-AIM;TYPE=HOME:ada") { $0.onlineServices[0].user = "eve" } == [
                "X-AIM;TYPE=HOME:eve"
            ])
        #expect(
            try edit("VERSION:3.0", "X-AIM;TYPE=HOME:ada") { $0.onlineServices[0].service = "Skype" } == [
                "X-SKYPE;TYPE=HOME:ada"
            ])
        // The label said what it is for.
        #expect(
            try edit("VERSION:3.0", "item1.TEL:1", "item1.X-ABLabel:_$!<Mobile>!$_") { $0.phones[0].features = [.fax] }
                == ["TEL;TYPE=FAX:1"])
        #expect(try edit("VERSION:4.0", "TITLE;PREF=1:Boss") { $0.titles[0].kind = .role } == ["ROLE;PREF=1:Boss"])
    }

    @Test("Several edits at once stay separate from unterminated content")
    func unended() throws {
        let vCard = try VCard.of([
            "VERSION:2.1", "EMAIL:a", "NOTE;QUOTED-PRINTABLE:cut off=", "TEL:1", "KEY;BASE64:", " AAAA",
        ])
        var edited = vCard
        var card = Card(vCard)
        card.phones = []
        card.emails[0].address = "b"
        card.links = (0..<5).map { Card.Resource(id: "l\($0)", content: .uri("http://example.com/\($0)")) }
        card.relatedTo = [Card.Relation(id: "r", other: "Maria", relations: ["spouse"])]
        edited.apply(card)
        let read = Card(edited)
        #expect(read.notes == card.notes && read.phones.isEmpty && read.emails.map(\.address) == ["b"])
        #expect(read.links.map(\.content) == card.links.map(\.content))
        #expect(read.relatedTo.map(\.other) == ["Maria"])
        #expect(try edited["KEY"].data == [0, 0, 0])
    }

    @Test("Unchanged values of a list keep their spelling")
    func lists() throws {
        let lines = try edit("VERSION:3.0", "CATEGORIES:a,b", "NICKNAME;TYPE=home:Jo,Joey", "CATEGORIES:c") { card in
            card.keywords = ["b", "c", "d"]
            card.nicknames[1].name = "Joe"
        }
        #expect(lines == ["CATEGORIES:b", "NICKNAME;TYPE=home:Jo,Joe", "CATEGORIES:c,d"])
        let parted = try edit("VERSION:3.0", "NICKNAME:Jo,Joey") { $0.nicknames[0].contexts = [.work] }
        #expect(
            parted == ["NICKNAME;TYPE=WORK:Jo", "NICKNAME:Joey"]
                || parted == ["NICKNAME:Joey", "NICKNAME;TYPE=WORK:Jo"])
        #expect(try edit("VERSION:3.0", "CATEGORIES:a", "NOTE:n") { $0.keywords = [] } == ["NOTE:n"])
    }

    @Test("A title is put into the group of its organization, and out of it")
    func titles() throws {
        let into = try edit("VERSION:4.0", "ORG:ABC", "TITLE:Boss") { $0.titles[0].organization = "ORG-1" }
        #expect(into == ["item1.ORG:ABC", "item1.TITLE:Boss"])
        let out = try edit("VERSION:4.0", "item1.ORG:ABC", "item1.TITLE:Boss") { $0.titles[0].organization = nil }
        #expect(out == ["item1.ORG:ABC", "TITLE:Boss"])
    }

    @Test("Coordinates without an address are not assigned to a new address")
    func coordinates() throws {
        let lines = try edit("VERSION:4.0", "ADR:;;a;;;;", "GEO:geo:1,2") { card in
            var address = Card.Address(id: "x")
            address.components = [.init(.locality, "b")]
            card.addresses.append(address)
        }
        #expect(lines == ["item1.ADR:;;a;;;;", "item1.GEO:geo:1,2", "ADR;PROP-ID=x:;;;b;;;"])
    }

    @Test("A new photo is embedded in the syntax of the card's version", arguments: VCard.Version.allCases)
    func photo(version: VCard.Version) throws {
        var vCard = VCard(version: version)
        var card = Card(vCard)
        card.media = [Card.Resource(id: "p", kind: .photo, content: .uri("data:image/png;base64,AQIDBAUG"))]
        vCard.apply(card)
        let photo = try #require(Card(vCard).media.first)
        #expect(photo.mediaType == "image/png")
        #expect(vCard.data(of: photo) == [1, 2, 3, 4, 5, 6])
        // An edit beside it leaves it; one of its kind takes it along.
        var edited = Card(vCard)
        edited.media[0].label = "At sea"
        vCard.apply(edited)
        #expect(Card(vCard).media.map(\.label) == ["At sea"])
        edited = Card(vCard)
        edited.media[0].kind = .logo
        vCard.apply(edited)
        #expect(Card(vCard).media.map(\.kind) == [.logo])
        #expect(vCard.data(of: Card(vCard).media[0]) == [1, 2, 3, 4, 5, 6])
    }

    @Test("Entries that are shown in another order are no edit")
    func order() throws {
        #expect(try edit("VERSION:3.0", "TEL:1", "TEL:2") { $0.phones.reverse() } == ["TEL:1", "TEL:2"])
    }

    @Test("A new vCard writes every id that a reader would not derive from the position")
    func ids() {
        var card = Card()
        card.emails = ["EMAIL-2", "a", "EMAIL-3", "EMAIL-1"].map { Card.Email(id: $0, address: $0) }
        let vCard = VCard(card)
        #expect(Card(vCard).emails == card.emails)
        let lines = [
            "EMAIL;PROP-ID=EMAIL-2:EMAIL-2", "EMAIL;PROP-ID=a:a", "EMAIL:EMAIL-3", "EMAIL;PROP-ID=EMAIL-1:EMAIL-1",
        ]
        #expect(vCard.lines == ["FN;DERIVED=TRUE:EMAIL-2"] + lines)
    }

    @Test("Other programs accept a new vCard")
    func new() {
        var card = Card()
        card.name.components = [.init(.surname, "Lovelace"), .init(.given, "Ada")]
        card.phones = [Card.Phone(id: "PHONE-1", number: "+43-660-1")]
        card.phones[0].features = [.mobile]
        #expect(
            VCard(card).lines == [
                "FN;DERIVED=TRUE:Ada Lovelace", "N:Lovelace;Ada;;;", "TEL;TYPE=cell;VALUE=uri:tel:+43-660-1",
            ])
        #expect(
            VCard(card, version: .v3_0).lines == [
                "FN;DERIVED=TRUE:Ada Lovelace", "N:Lovelace;Ada;;;", "TEL;TYPE=CELL:+43-660-1",
            ])
        #expect(VCard(card, version: .v2_1).lines == ["N:Lovelace;Ada;;;", "TEL;CELL:+43-660-1"])
        card.name.components = []
        #expect(VCard(card, version: .v3_0).lines.prefix(2) == ["FN;DERIVED=TRUE:+43-660-1", "N:;;;;"])
    }

    private func edit(_ lines: String..., change: (inout Card) -> Void) throws -> [String] {
        var vCard = try VCard.of(lines)
        var card = Card(vCard)
        change(&card)
        vCard.apply(card)
        #expect(Card(vCard).renumbered.emails == card.renumbered.emails)
        return vCard.lines
    }
}
