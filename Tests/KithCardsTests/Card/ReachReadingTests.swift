import KithCards
import Testing

@Suite("Phones, emails and addresses in vCards") struct ReachReadingTests {
    @Test("Telephone numbers in the syntax of the three versions")
    func phones() throws {
        let old = try Card.read("VERSION:2.1", "TEL;CELL;PREF:1", "TEL;WORK;FAX:2", "TEL;HOME;VOICE:3", "TEL:").phones
        #expect(old.map(\.number) == ["1", "2", "3"])
        #expect(old.map(\.features) == [[.mobile], [.fax], [.voice]])
        #expect(old.map(\.contexts) == [[], [.work], [.private]])
        #expect(old.map(\.pref) == [1, nil, nil])
        let apple = try Card.read(
            "VERSION:3.0", "TEL;type=IPHONE;type=CELL;type=pref:1", "TEL;type=MAIN:2", "TEL;TYPE=VOICE,MSG,WORK:3")
        #expect(apple.phones.map(\.features) == [[.mobile], [.mainNumber], [.voice]])
        let new = try Card.read(
            "VERSION:4.0", "TEL;VALUE=uri;TYPE=\"work,voice\";PREF=1:tel:+1-418-656-9254;ext=102",
            "TEL;TYPE=textphone,text;PREF=300:2")
        #expect(new.phones[0].number == "+1-418-656-9254;ext=102")
        #expect(new.phones[0].contexts == [.work])
        #expect(new.phones[1].features == [.textphone, .text])
        #expect(new.phones.map(\.pref) == [1, 100])
    }

    @Test(
        "A local number is read as a full number if its URI has the context",
        arguments: [
            ("tel:863-1234;phone-context=+1-914-555", "+1-914-555-863-1234"),
            ("TEL:863-1234;ext=5;PHONE-CONTEXT=+1-914;isub=x", "+1-914-863-1234;ext=5;isub=x"),
            ("tel:+1-914-555-1234;phone-context=+1-914", "+1-914-555-1234"),
            ("tel:7042;phone-context=example.com", "7042;phone-context=example.com"),
            ("863-1234;phone-context=+1", "863-1234;phone-context=+1"), ("tel:", ""),
        ])
    func phoneContext(uri: String, number: String) throws {
        let vCard = try VCard.of(["VERSION:4.0", "TEL;VALUE=uri:\(uri)"])
        #expect(Card(vCard).phones.map(\.number) == (number.isEmpty ? [] : [number]))
        var same = vCard
        same.apply(Card(vCard))
        #expect(same == vCard)
    }

    @Test("Email addresses, languages")
    func emails() throws {
        let card = try Card.read(
            "VERSION:3.0", "EMAIL;TYPE=INTERNET,PREF: Frank@Lotus.com ", "EMAIL;TYPE=HOME:b@x", "LANG;PREF=2:fr")
        #expect(card.emails.map(\.address) == ["Frank@Lotus.com", "b@x"])
        #expect(card.emails.map(\.pref) == [1, nil])
        #expect(card.preferredLanguages.map(\.language) == ["fr"])
    }

    @Test(
        "Messengers and networks in many notations",
        arguments: [
            ("IMPP;PREF=1:xmpp:alice@example.com", nil, "xmpp:alice@example.com", nil),
            ("IMPP;X-SERVICE-TYPE=AIM;type=HOME:aim:johnny5", "AIM", "aim:johnny5", nil),
            ("X-AIM;TYPE=HOME:johnny5@aol.com", "AIM", nil, "johnny5@aol.com"),
            ("X-JABBER:ada@example.com", "XMPP", nil, "ada@example.com"),
            ("X-SKYPE-USERNAME:ada.l", "Skype", nil, "ada.l"),
            ("X-MS-IMADDRESS:johny5@aol.com", nil, nil, "johny5@aol.com"),
            (
                "X-SOCIALPROFILE;type=Twitter;type=pref;x-user=ada:http://twitter.com/ada", "Twitter",
                "http://twitter.com/ada", "ada"
            ),
            ("X-SOCIALPROFILE;type=home;type=flickr:x-apple:ada%20l", "flickr", nil, "ada l"),
            (
                "SOCIALPROFILE;SERVICE-TYPE=Mastodon:https://example.com/@foo", "Mastodon", "https://example.com/@foo",
                nil
            ),
            ("SOCIALPROFILE;SERVICE-TYPE=SomeSite;VALUE=text:peter94", "SomeSite", nil, "peter94"),
        ] as [(String, String?, String?, String?)])
    func services(line: String, service: String?, uri: String?, user: String?) throws {
        let services = try Card.read("VERSION:4.0", line).onlineServices
        #expect(services.map(\.service) == [service])
        #expect(services.map(\.uri) == [uri])
        #expect(services.map(\.user) == [user])
    }

    @Test("Addresses of seven components, with Outlook's empty ones and Apple's stray commas")
    func addresses() throws {
        let card = try Card.read(
            "VERSION:3.0", "ADR;TYPE=WORK,POSTAL:;;6544 Battleford Drive;Raleigh;NC; 27613-3502;U.S.A.",
            "ADR;TYPE=HOME,PREF:;;Silicon Alley 5,;New York;;;", "ADR;TYPE=HOME:;;;;;;")
        #expect(card.addresses.count == 2)
        #expect(card.addresses[0].components.map(\.kind) == [.name, .locality, .region, .postcode, .country])
        #expect(card.addresses[0][.postcode] == "27613-3502")
        #expect(card.addresses[1].components.map(\.value) == ["Silicon Alley 5", "New York"])
        #expect(card.addresses[1].pref == 1)
    }

    @Test("An address of RFC 9554 has more parts, which the old components repeat")
    func newAddress() throws {
        let card = try Card.read(
            "VERSION:4.0",
            "ADR;TYPE=delivery;CC=us;GEO=\"geo:12.3,4.5\";TZ=America/New_York;LABEL=\"54321 Oak St\\, \":"
                + ";;54321 Oak St,Bldg 7;Reston;VA;20190;USA;;;;54321;Oak St;Bldg 7;;;;;")
        let address = card.addresses[0]
        let kinds: [Card.Address.Kind] = [.locality, .region, .postcode, .country, .number, .name, .building]
        #expect(address.components.map(\.kind) == kinds)
        #expect(address[.name] == "Oak St")
        #expect(address.countryCode == "US")
        #expect(address.coordinates == "geo:12.3,4.5")
        #expect(address.timeZone == "America/New_York")
        #expect(address.contexts == [.delivery])
    }

    @Test(
        "An unescaped semicolon in a street loses no part of the address",
        arguments: [
            ("VERSION:3.0", "ADR:;;Hauptstr. 5; Top 3;Wien;;1010;Austria", "Hauptstr. 5; Top 3"),
            ("VERSION:3.0", "ADR:;;Hauptstr. 5; Top 3; 2. Hof;Wien;;1010;Austria", "Hauptstr. 5; Top 3; 2. Hof"),
            (
                "VERSION:2.1", "ADR;HOME;ENCODING=QUOTED-PRINTABLE:;;Hauptstr. 5=3B Top 3;Wien;;1010;Austria",
                "Hauptstr. 5; Top 3"
            ),
            ("VERSION:3.0", "ADR:;;Hauptstr. 5;Wien;;1010;Austria;", "Hauptstr. 5"),
            (
                "VERSION:3.0", "ADR:;;Hauptstr. 5;Wien;;1010;Austria;;;;;Hauptstr. 5;;;;;;",
                "Hauptstr. 5"
            ),
        ])
    func strayAddress(version: String, line: String, street: String) throws {
        let vCard = try VCard.of([version, line])
        for version in VCard.Version.allCases {
            let address = try #require(Card(VCard(vCard, version: version)).addresses.first)
            #expect(address[.name] == street)
            #expect([.locality, .postcode, .country].map { address[$0] } == ["Wien", "1010", "Austria"])
        }
        var edited = vCard
        var card = Card(vCard)
        card.addresses[0].components[1].value = "Graz"
        edited.apply(card)
        #expect(Card(edited).addresses[0][.locality] == "Graz" && Card(edited).addresses[0][.name] == street)
    }

    @Test("Without a country, the postal code shows that a semicolon has shifted the components")
    func strayAddressWithoutCountry() throws {
        let card = try Card.read("VERSION:3.0", "ADR:;;Hauptstr. 5; Top 3;Wien;;1010;", "ADR:;;Ring 1;Graz;;;;")
        #expect(card.addresses[0].components.map(\.value) == ["Hauptstr. 5; Top 3", "Wien", "1010"])
        #expect(card.addresses[1].components.map(\.value) == ["Ring 1", "Graz"])
    }

    @Test("In version 4.0 a new component for the room leaves the street of the old one")
    func roomAlone() throws {
        let card = try Card.read("VERSION:4.0", "ADR:;;Hauptstr. 5;Wien;;1010;Austria;Top 3")
        #expect(card.addresses[0][.name] == "Hauptstr. 5" && card.addresses[0][.room] == "Top 3")
    }

    @Test(
        "In version 4.0 a new component leaves the old components that it does not repeat",
        arguments: [
            (10, "Haus A"), (12, "2. Stock"), (13, "5"), (14, "A"), (15, "Am Markt"), (16, "Ost"), (17, "Favoriten"),
        ])
    func newComponentAlone(number: Int, value: String) throws {
        var components = ["", "Top 3", "Hauptstr. 5", "Wien", "", "1010", "Austria"]
        while components.count < 18 { components.append("") }
        components[number] = value
        let vCard = try VCard.of(["VERSION:4.0", "ADR:" + components.joined(separator: ";")])
        let conversions = [vCard, VCard(vCard, version: .v3_0), VCard(JSContact(vCard))]
        for card in conversions.map({ Card($0) }) {
            let address = try #require(card.addresses.first)
            #expect(address.components.contains { $0.value.contains("Hauptstr. 5") }, "\(address)")
            #expect(address.components.contains { $0.value.contains("Top 3") }, "\(address)")
        }
    }

    @Test("JSCOMPS orders an address; its old components may then be left out")
    func orderedAddress() throws {
        let card = try Card.read(
            "VERSION:4.0",
            "ADR;JSCOMPS=\"s,\\, ;13;s,-;10;15;3;4;s, ;5\":;;2-7,2,Marunouchi;Chiyoda-ku;Tokyo;100-8994;;;;;2;;;2-7;;Marunouchi;;"
        )
        let address = card.addresses[0]
        #expect(address.isOrdered)
        #expect(address.defaultSeparator == ", ")
        #expect(
            address.components.map(\.value) == ["2-7", "-", "2", "Marunouchi", "Chiyoda-ku", "Tokyo", " ", "100-8994"])
    }

    @Test("Version 2.1, which has no lists, gets the parts of a street with a blank between them")
    func street() {
        var (card, address) = (Card(), Card.Address(id: ""))
        address.components = [Card.Address.Component(.name, "Weg"), Card.Address.Component(.number, "5")]
        card.addresses = [address]
        #expect(VCard(card, version: .v2_1).lines.contains("ADR:;;Weg 5;;;;"))
        #expect(VCard(card, version: .v3_0).lines.contains("ADR:;;Weg,5;;;;"))
    }

    @Test("A position and a time zone without an address get none in another version", arguments: ["2.1", "3.0"])
    func withoutAddress(version: String) throws {
        let lines = ["FN:Ada", "N:;;;;", "GEO:48.2;16.4", "TZ:+01:00"]
        let old = try VCard.of(["VERSION:\(version)"] + lines)
        let new = VCard(old, version: .v4_0)
        #expect(new.lines.suffix(2) == ["GEO:geo:48.2,16.4", "TZ:Etc/GMT-1"])
        #expect(!new.lines.contains { $0.contains("ADR") })
        #expect(Card(new).addresses == Card(old).addresses)
        let back = VCard(new, version: old.version)
        #expect(Set(back.lines) == Set(lines))
    }

    @Test("An address that is added to a card with a position of its own does not get that", arguments: ["2.1", "3.0"])
    func addedBesidePosition(version: String) throws {
        var vCard = try VCard.of(["VERSION:\(version)", "FN:Ada", "GEO:48.2;16.4", "TEL:1"])
        var card = Card(vCard)
        var address = Card.Address(id: "x")
        address.components = [Card.Address.Component(.locality, "Graz")]
        card.addresses.append(address)
        vCard.apply(card)
        #expect(Card(vCard).addresses.map(\.coordinates) == ["geo:48.2,16.4", nil])
        #expect(Card(vCard).addresses.map { $0[.locality] } == [nil, "Graz"])
    }

    @Test("LABEL is the whole of the address of its kind, GEO and TZ belong to the only address or to their group's")
    func beside() throws {
        let outlook = try Card.read(
            "VERSION:2.1", "ADR;WORK;PREF:;;Drive;;;;", "ADR;HOME:;;Alley;;;;",
            "LABEL;HOME;ENCODING=QUOTED-PRINTABLE:Alley=0D=0ANew York", "LABEL;WORK:Drive 1")
        #expect(outlook.addresses.map(\.full) == ["Drive 1", "Alley\nNew York"])
        let simon = try Card.read(
            "VERSION:4.0", "ADR:;;2875 Laurier;;;;", "GEO;TYPE=work:geo:46.77,-71.28", "TZ:-0500")
        #expect(simon.addresses.map(\.coordinates) == ["geo:46.77,-71.28"])
        #expect(simon.addresses.map(\.timeZone) == ["Etc/GMT+5"])
        let two = try Card.read(
            "VERSION:3.0", "item1.ADR:;;a;;;;", "item2.ADR:;;b;;;;", "item2.GEO:48.2;16.37", "item1.X-ABADR:at",
            "TZ:Europe/Vienna", "item2.X-ABADR:Silicon Alley")
        #expect(two.addresses.map(\.coordinates) == [nil, "geo:48.2,16.37", nil])
        #expect(two.addresses.map(\.countryCode) == ["AT", nil, nil])
        #expect(two.addresses.map(\.timeZone) == [nil, nil, "Europe/Vienna"])
        #expect(try Card.read("VERSION:3.0", "LABEL;TYPE=HOME:Street 1").addresses.map(\.full) == ["Street 1"])
        #expect(try Card.read("VERSION:3.0", "GEO:north", "TZ:-0530", "X-ABADR:at").addresses.isEmpty)
    }

    @Test("Trap: Raw labels such as `_$!<Mobile>!$_` are shown")
    func labels() throws {
        let card = try Card.read(
            "VERSION:3.0", "item1.TEL:1", "item1.X-ABLabel:_$!<Mobile>!$_", "item2.TEL:2",
            "item2.X-ABLabel:_$!<AssistantPhone>!$_", "item3.TEL:3", "item3.X-ABLabel:_$!<WorkFAX>!$_", "item4.TEL:4",
            "item4.X-ABLabel:GRAND_CENTRAL", "item5.EMAIL:a", "item5.X-ABLabel:_$!<Home>!$_", "item6.EMAIL:b",
            "item6.X-ABLabel:_$!<Other>!$_", "item7.URL:c", "item7.X-ABLabel:_$!<HomePage>!$_", "item8.ADR:;;d;;;;",
            "ITEM8.X-ABLABEL:Beach", "item9.X-ABLabel:nobody's", "item10.TEL:5", "item10.X-ABLabel:Mobile")
        #expect(card.phones.map(\.features) == [[.mobile], [], [.fax], [], []])
        #expect(card.phones.map(\.contexts) == [[], [], [.work], [], []])
        // What people have called it themselves stays as they did.
        #expect(card.phones.map(\.label) == [nil, "Assistant phone", nil, "GRAND_CENTRAL", "Mobile"])
        #expect(card.emails.map(\.contexts) == [[.private], []])
        #expect(card.emails.map(\.label) == [nil, "Other"])
        #expect(card.links.map(\.label) == ["Home page"])
        #expect(card.addresses.map(\.label) == ["Beach"])
    }

    @Test(
        "No label of any export shows Apple's brackets", .enabled(if: !ProgramCard.all.isEmpty),
        arguments: ProgramCard.all)
    func noBrackets(card: ProgramCard) {
        var text = ""
        dump(Card(card.vCard), to: &text)
        #expect(!text.contains("_$!<"))
    }
}
