import KithCards
import Testing

@Suite("Names in vCards") struct NameReadingTests {
    @Test("The parts of a name, the whole name, and nicknames")
    func parts() throws {
        let card = try Card.read(
            "VERSION:3.0", "N:Doe;John;Richter\\, James,Q.;Mr.;Sr.", "FN:Mr. John Doe", "NICKNAME:Johny,Jo\\,hn",
            "NICKNAME;TYPE=work:Boss")
        #expect(card.name.components.map(\.kind) == [.surname, .given, .given2, .given2, .title, .credential])
        #expect(card.name[.given2] == "Richter, James Q.")
        #expect(card.name[.surname2] == nil)
        #expect(card.name.full == "Mr. John Doe")
        #expect(card.nicknames.map(\.name) == ["Johny", "Jo,hn", "Boss"])
        #expect(card.nicknames[2].contexts == [.work])
    }

    @Test("Outlook's commas separate nothing, because version 2.1 has no lists")
    func outlook() throws {
        let card = try Card.read(
            "VERSION:2.1", "N;LANGUAGE=en-us:Doe;John;Richter,James;Mr.;Sr.", "ORG:Company, The;Dept")
        #expect(card.name[.given2] == "Richter,James")
        #expect(card.organizations == [Card.Organization(id: "ORG-1", name: "Company, The", units: ["Dept"])])
    }

    @Test("A card may have a whole name alone, parts alone, or nothing")
    func missing() throws {
        #expect(try Card.read("VERSION:3.0", "FN:Ada Lovelace").name.components.isEmpty)
        let android = try Card.read("VERSION:2.1", "N:Lovelace;Ada;;;", "TEL;CELL:1")
        #expect(android.name.full == nil)
        #expect(android.name[.given] == "Ada")
        #expect(try Card.read("VERSION:2.1", "EMAIL;PREF:a@example.com", "N:;;;;", "FN:").name == Card.Name())
    }

    @Test("A full name that was composed of the parts is ignored")
    func derived() throws {
        let card = try Card.read("VERSION:4.0", "FN;DERIVED=TRUE:Ada Lovelace", "N:Lovelace;Ada;;;")
        #expect(card.name.full == nil)
    }

    @Test("The pronunciation of a name, and its sort key")
    func sounds() throws {
        let google = try Card.read(
            "VERSION:3.0", "N:Doe;John;;;", "X-PHONETIC-FIRST-NAME:Jon", "X-PHONETIC-LAST-NAME:Dow", "SORT-STRING:Do")
        #expect(google.name.components.map(\.phonetic) == ["Dow", "Jon"])
        #expect(google.name.sortAs == [.surname: "Do"])
        let new = try Card.read("VERSION:4.0", "N;SORT-AS=\"Harten,Rene\":van der Harten;Rene,J.;;;", "FN:x")
        #expect(new.name.sortAs == [.surname: "Harten", .given: "Rene"])
    }

    @Test("Second surnames and generations are repeated in a name, but are one part")
    func twins() throws {
        let card = try Card.read("VERSION:4.0", "N:Rivera,Barrientos;Diego;;;PhD,III;Barrientos;III", "FN:x")
        let kinds: [Card.Name.Kind] = [.surname, .given, .credential, .surname2, .generation]
        #expect(card.name.components.map(\.kind) == kinds)
        let twice = try Card.read("VERSION:4.0", "N:Lee,Lee;Ann;;;;Lee;", "FN:x")
        #expect(twice.name.components.map(\.kind) == [.surname, .given, .surname2])
    }

    @Test("JSCOMPS gives the order of the parts")
    func order() throws {
        let card = try Card.read(
            "VERSION:4.0", "N;JSCOMPS=\";3;1;0;s,\\, ;4\":van Halen;Mary Jean;;Ms.;PhD;;", "FN;DERIVED=true:x")
        #expect(card.name.isOrdered)
        #expect(card.name.components.map(\.value) == ["Ms.", "Mary Jean", "van Halen", ", ", "PhD"])
        let separated = try Card.read("VERSION:4.0", "N;JSCOMPS=\"s,-;1;0\":Doe;Jane;;;")
        #expect(separated.name.defaultSeparator == "-")
        // An order of other parts than there are is none.
        for comps in [
            "\";1\"", "\";0;0\"", "\";1;0;7\"", "\";1;0,3\"", "\"x;1;0\"", "\"\"", "\";a;0\"", "\";1;0;0\"",
            "\";-1;0\"",
        ] {
            let card = try Card.read("VERSION:4.0", "N;JSCOMPS=\(comps):Doe;Jane;;;")
            #expect(!card.name.isOrdered, "\(comps)")
            #expect(card.name.components.count == 2)
        }
    }

    @Test("Organizations, and the titles that share a group with one")
    func work() throws {
        let card = try Card.read(
            "VERSION:4.0", "item1.ORG;SORT-AS=ABC;TYPE=work:ABC\\, Inc.;North;Marketing", "TITLE:Scientist",
            "ITEM1.ROLE:Leader", "ORG:;Unit;;")
        #expect(card.organizations.map(\.name) == ["ABC, Inc.", nil])
        #expect(card.organizations.map(\.units) == [["North", "Marketing"], ["Unit"]])
        #expect(card.organizations[0].sortAs == "ABC")
        #expect(card.titles.map(\.kind) == [.title, .role])
        #expect(card.titles.map(\.organization) == [nil, "ORG-1"])
    }

    @Test("Pronouns and grammatical gender, which is not a person's gender")
    func speaking() throws {
        let card = try Card.read("VERSION:4.0", "GRAMGENDER:NEUTER", "PRONOUNS;PREF=1:xe/xir", "GENDER:F")
        #expect(card.speakToAs.grammaticalGender == .neuter)
        #expect(card.speakToAs.pronouns.map(\.pronouns) == ["xe/xir"])
        #expect(try Card.read("VERSION:4.0", "GENDER:F").speakToAs == Card.SpeakToAs())
    }

    @Test("Of values in several languages, the one in the card's language is read")
    func alternatives() throws {
        let lines = [
            "TITLE;ALTID=1;LANGUAGE=fr:Patron", "TITLE;ALTID=1;LANGUAGE=en:Boss", "TITLE:Other",
            "N;ALTID=1:Smith;John;;;", "N;ALTID=1;PHONETIC=ipa:/smɪθ/;/d͡ʒɑn/;;;",
        ]
        let card = try Card(VCard.of(["VERSION:4.0", "LANGUAGE:en"] + lines))
        #expect(card.titles.map(\.name) == ["Boss", "Other"])
        #expect(card.name[.surname] == "Smith")
        #expect(card.name.components.map(\.phonetic) == ["/smɪθ/", "/d͡ʒɑn/"])
        #expect(card.name.phoneticSystem == "ipa")
        #expect(try Card(VCard.of(["VERSION:4.0"] + lines)).titles.map(\.name) == ["Patron", "Other"])
    }

    @Test("PROP-ID is an entry's id if it is valid; other ids are derived from positions")
    func ids() throws {
        let card = try Card.read(
            "VERSION:4.0", "EMAIL;PROP-ID=e1:a", "EMAIL:b", "EMAIL;PROP-ID=\"no id\":c", "EMAIL;PROP-ID=e1:d",
            "EMAIL;PROP-ID=EMAIL-6:e", "EMAIL:f",
            "URL:a", "URL;PROP-ID=LINK-1:b")
        #expect(card.links.map(\.id) == ["LINK-1", "LINK-2"])
        #expect(card.emails.map(\.id) == ["e1", "EMAIL-2", "EMAIL-3", "EMAIL-4", "EMAIL-6", "EMAIL-7"])
    }
}

extension Card {
    /// The card of a vCard of these lines.
    static func read(_ lines: String...) throws -> Card { Card(try VCard.of(lines)) }
}

extension VCard {
    /// A vCard of these lines.
    static func of(_ lines: [String]) throws -> VCard {
        try VCard((["BEGIN:VCARD"] + lines + ["END:VCARD"]).flatMap { ($0 + "\r\n").utf8 })
    }

    /// Its lines between VERSION and END, unfolded only by their line ends.
    var lines: [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
            .filter { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("VERSION") && !$0.hasPrefix("END") }
    }
}
