import Foundation
import KithCards
import Testing

@Suite("Cards as JSContact writes them") struct JSContactTests {
    @Test("A card that is written in JSON and read is the same", arguments: 0..<60 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var dice = PersonDice(seed: seed, .v4_0)
        let card = dice.card().renumbered.sayable
        let data = try JSONEncoder().encode(JSContact(card))
        let read = try JSONDecoder().decode(JSContact.self, from: data)
        #expect(read.card.renumbered == card)
        #expect(read.further.isEmpty)
    }

    @Test("Every entry is an object under its id, with its type")
    func shape() throws {
        let vCard = try VCard.of([
            "VERSION:4.0", "UID:urn:uuid:1", "KIND:org", "REV:20211031T222710Z", "FN:Ada L.", "N:L.;Ada;;;",
            "TEL;TYPE=cell,home;PREF=1;PROP-ID=t1:+1", "BDAY:--0203", "CATEGORIES:a,b", "item1.ORG:ABC;Unit",
            "item1.TITLE:Boss", "RELATED;TYPE=friend:urn:uuid:2", "MEMBER:urn:uuid:3",
        ])
        let json = try Self.json(JSContact(vCard))
        let expected = """
            {"@type":"Card","anniversaries":{"ANNIV-1":{"@type":"Anniversary","date":{"@type":"PartialDate","day":3,\
            "month":2},"kind":"birth"}},"keywords":{"a":true,"b":true},"kind":"org","members":{"urn:uuid:3":true},\
            "name":{"@type":"Name","components":[{"@type":"NameComponent","kind":"surname","value":"L."},\
            {"@type":"NameComponent","kind":"given","value":"Ada"}],"full":"Ada L."},"organizations":{"ORG-1":\
            {"@type":"Organization","name":"ABC","units":[{"@type":"OrgUnit","name":"Unit"}]}},"phones":{"t1":\
            {"@type":"Phone","contexts":{"private":true},"features":{"mobile":true},"number":"+1","pref":1}},\
            "relatedTo":{"urn:uuid:2":{"@type":"Relation","relation":{"friend":true}}},"titles":{"TITLE-1":\
            {"@type":"Title","name":"Boss","organizationId":"ORG-1"}},"uid":"urn:uuid:1",\
            "updated":"2021-10-31T22:27:10Z","version":"1.0"}
            """
        #expect(json == expected)
    }

    @Test("Properties without a field in JSContact are written in jCard form")
    func unsaid() throws {
        let vCard = try VCard.of([
            "VERSION:3.0", "FN:Ada", "item2.X-FOO;PREF=1;A=b,c:x\\,y", "GENDER:F;woman", "MAILER:x\\,y", "FN:Second",
            "item1.ADR:;;a;;;;", "item1.X-ABLabel:Beach", "BDAY:circa 1800", "item3.X-ABDATE:1975-03-01", "X-EMPTY:",
            "PHOTO;ENCODING=b:AQID", "X-QP;ENCODING=QUOTED-PRINTABLE:=C3=A9", "X-URI;VALUE=uri:http://x",
        ])
        let contact = JSContact(vCard)
        let expected: [JSONValue] = [
            ["x-foo", .object(["pref": "1", "a": .array(["b", "c"]), "group": "item2"]), "unknown", "x\\,y"].list,
            ["gender", .object([:]), "text", .array(["F", "woman"])].list,
            ["mailer", .object([:]), "text", "x,y"].list,
            ["fn", .object([:]), "text", "Second"].list,
            ["x-ablabel", .object(["group": "item1"]), "unknown", "Beach"].list,
            ["bday", .object([:]), "date-and-or-time", "circa 1800"].list,
            ["x-abdate", .object(["group": "item3"]), "unknown", "1975-03-01"].list,
            ["x-qp", .object([:]), "unknown", "é"].list, ["x-uri", .object([:]), "uri", "http://x"].list,
        ]
        #expect(contact.vCardProperties == expected)
        #expect(try Self.json(contact).contains("\"vCardProps\":[[\"x-foo\","))
    }

    @Test("A card without a uid is one of version 2.0")
    func version() throws {
        var card = Card()
        #expect(try Self.json(JSContact(card)) == #"{"@type":"Card","version":"2.0"}"#)
        card.uid = "1"
        #expect(try Self.json(JSContact(card)) == #"{"@type":"Card","uid":"1","version":"1.0"}"#)
    }

    @Test("A photo is written as a data: URI only on request")
    func photos() throws {
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada", "PHOTO;ENCODING=b;TYPE=PNG:AQIDBAUG"])
        #expect(try !Self.json(JSContact(vCard)).contains("AQID"))
        let contact = JSContact(vCard, embedding: true)
        #expect(contact.card.media.map(\.content) == [.uri("data:image/png;base64,AQIDBAUG")])
        let read = try JSONDecoder().decode(JSContact.self, from: JSONEncoder().encode(contact))
        let new = VCard(read.card)
        #expect(new.data(of: try #require(Card(new).media.first)) == [1, 2, 3, 4, 5, 6])
    }

    @Test("A percent-encoded data: URI may contain any bytes", arguments: VCard.Version.allCases)
    func codes(version: VCard.Version) throws {
        let json = #"{"@type":"Card","media":{"m":{"kind":"photo","uri":"data:IMAGE/PNG,%ff%D8%00a"}}}"#
        let vCard = VCard(try JSONDecoder().decode(JSContact.self, from: Data(json.utf8)), version: version)
        #expect(try vCard["PHOTO"].data == [0xFF, 0xD8, 0, UInt8(ascii: "a")])
        #expect(Card(vCard).media.map(\.mediaType) == ["image/png"])
    }

    @Test("Unknown fields of another program's card are returned")
    func further() throws {
        let json = #"{"@type":"Card","example.com:foo":{"bar":1},"localizations":{"de":{}},"uid":"1","version":"1.0"}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(Set(contact.further.keys) == ["example.com:foo", "localizations"])
        #expect(try Self.json(contact) == json)
    }

    @Test("Unknown fields of entries are returned, too, even through a vCard", arguments: VCard.Version.allCases)
    func furtherFields(version: VCard.Version) throws {
        let json =
            #"{"@type":"Card","addresses":{"a":{"@type":"Address","full":"x","x.org:l":{"m":[1]}}},"#
            + #""anniversaries":{"b":{"@type":"Anniversary","date":{"@type":"PartialDate","calendarScale":"julian","#
            + #""year":1815},"kind":"birth"}},"name":{"@type":"Name","full":"A","x.org:n":false},"#
            + #""personalInfo":{"h":{"@type":"PersonalInfo","kind":"hobby","listAs":3,"value":"b"}},"#
            + #""phones":{"PHONE-1":{"@type":"Phone","number":"2"},"p1":{"@type":"Phone","contexts":{"work":true,"#
            + #""x.org:boat":true},"number":"1","x.org:/~q":null}},"relatedTo":{"urn:x:1/2":{"@type":"Relation","#
            + #""relation":{"friend":true},"x.org:r":1}},"speakToAs":{"@type":"SpeakToAs","grammaticalGender":"neuter","#
            + #""pronouns":{"k":{"@type":"Pronouns","pronouns":"they","x.org:p":"q"}}},"uid":"1","version":"1.0"}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(contact.further["phones/p1/contexts/x.org:boat"] == .flag(true))
        #expect(contact.further["phones/p1/x.org:~1~0q"] == .null)
        #expect(try Self.json(contact) == json)
        // The versions before 4.0 know no ids: the entries are called by their places.
        var renamed = json
        if version != .v4_0 {
            for (id, new) in [
                ("a", "ADR-1"), ("b", "ANNIV-1"), ("h", "INFO-1"), ("p1", "PHONE-2"), ("k", "PRONOUNS-1"),
            ] {
                renamed.replace("\"\(id)\":{\"@type\"", with: "\"\(new)\":{\"@type\"")
            }
        }
        #expect(try Self.json(JSContact(VCard(contact, version: version))) == renamed)
        // What belonged to an entry goes with it, and comes in nobody's way.
        var edited = contact
        edited.card.phones = [Card.Phone(id: "PHONE-1", number: "3")]
        edited.card.addresses[0].full = nil
        let again = try Self.json(edited)
        #expect(!again.contains("boat") && again.contains("x.org:l") && again.contains("calendarScale"))
    }

    @Test(
        "Trap: a video becomes the photo, a graduation vanishes, a talent refuses the person – they are kept as a whole",
        arguments: VCard.Version.allCases)
    func foreignKinds(version: VCard.Version) throws {
        let json =
            #"{"@type":"Card","anniversaries":{"g":{"date":{"@type":"PartialDate","year":2010},"kind":"x-graduation"}},"#
            + #""kind":"x-thing","media":{"v":{"kind":"video","uri":"https://example.com/v.mp4"}},"name":{"@type":"Name","#
            + #""full":"A"},"personalInfo":{"PERSON-1":{"kind":"x-talent","value":"juggling"}},"uid":"1","version":"1.0"}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(contact.card.media.isEmpty && contact.card.anniversaries.isEmpty && contact.card.personalInfo.isEmpty)
        #expect(try Self.json(contact) == json)
        let vCard = VCard(contact, version: version)
        #expect(!vCard.properties.contains { $0.knownName == .photo })
        #expect(try Self.json(JSContact(vCard)) == json)
    }

    @Test(
        "Trap: A field of the card that is of the wrong type vanishes – it is kept, even through a vCard",
        arguments: [
            ("phones", #"[{"number":"1"}]"#), ("emails", #""a@example.com""#), ("keywords", #"["a","b"]"#),
            ("members", "3"), ("language", "5"), ("kind", "[1]"), ("created", #"{"@type":"Timestamp","utc":"x"}"#),
            ("anniversaries", "[1]"), ("speakToAs", #"{"grammaticalGender":"x-other"}"#),
        ])
    func wrongTypes(name: String, value: String) throws {
        let json = ["\"@type\":\"Card\"", "\"\(name)\":\(value)", "\"uid\":\"1\"", "\"version\":\"1.0\""]
        let whole = "{\(json.joined(separator: ","))}"
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(whole.utf8))
        #expect(Array(contact.further.keys) == [name])
        #expect(try Self.json(contact) == whole)
        for version in VCard.Version.allCases {
            #expect(JSContact(VCard(contact, version: version)).further == contact.further)
        }
        // Once the card has the field itself, this one comes in nobody's way.
        var edited = contact
        edited.card.phones = [Card.Phone(id: "p", number: "2")]
        #expect(try Self.json(edited).contains(#""number":"2""#))
    }

    @Test("A field that says what its absence says is not kept")
    func silentFields() throws {
        let json =
            #"{"@type":"Card","emails":{},"keywords":[],"kind":"individual","phones":null,"#
            + #""speakToAs":{"@type":"SpeakToAs"},"uid":"1","version":"1.0"}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(contact.further.isEmpty)
    }

    @Test("Foreign media stand beside a photo", arguments: VCard.Version.allCases)
    func videoBesidePhoto(version: VCard.Version) throws {
        let json =
            #"{"@type":"Card","media":{"MEDIA-1":{"@type":"Media","kind":"photo","uri":"https://example.com/p.png"},"#
            + #""v":{"kind":"video","uri":"https://example.com/v.mp4"}},"name":{"@type":"Name","full":"A"},"uid":"1","#
            + #""version":"1.0"}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(contact.card.media.map(\.kind) == [.photo])
        #expect(try Self.json(JSContact(VCard(contact, version: version))) == json)
    }

    /// A street with a pronunciation, a name with a part of an unknown kind, and a department with a sort key.
    private static let parts =
        #"{"@type":"Card","addresses":{"ADR-1":{"@type":"Address","components":[{"@type":"AddressComponent","kind":"name","#
        + #""phonetic":"haupt","value":"Hauptstr."},{"@type":"AddressComponent","kind":"locality","value":"Wien"}]}},"#
        + #""name":{"@type":"Name","components":[{"@type":"NameComponent","kind":"surname","value":"L."},"#
        + #"{"@type":"NameComponent","kind":"given","value":"Ada"},{"kind":"x-nisba","value":"of Ealing"}],"full":"Ada"},"#
        + #""organizations":{"ORG-1":{"@type":"Organization","name":"ABC","units":[{"@type":"OrgUnit","name":"The Unit","#
        + #""sortAs":"Unit"}]}},"uid":"1","version":"1.0"}"#

    @Test(
        "Trap: Unknown fields of the parts of a name, an address or an organization vanish – the list is kept as a whole",
        arguments: VCard.Version.allCases)
    func fieldsOfParts(version: VCard.Version) throws {
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(Self.parts.utf8))
        #expect(contact.card.name.components.map(\.value) == ["L.", "Ada"])
        #expect(
            Set(contact.further.keys) == ["addresses/ADR-1/components", "name/components", "organizations/ORG-1/units"])
        #expect(try Self.json(contact) == Self.parts)
        #expect(try Self.json(JSContact(VCard(contact, version: version))) == Self.parts)
    }

    @Test("A list with unknown fields goes when the card has another list, and comes in nobody's way")
    func editedParts() throws {
        var contact = try JSONDecoder().decode(JSContact.self, from: Data(Self.parts.utf8))
        contact.card.name.components[0].value = "Byron"
        let json = try Self.json(contact)
        #expect(json.contains("Byron") && !json.contains("nisba") && json.contains(#""sortAs":"Unit""#))
        let lines = VCard(contact).lines
        #expect(
            lines.contains { $0.contains("Byron;Ada") } && !lines.contains { $0.contains("nisba") || $0.contains("L.") }
        )
        #expect(try Self.json(JSContact(VCard(contact))) == json)
    }

    @Test("A field of JSContact that has no place in the card any more stays a property")
    func fieldsWithoutPlace() throws {
        let vCard = try VCard.of(["VERSION:4.0", "FN:Ada", "JSPROP;JSPTR=phones/p1/foo:1", "JSPROP;JSPTR=name/foo:2"])
        let contact = JSContact(vCard)
        #expect(contact.further.isEmpty == false && contact.vCardProperties.count == 1)
        #expect(try Self.json(contact).contains(#""name":{"@type":"Name","foo":2,"full":"Ada"}"#))
        #expect(VCard(contact).lines.contains("JSPROP;JSPTR=phones/p1/foo:1"))
    }

    @Test("A vCard made from JSContact preserves all of it")
    func whole() throws {
        let json =
            #"{"@type":"Card","example.com:foo":{"bar":[1,true,null]},"localizations":{"de":{"name/full":"A"}},"#
            + #""uid":"1","vCardProps":[["x-foo",{"group":"item2","pref":1},"unknown","a\\,b"],"#
            + #"["gender",{},"text",["F","woman"]],["x-uri",{},"uri","http://x"],["mailer",{"type":["a","b"]},"text","c,d"]],"#
            + #""version":"1.0"}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        let vCard = VCard(contact)
        let lines = [
            "item2.X-FOO;PREF=1:a\\,b", "GENDER:F;woman", "X-URI;VALUE=uri:http://x", "MAILER;TYPE=a,b:c\\,d",
            "JSPROP;JSPTR=example.com:foo:{\"bar\":[1\\,true\\,null]}".replacing(
                "example.com:foo:", with: "\"example.com:foo\":"),
            "JSPROP;JSPTR=localizations:{\"de\":{\"name/full\":\"A\"}}",
        ]
        #expect(Array(vCard.lines.suffix(6)) == lines)
        #expect(try Self.json(JSContact(vCard)) == json.replacing(#""pref":1"#, with: #""pref":"1""#))
    }

    @Test(
        "Invalid JSContact is refused with the location of the fault",
        arguments: [
            (#"{"@type":"Group"}"#, "it has another “@type”"),
            (#"{"error":"x"}"#, "it has neither “@type” nor anything of a card"),
            (#"{"name":"x","version":"1.0"}"#, "it has neither “@type” nor anything of a card"),
            (#"{"emails":{"e1":{"pref":1}}}"#, "“emails/e1” has no text “address”"),
            (#"{"phones":{"p":3}}"#, "it has no object “phones/p”"),
            (#"{"onlineServices":{"o":{}}}"#, "“onlineServices/o” has neither “uri” nor “user”"),
            (#"{"anniversaries":{"a":{"kind":"birth"}}}"#, "“anniversaries/a” has no “date”"),
            (#"{"name":{"components":[1]}}"#, "“name” has a “components” with a value that is not an object"),
        ])
    func faults(json: String, sentence: String) {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "This is not a valid JSContact card: \(sentence).")
    }

    @Test("The entries come in the order of their ids, numbers as such")
    func order() throws {
        let json = #"{"emails":{"EMAIL-10":{"address":"c"},"EMAIL-2":{"address":"b"},"A":{"address":"a"}}}"#
        let contact = try JSONDecoder().decode(JSContact.self, from: Data(json.utf8))
        #expect(contact.card.emails.map(\.address) == ["a", "b", "c"])
    }

    /// A contact as JSON, with sorted keys.
    static func json(_ contact: JSContact) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(contact), as: UTF8.self)
    }
}

extension [JSONValue] {
    fileprivate var list: JSONValue { .array(self) }
}

extension Card {
    /// The card without what JSContact has no words for, and its sets in order.
    fileprivate var sayable: Card {
        var card = self
        card.keywords.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        card.members.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        card.anniversaries = card.anniversaries.filter { anniversary in
            if case .text = anniversary.day { false } else { anniversary.kind != .other }
        }
        for index in card.anniversaries.indices { card.anniversaries[index].label = nil }
        for index in card.addresses.indices { card.addresses[index].label = nil }
        // The other is the key.
        var others: Set<String> = []
        card.relatedTo = card.relatedTo.filter { others.insert($0.other).inserted }
            .sorted { $0.other.utf8.lexicographicallyPrecedes($1.other.utf8) }
        for index in card.relatedTo.indices { card.relatedTo[index].label = nil }
        if card.name.components.isEmpty, card.name.full == nil { card.name = Card.Name() }
        return card.renumbered
    }
}
