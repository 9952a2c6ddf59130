import Foundation
import KithCards
import Testing

@Suite("Other properties of vCards") struct FurtherReadingTests {
    @Test(
        "Birthdays in many notations, including those without a year",
        arguments: [
            ("BDAY:1980-03-22", .date(year: 1980, month: 3, day: 22)),
            ("BDAY:19800322", .date(year: 1980, month: 3, day: 22)),
            ("BDAY;value=date:2012-06-06", .date(year: 2012, month: 6, day: 6)),
            ("BDAY:--0203", .date(year: nil, month: 2, day: 3)),
            ("BDAY:--02-03", .date(year: nil, month: 2, day: 3)),
            ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29", .date(year: nil, month: 2, day: 29)),
            ("BDAY;X-APPLE-OMIT-YEAR=1604:1980-02-29", .date(year: 1980, month: 2, day: 29)),
            ("BDAY:1985", .date(year: 1985, month: nil, day: nil)),
            ("BDAY:1985-04", .date(year: 1985, month: 4, day: nil)),
            ("BDAY:--04", .date(year: nil, month: 4, day: nil)), ("BDAY:---12", .date(year: nil, month: nil, day: 12)),
            ("BDAY:1996-04-15T00:00:00Z", .date(year: 1996, month: 4, day: 15)),
            ("BDAY:1953-10-15T23:10:00", .date(year: 1953, month: 10, day: 15)),
            ("BDAY:19531015T231000Z", .moment("1953-10-15T23:10:00Z")),
            ("BDAY:1980-02-03T23:30:00-05:00", .moment("1980-02-03T23:30:00-05:00")),
            ("BDAY:19800203T233015.50+0545", .moment("1980-02-03T23:30:15.5+05:45")),
            ("BDAY;VALUE=text:19800322", .text("19800322")), ("BDAY:circa 1800", .text("circa 1800")),
            ("BDAY:1980-13-01", .text("1980-13-01")), ("BDAY:1980-03-22x", .text("1980-03-22x")),
            ("BDAY:-1", .text("-1")),
        ] as [(String, Card.Anniversary.Day)])
    func birthdays(line: String, day: Card.Anniversary.Day) throws {
        let anniversaries = try Card.read("VERSION:3.0", line).anniversaries
        #expect(anniversaries.map(\.day) == [day])
        #expect(anniversaries.map(\.id) == ["ANNIV-1"] && anniversaries.map(\.kind) == [.birth])
    }

    @Test(
        "Trap: a birthday at midnight east of Greenwich moves to the day before – it stays on its day",
        arguments: ["1996-04-15T00:00:00+02:00", "19960415T000000-0500", "1996-04-15T00:00+02"])
    func midnight(text: String) throws {
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada", "BDAY:\(text)"])
        #expect(Card(vCard).anniversaries.map(\.day) == [.date(year: 1996, month: 4, day: 15)])
        #expect(VCard(vCard, version: .v4_0).lines.contains("BDAY:19960415"))
    }

    @Test("Trap: a birthday late in the evening west of Greenwich moves to the next day – it stays on its day")
    func zones() throws {
        let written = "BDAY:1980-02-29T22:00:00-03:00"
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada", written])
        let day = try #require(Card(vCard).anniversaries.first).day
        #expect(day.civilDay == .date(year: 1980, month: 2, day: 29))
        #expect(VCard(vCard, version: .v2_1).lines.contains(written))
        #expect(VCard(vCard, version: .v4_0).lines.contains("BDAY:19800229T220000-0300"))
        // A timestamp of JSContact is in UTC, so the date is there, and the property as it was.
        let json = try JSONEncoder().encode(JSContact(vCard))
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains("PartialDate") && text.contains("\"day\":29") && !text.contains("utc"), "\(text)")
        for contact in [JSContact(vCard), try JSONDecoder().decode(JSContact.self, from: json)] {
            let back = VCard(contact, version: .v3_0)
            #expect(back.lines.filter { $0.hasPrefix("BDAY") } == [written])
        }
    }

    @Test(
        "A point in time is converted to UTC",
        arguments: [
            ("20090808T1430-0500", "2009-08-08T19:30:00Z"), ("2000-02-28T23:30:15-01:00", "2000-02-29T00:30:15Z"),
            ("2001-03-01T00:30+01", "2001-02-28T23:30:00Z"),
            ("1999-12-31T23:59:59.250-00:01", "2000-01-01T00:00:59.25Z"),
            ("2100-03-01T00:00:00+14:00", "2100-02-28T10:00:00Z"), ("2012-10-12T21:05:25Z", "2012-10-12T21:05:25Z"),
            ("20121012", "2012-10-12T00:00:00Z"), ("2012-10-12 21:05", "2012-10-12T21:05:00Z"),
        ])
    func moments(text: String, moment: String) throws {
        #expect(try Card.read("VERSION:3.0", "REV:\(text)").updated == moment)
    }

    @Test(
        "An invalid point in time is not read as one",
        arguments: ["", "yesterday", "2012", "--1012", "2012-10-12T25:00:00Z", "2012-10-12T2"])
    func noMoment(text: String) throws {
        #expect(try Card.read("VERSION:3.0", "REV:\(text)").updated == nil)
    }

    @Test("Days of death and of weddings, in the words of many programs")
    func days() throws {
        let card = try Card.read(
            "VERSION:3.0", "X-ANNIVERSARY:2001-01-01", "X-EVOLUTION-ANNIVERSARY:2002-01-01",
            "X-MS-ANNIVERSARY:20110113",
            "ANNIVERSARY:2004-01-01", "DEATHDATE:2005-01-01", "item1.X-ABDATE:1975-03-01",
            "item1.X-ABLabel:_$!<Anniversary>!$_", "item2.X-ABDATE:1976-03-01", "item2.X-ABLabel:First day",
            "X-ABDATE:1977-03-01")
        let kinds: [Card.Anniversary.Kind] = [.wedding, .wedding, .wedding, .wedding, .death, .wedding, .other, .other]
        #expect(card.anniversaries.map(\.kind) == kinds)
        #expect(card.anniversaries.map(\.label) == [nil, nil, nil, nil, nil, nil, "First day", nil])
    }

    @Test("Other people, by name or by uid")
    func relations() throws {
        let card = try Card.read(
            "VERSION:3.0", "item1.X-ABRELATEDNAMES:Jenny", "item1.X-ABLabel:_$!<Spouse>!$_",
            "item2.X-ABRELATEDNAMES:Ann",
            "item2.X-ABLabel:_$!<Mother>!$_", "item3.X-ABRELATEDNAMES:Bo", "item3.X-ABLabel:CustomRelationship",
            "X-SPOUSE:Maria", "X-EVOLUTION-SPOUSE:Mia", "RELATED;TYPE=friend,contact;VALUE=uri:urn:uuid:1",
            "AGENT:CID:1")
        #expect(card.relatedTo.map(\.other) == ["Jenny", "Ann", "Bo", "Maria", "Mia", "urn:uuid:1", "CID:1"])
        let relations: [Set<String>] = [
            ["spouse"], ["parent"], [], ["spouse"], ["spouse"], ["friend", "contact"], ["agent"],
        ]
        #expect(card.relatedTo.map(\.relations) == relations)
        #expect(card.relatedTo.map(\.label) == [nil, "Mother", "CustomRelationship", nil, nil, nil, nil])
    }

    @Test("An agent that is a nested card is a relation by name")
    func agent() throws {
        let card = try Card.read(
            "VERSION:2.1", "N:Boss;;;;", "AGENT:", "BEGIN:VCARD", "VERSION:2.1", "N:Friday;Fred;;;", "TEL:1",
            "END:VCARD")
        #expect(card.relatedTo.map(\.other) == ["Fred Friday"])
        #expect(card.phones.isEmpty)
    }

    @Test("Notes, categories, interests")
    func free() throws {
        let card = try Card.read(
            "VERSION:4.0", "NOTE:one\\, two\\nthree", "NOTE: ", "CATEGORIES:VIP,My Contacts", "CATEGORIES:VIP,c\\,d",
            "EXPERTISE;LEVEL=expert:chemistry", "HOBBY;LEVEL=high:reading", "INTEREST;LEVEL=huge:music")
        #expect(card.notes.map(\.note) == ["one, two\nthree"])
        #expect(card.keywords == ["VIP", "My Contacts", "c,d"])
        #expect(card.personalInfo.map(\.kind) == [.expertise, .hobby, .interest])
        #expect(card.personalInfo.map(\.level) == [.high, .high, nil])
    }

    @Test("Metadata of a card, and the members of a group")
    func itself() throws {
        let apple = try Card.read(
            "VERSION:3.0", "UID:1", "UID:2", "X-ADDRESSBOOKSERVER-KIND:group", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:a",
            "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:a", "PRODID:-//Apple Inc.//iOS 5.0.1//EN")
        #expect(apple.uid == "1")
        #expect(apple.kind == .group)
        #expect(apple.members == ["urn:uuid:a"])
        #expect(apple.productID == "-//Apple Inc.//iOS 5.0.1//EN")
        let new = try Card.read(
            "VERSION:4.0", "KIND:Org", "MEMBER:mailto:a@b", "LANGUAGE:de-AT", "CREATED:20220930T143510Z")
        #expect(new.kind == .org)
        #expect(new.members == ["mailto:a@b"])
        #expect(new.language == "de-AT")
        #expect(new.created == "2022-09-30T14:35:10Z")
        #expect(try Card.read("VERSION:3.0", "X-ABShowAs:COMPANY").kind == .org)
        #expect(try Card.read("VERSION:4.0", "KIND:x-robot").kind == .individual)
    }

    @Test("Links, keys, calendars; Google's escaped colons")
    func resources() throws {
        let card = try Card.read(
            "VERSION:4.0", "URL;TYPE=WORK:http\\://www.ibm.com", "CONTACT-URI:mailto:c@x", "CALURI;PREF=1:http://x/cal",
            "FBURL:http://x/busy", "CALADRURI:mailto:a@x", "KEY;MEDIATYPE=application/pgp-keys:ftp://x/keys",
            "SOURCE:http://x/1.vcf", "ORG-DIRECTORY:ldap://x", "LOGO:http://x/logo.png", "SOUND;TYPE=home:CID:1",
            "PHOTO:")
        #expect(card.links.map(\.content) == [.uri("http://www.ibm.com"), .uri("mailto:c@x")])
        #expect(card.links.map(\.kind) == [nil, .contact])
        #expect(card.links[0].contexts == [.work])
        #expect(card.calendars.map(\.kind) == [.calendar, .freeBusy])
        #expect(card.schedulingAddresses.map(\.content) == [.uri("mailto:a@x")])
        #expect(card.cryptoKeys.map(\.mediaType) == ["application/pgp-keys"])
        #expect(card.directories.map(\.kind) == [.entry, .directory])
        #expect(card.media.map(\.kind) == [.logo, .sound])
    }

    @Test(
        "Embedded data is identified by size and digest, and decoded on request",
        arguments: [
            ("VERSION:2.1", "PHOTO;ENCODING=BASE64;JPEG:\r\n AQID\r\n BAUG\r\n"),
            ("VERSION:3.0", "PHOTO;ENCODING=b;TYPE=JPEG:AQIDBAUG"),
            ("VERSION:4.0", "PHOTO:data:image/jpeg;base64,AQID\r\n BAUG"),
        ])
    func embedded(version: String, photo: String) throws {
        let vCard = try VCard.of([version, photo, "N:Doe;;;;"])
        let resource = try #require(Card(vCard).media.first)
        #expect(resource.mediaType == "image/jpeg")
        #expect(vCard.data(of: resource) == [1, 2, 3, 4, 5, 6])
        let other = try VCard.of([version, photo.replacing("AQID", with: "AQIE"), "N:Doe;;;;"])
        #expect(Card(other).media.first != resource)
        #expect(other.data(of: resource) == nil)
    }
}
