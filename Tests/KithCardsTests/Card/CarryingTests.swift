import Foundation
import KithCards
import Testing

@Suite("Content that the model does not know is preserved") struct CarryingTests {
    @Test("The card has TYPE values and parameters in their original spelling")
    func reading() throws {
        let card = try Card.read(
            "VERSION:3.0", "TEL;TYPE=CELL,X-Segelboot;X-a=\"b,c\",d:1", "TEL;TYPE=HOME,VOICE,PREF:2",
            "EMAIL;TYPE=INTERNET,CELL:a@example.com", "TITLE;TYPE=WORK;PREF=1:Boss",
            "URL;TYPE=WORK;VALUE=uri:https://example.com", "N;LANGUAGE=de:Lovelace;Ada;;;")
        #expect(card.phones.map(\.vCardParameters) == [["TYPE": ["X-Segelboot"], "X-A": ["b,c", "d"]], [:]])
        #expect(card.phones[0].features == [.mobile])
        // An email is no telephone.
        #expect(card.emails[0].vCardParameters == ["TYPE": ["INTERNET", "CELL"]])
        #expect(card.titles[0].vCardParameters == ["PREF": ["1"], "TYPE": ["WORK"]])
        #expect(card.links[0].vCardParameters == [:])
        #expect(card.name.vCardParameters == ["LANGUAGE": ["de"]])
    }

    @Test(
        "Each version writes them in their original spelling, in its own syntax",
        arguments: [
            (VCard.Version.v2_1, "TEL;CELL;X-Segelboot;x-Foo=\"a:'b'\":1"),
            (.v3_0, "TEL;TYPE=CELL,X-Segelboot;x-Foo=\"a:^'b^'\":1"),
            (.v4_0, "TEL;TYPE=cell,X-Segelboot;x-Foo=\"a:^'b^'\":1"),
        ])
    func writing(version: VCard.Version, line: String) throws {
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada", "TEL;x-Foo=\"a:^'b^'\";TYPE=X-Segelboot,CELL:1"])
        #expect(VCard(vCard, version: version).lines.contains(line), "\(VCard(vCard, version: version))")
    }

    @Test("A property that is not known keeps its name as it was written, whatever signs are in it")
    func names() throws {
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada", "X-messaging/xmpp-All;X-a=b:ada@example.com"])
        for version in VCard.Version.allCases {
            #expect(VCard(vCard, version: version).lines.contains("X-messaging/xmpp-All;X-a=b:ada@example.com"))
        }
        let contact = JSContact(vCard)
        #expect(VCard(contact, version: .v3_0).properties.map(\.name).contains("X-MESSAGING/XMPP-ALL"))
    }

    @Test("JSContact preserves them in vCardParams")
    func jsContact() throws {
        let vCard = try VCard.of([
            "VERSION:4.0", "FN:Ada", "N;X-FOO=n:L;;;;", "EMAIL;TYPE=work,INTERNET;X-Foo=a,b:a@example.com",
            "RELATED;TYPE=friend;X-FOO=r:urn:uuid:2", "PRONOUNS;X-FOO=p:they/them",
        ])
        let json = try JSContactTests.json(JSContact(vCard))
        #expect(json.contains(#""vCardParams":{"type":"INTERNET","x-foo":["a","b"]}"#), "\(json)")
        for letter in ["n", "r", "p"] { #expect(json.contains(#""vCardParams":{"x-foo":"\#(letter)"}"#), "\(json)") }
        let read = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(read.card == Card(vCard))
    }

    @Test("JSContact repeats a property that has parameters and no object to carry them; it is written once")
    func repeated() throws {
        let vCard = try VCard.of([
            "VERSION:4.0", "FN;X-FOO=1:Ada", "UID;X-FOO=2:u", "CATEGORIES;X-FOO=3:a,b", "CATEGORIES:c",
        ])
        let contact = JSContact(vCard)
        #expect(contact.card == Card(vCard))
        #expect(contact.vCardProperties.count == 3)
        let lines = VCard(contact).lines.sorted()
        #expect(lines == ["CATEGORIES:c", "CATEGORIES;X-FOO=3:a,b", "FN;X-FOO=1:Ada", "UID;X-FOO=2:u"])
        // Once the card says something else, it is a property like others.
        var edited = contact
        edited.card.name.full = "Eve"
        #expect(VCard(edited).lines.filter { $0.hasPrefix("FN") } == ["FN:Eve", "FN;X-FOO=1:Ada"])
    }

    @Test(
        "JSContact keeps the parameters of a property that belongs to another property",
        arguments: [
            ["item1.TEL:1", "item1.X-ABLabel;X-FOO=1:Boat"],
            ["ADR;TYPE=HOME:;;a;;;;", "LABEL;X-FOO=1;TYPE=HOME:a\\nb"],
            ["item1.ADR:;;a;;;;", "item1.LABEL;X-FOO=1:a", "item1.X-ABADR;X-FOO=2:at"],
            ["ADR:;;a;;;;", "GEO;X-FOO=1:48.2;16.4", "TZ;X-FOO=2:Europe/Vienna"],
            ["N:Lovelace;Ada;;;", "SORT-STRING;LANGUAGE=en:lovelace", "X-PHONETIC-FIRST-NAME;X-FOO=1:ada"],
            ["BDAY:1815-12-10", "BIRTHPLACE;LANGUAGE=de:London"],
            ["item1.ADR:;;a;;;;", "item1.X-ABLabel;X-FOO=1:Beach"],
        ])
    func companions(lines: [String]) throws {
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada"] + lines)
        let json = try JSContactTests.json(JSContact(vCard))
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        let back = VCard(contact, version: .v3_0)
        func told(_ vCard: VCard) -> [String] {
            ToldProperty.all(of: vCard).filter { $0.name != "N" }.map(\.description).sorted()
        }
        #expect(told(back) == told(vCard), "\(json)")
        #expect(Card(back) == Card(vCard))
    }

    @Test("A place in words is always written before its coordinates", arguments: 0..<16)
    func orderOfPlaces(run: Int) throws {
        // The order of a dictionary depends on chance, so many cards with several places are written.
        var card = Card()
        card.anniversaries = (0...run).map { index in
            var day = Card.Anniversary(id: "a\(index)", kind: .birth, day: .date(year: 1815, month: 12, day: 10))
            day.place = Card.Anniversary.Place(full: "London", coordinates: "geo:51.5,-0.1")
            return day
        }
        let names = VCard(card, version: .v4_0).properties.filter { $0.name == "BIRTHPLACE" }.map(\.text)
        #expect(names.first == "London" && names.count % 2 == 0)
        #expect(names == (0..<names.count / 2).flatMap { _ in ["London", "geo:51.5,-0.1"] })
    }

    @Test("A property that JSContact cannot express stays in the group of its entry")
    func groups() throws {
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada", "item1.ADR:;;a;;;;", "item1.X-ABLabel:Beach"])
        let contact = JSContact(vCard)
        let read = try JSONDecoder().decode(JSContact.self, from: Data(JSContactTests.json(contact).utf8))
        #expect(Card(VCard(read, version: .v3_0)).addresses.map(\.label) == ["Beach"])
        // A vCard that is there keeps its own groups.
        var edited = vCard
        edited.apply(read.card)
        #expect(edited.lines.contains("item1.ADR:;;a;;;;"))
    }

    @Test("An edit of another property leaves them unchanged, and they can be edited")
    func editing() throws {
        var vCard = try VCard.of(["VERSION:3.0", "FN:Ada", "TEL;type=X-Segelboot;X-A=b:1"])
        var card = Card(vCard)
        card.phones[0].number = "2"
        vCard.apply(card)
        #expect(vCard.lines.contains("TEL;type=X-Segelboot;X-A=b:2"))
        card.phones[0].vCardParameters["TYPE"] = ["X-Kajak"]
        card.phones[0].vCardParameters["X-A"] = []
        vCard.apply(card)
        #expect(vCard.lines.contains("TEL;type=X-Kajak:2"))
        #expect(Card(vCard) == card)
    }

    @Test("No preserved parameter contradicts a parameter of the written version")
    func noContradiction() throws {
        var card = Card()
        card.emails = [Card.Email(id: "EMAIL-1", address: "a@example.com")]
        card.emails[0].pref = 1
        card.emails[0].contexts = [.work]
        card.emails[0].vCardParameters = ["TYPE": ["Work", "INTERNET"], "PREF": ["7"]]
        #expect(VCard(card).lines.contains("EMAIL;TYPE=work,INTERNET;PREF=1:a@example.com"))
    }

    @Test(
        "An agent that is a nested card is preserved completely, and is a relation by name",
        arguments: [
            [
                "VERSION:2.1", "FN:Ada", "AGENT:", "BEGIN:VCARD", "N:Friday;Fred;;;", "TEL;CELL:1", "X-A;X-B=c:d\\,e",
                "AGENT:",
                "BEGIN:VCARD", "FN:Inner", "X-C:f", "END:VCARD", "END:VCARD",
            ],
            [
                "VERSION:3.0", "FN:Ada",
                "AGENT:BEGIN:VCARD\\nN:Friday\\;Fred\\;\\;\\;\\nTEL\\;TYPE=CELL:1\\nX-A\\;X-B=c:"
                    + "d\\\\\\,e\\nAGENT:BEGIN:VCARD\\\\nFN:Inner\\\\nX-C:f\\\\nEND:VCARD\\nEND:VCARD",
            ],
            [
                "VERSION:4.0", "FN:Ada",
                "RELATED;TYPE=agent;VALUE=text:BEGIN:VCARD\\nVERSION:4.0\\nN:Friday\\;Fred\\;\\;\\;"
                    + "\\nTEL\\;TYPE=cell:1\\nX-A\\;X-B=c:d\\\\\\,e\\nRELATED\\;TYPE=agent\\;VALUE=text:BEGIN:VCARD\\\\nFN:Inner"
                    + "\\\\nX-C:f\\\\nEND:VCARD\\nEND:VCARD",
            ],
        ], Conversion.allCases)
    func agents(lines: [String], way: Conversion) throws {
        func check(_ vCard: VCard, _ comment: Comment) throws {
            #expect(Card(vCard).relatedTo.map(\.other) == ["Fred Friday"], comment)
            let agent = try #require(vCard.properties.lazy.compactMap(\.card).first, comment)
            #expect(agent.version == vCard.version || agent.properties.allSatisfy { $0.name != "VERSION" }, comment)
            #expect(Card(agent).phones.map(\.number) == ["1"] && Card(agent).phones[0].features == [.mobile], comment)
            #expect(try agent["X-A"].text == "d,e" && agent["X-A"].parameters["X-B"] == ["c"], comment)
            #expect(Card(agent).relatedTo.map(\.other) == ["Inner"], comment)
            let inner = try #require(agent.properties.lazy.compactMap(\.card).first, comment)
            #expect(try inner["X-C"].text == "f", comment)
        }
        let vCard = try VCard.of(lines)
        try check(vCard, "as it was")
        guard let back = try way.thereAndBack(vCard) else { return }
        try check(way.there(vCard), "there")
        try check(back, "back")
    }

    @Test("Agents with the same name, without a name, and removed from the card")
    func otherAgents() throws {
        func agent(_ line: String) -> [String] { ["AGENT:", "BEGIN:VCARD", "VERSION:2.1", line, "END:VCARD"] }
        let vCard = try VCard.of(
            ["VERSION:2.1", "FN:Ada"] + agent("FN:Ben") + agent("FN:Ben") + agent("EMAIL:c@example.com")
                + agent("NOTE:x"))
        for way in Conversion.allCases {
            guard let back = try way.thereAndBack(vCard) else { continue }
            #expect(back.properties.compactMap(\.card).count == 4, "\(way): \(back)")
        }
        #expect(Card(vCard).relatedTo.map(\.other) == ["Ben", "Ben", "c@example.com"])
        var contact = JSContact(vCard)
        contact.card.relatedTo = []
        #expect(VCard(contact, version: .v2_1).properties.compactMap(\.card).count == 4)
    }

    @Test("A note keeps its author and when it was made", arguments: VCard.Version.allCases)
    func notes(version: VCard.Version) throws {
        let json = #"""
            {"@type":"Card","name":{"full":"Ada"},"notes":{"NOTE-1":{"author":{"name":"John","uri":"mailto:j@example.com"},\#
            "created":"2022-11-23T15:01:32Z","note":"Open"}},"uid":"1","version":"1.0"}
            """#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        let vCard = VCard(contact, version: version)
        let note = try #require(Card(vCard).notes.first)
        #expect(note.author == Card.Note.Author(name: "John", uri: "mailto:j@example.com"))
        #expect(note.created == "2022-11-23T15:01:32Z" && note.vCardParameters.isEmpty)
        let again = try JSContactTests.json(JSContact(vCard))
        #expect(again.contains(#""author":{"@type":"Author","name":"John","uri":"mailto:j@example.com"}"#))
        #expect(again.contains(#""created":"2022-11-23T15:01:32Z""#))
    }

    @Test("Places of birth and death are converted from and to JSContact", arguments: VCard.Version.allCases)
    func places(version: VCard.Version) throws {
        let json = #"""
            {"@type":"Card","anniversaries":{"ANNIV-1":{"date":{"year":1815},"kind":"birth","place":{"coordinates":\#
            "geo:51.5,-0.1"}},"ANNIV-2":{"date":{"year":1852},"kind":"death","place":{"full":"Marylebone\nLondon"}}},\#
            "uid":"1"}
            """#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        let vCard = VCard(contact, version: version)
        #expect(try vCard["DEATHPLACE"].text == "Marylebone\nLondon")
        #expect(try vCard["BIRTHPLACE"].text == "geo:51.5,-0.1")
        let places = JSContact(vCard).card.anniversaries.map(\.place)
        #expect(places == [.init(coordinates: "geo:51.5,-0.1"), .init(full: "Marylebone\nLondon")])
        // Parts of an address are all that a vCard can say of it: in words.
        let parts = json.replacing(
            #""full":"Marylebone\nLondon""#,
            with: #""components":[{"kind":"name","value":"a"},"#
                + #"{"kind":"locality","value":"b"}]"#)
        let read = try JSONDecoder().decode(JSContact.self, from: Data(parts.utf8))
        #expect(try VCard(read, version: version)["DEATHPLACE"].text == "a, b")
    }

    @Test("A place without its day stays a property")
    func placeAlone() throws {
        let vCard = try VCard.of(["VERSION:4.0", "FN:Ada", "DEATHPLACE:London", "BIRTHPLACE;VALUE=uri:http://x"])
        #expect(JSContact(vCard).vCardProperties.count == 2)
        let lines = VCard(vCard, version: .v4_0).lines
        #expect(lines.contains("DEATHPLACE:London") && lines.contains("BIRTHPLACE;VALUE=uri:http://x"))
    }

    @Test("A birthday without a year has Apple's mark in version 3.0, where its programs know no other way")
    func omittedYear() throws {
        let vCard = try VCard.of(["VERSION:4.0", "FN:Ada", "BDAY:--0229"])
        #expect(VCard(vCard, version: .v3_0).lines.contains("BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29"))
        #expect(VCard(VCard(vCard, version: .v3_0), version: .v4_0).lines.contains("BDAY:--0229"))
        var apple = try VCard.of(["VERSION:3.0", "FN:Ada", "BDAY:1980-02-29"])
        var card = Card(apple)
        card.anniversaries[0].day = .date(year: nil, month: 2, day: 29)
        apple.apply(card)
        #expect(apple.lines.contains("BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29"))
        // A program that writes it otherwise reads it so.
        let other = try VCard.of(["VERSION:3.0", "FN:Ada", "BDAY:--02-29"])
        #expect(VCard(other, version: .v3_0).lines.contains("BDAY:--02-29"))
    }

    @Test("Embedded data keeps its purpose and the name of its kind")
    func embedded() throws {
        let vCard = try VCard.of([
            "VERSION:3.0", "FN:Ada", "KEY;ENCODING=b;TYPE=X509,WORK:AQID", "PHOTO;ENCODING=b;TYPE=JPEG,X-a:AQIE",
            "X-SEAL;ENCODING=b:AQIDBA==", "LOGO;VALUE=uri;TYPE=PNG:http://example.com/logo",
        ])
        let lines = VCard(vCard, version: .v3_0).lines
        for line in [
            "KEY;ENCODING=b;TYPE=X509,WORK:AQID", "PHOTO;ENCODING=b;TYPE=JPEG,X-a:AQIE", "X-SEAL;ENCODING=b:AQIDBA==",
            "LOGO;TYPE=PNG;VALUE=uri:http://example.com/logo",
        ] {
            #expect(Set(lines.map(Self.header)).contains(Self.header(line)), "\(line) is not in \(lines).")
        }
    }

    /// A line, its parameters without their order.
    private static func header(_ line: String) -> [Set<Substring>] {
        line.split(separator: ":", maxSplits: 1).map { Set($0.split { $0 == ";" || $0 == "," || $0 == "=" }) }
    }

    @Test("Written in its own version, what programs have several properties for stays in the one that it was in")
    func ownNames() throws {
        let lines = [
            "X-EVOLUTION-SPOUSE:Charles", "X-GTALK:ada", "X-MS-IMADDRESS:ada",
            "X-EVOLUTION-BLOG-URL:http://example.com",
            "X-MS-ANNIVERSARY:2001-01-01", "KIND:org",
        ]
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada"] + lines)
        let new = VCard(vCard, version: .v3_0)
        #expect(Set(lines).isSubset(of: new.lines), "\(new)")
        #expect(Card(new) == Card(vCard))
    }
}
