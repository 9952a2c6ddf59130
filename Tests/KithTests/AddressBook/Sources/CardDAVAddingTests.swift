import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

@Suite("Adding to a CardDAV account", .timeLimit(.minutes(15))) struct CardDAVAddingTests {
    private let server = FakeDAVServer()
    private let account: Account

    init() throws { account = try Account(FakeDAVServer.address, server) }

    /// The server refuses cards as if it had one of the same uid; `there` is what it has at their addresses.
    private func conflict(status: Int, there: Data?) {
        let conflict = #"<error xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><C:no-uid-conflict/></error>"#
        server.answers { request in
            switch request.method {
            case "PUT": DAVResponse(status: status, body: Data(conflict.utf8))
            case "GET": there.map { DAVResponse(status: 200, body: $0) }
            default: nil
            }
        }
    }

    @Test("A card that the server has got meanwhile is skipped", arguments: [412, 409])
    func thereMeanwhile(status: Int) async throws {
        conflict(status: status, there: Data(card("Ada", uid: "a")))
        #expect(try await account.open().add([VCard(card("Ada", uid: "a"))]).references == [])
    }

    @Test("Trap: A missing card counts as already present – it is reported", arguments: [412, 409])
    func thereElsewhere(status: Int) async throws {
        conflict(status: status, there: nil)
        let told = await code { _ = try await account.open().add([VCard(card("Ada", uid: "a"))]) }
        #expect(told == .refused)
    }

    @Test("A card of version 2.1, which servers refuse, is uploaded as 3.0, once") func oldVersion() async throws {
        let lines = [
            "BEGIN:VCARD", "VERSION:2.1", "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg",
            "TEL;CELL;X-Segelboot;X-NEC-ID=7:1",
            "ADR;HOME;ENCODING=QUOTED-PRINTABLE:;;Hauptstr. 5=3B Top 3;Wien;;1010;Austria", "END:VCARD", "",
        ]
        let old = try VCard(Array(lines.joined(separator: "\r\n").utf8))
        let source = account.open()
        let added = try await source.add([old, old]).references
        let put = try await source.vCard(#require(added.first))
        #expect(added.count == 1)
        #expect(put.version == .v3_0)
        #expect(Card(put).name.displayText == "Jörg Müller")
        #expect(Card(put).phones.map(\.number) == ["1"])
        #expect(Card(put).addresses.map { $0[.name] } == ["Hauptstr. 5; Top 3"])
        #expect(Card(put).phones.map(\.vCardParameters) == [["TYPE": ["X-Segelboot"], "X-NEC-ID": ["7"]]])
        #expect(try await source.add([old]).references == [])
    }

    @Test("Trap: a server refuses BEGIN in small letters – it is uploaded in capitals, and the rest as it is")
    func capitals() async throws {
        let lines = ["begin:vcard", "version:3.0", "fn:Begin:vCard", "uid:a", "n:;;;;", "end:vCard", ""]
        let written = lines.joined(separator: "\r\n")
        let source = account.open()
        let added = try await source.add([VCard(Array(written.utf8))]).references
        let put = try await source.vCard(#require(added.first))
        let expected = written.replacing("begin:vcard", with: "BEGIN:VCARD").replacing("end:vCard", with: "END:VCARD")
        #expect(put.bytes == Array(expected.utf8))
    }

    @Test("Trap: a server drops what a semicolon without a backslash pushes out of an address – it gets its backslash")
    func semicolons() async throws {
        let lines = [
            "BEGIN:VCARD", "VERSION:3.0", "UID:a", "FN:Ada", "N:Lovelace;Ada;;;MD; PhD",
            "item1.ADR;TYPE=home:;;Hauptstr. 5; Top 3;Wien;;1010;Austria", "ADR:;;Gasse 1;Graz;;8010;Austria;;",
            "NOTE:a;b", "END:VCARD", "",
        ]
        let written = lines.joined(separator: "\r\n")
        let source = account.open()
        let added = try await source.add([VCard(Array(written.utf8))]).references
        let put = try await source.vCard(#require(added.first))
        let expected = written.replacing("MD; ", with: "MD\\; ").replacing("5; ", with: "5\\; ")
        #expect(String(decoding: put.bytes, as: UTF8.self) == expected)
        #expect(try await source.add([VCard(Array(written.utf8))]).references == [])
        // In version 4.0, the eighth component is the room.
        let newer = expected.replacing("3.0", with: "4.0").replacing("UID:a", with: "UID:b")
            .replacing("Top 3", with: "Top 3;Wien")
        let other = try await source.add([VCard(Array(newer.utf8))]).references
        #expect(try await source.vCard(#require(other.first)).bytes == Array(newer.utf8))
    }

    @Test("Trap: a server cuts a text at a comma without a backslash – texts get it, and lists and links do not")
    func commas() async throws {
        let lines = [
            "BEGIN:VCARD", "VERSION:3.0", "UID:a", "FN:Doe, John", "N:Doe;John,Jim;;;", "ORG:Brown, Jones;Sales",
            "NOTE:Allergic to nuts, penicillin\\, and more", "TEL;TYPE=home,voice:+43 1,,5", "NICKNAME:Al,Bob",
            "CATEGORIES:a,b", "URL:https://example.com/a,b", "X-LIST:a,b", "END:VCARD", "",
        ]
        let written = lines.joined(separator: "\r\n")
        let source = account.open()
        let added = try await source.add([VCard(Array(written.utf8))]).references
        let put = try await source.vCard(#require(added.first))
        let expected = written.replacing("Doe, ", with: "Doe\\, ").replacing("Brown,", with: "Brown\\,")
            .replacing("nuts,", with: "nuts\\,").replacing("1,,5", with: "1\\,\\,5")
        #expect(String(decoding: put.bytes, as: UTF8.self) == expected)
        #expect(try await source.add([VCard(Array(written.utf8))]).references == [])
    }

    @Test("From a server that has cut a card at a comma, nothing is lost: the cards are put without bare commas")
    func cut() async throws {
        server.change { $0.cutsAtCommas = true }
        let source = account.open()
        for (index, version) in ["3.0", "4.0"].enumerated() {
            let lines = [
                "BEGIN:VCARD", "VERSION:\(version)", "UID:a\(version)", "FN:Doe, John", "NICKNAME;PREF=1:Al,Bob",
                "URL:https://example.com/a,b", "PHOTO:data:image/png;base64,iVBORw0KGgo=", "X-LIST:a,b", "END:VCARD",
                "",
            ]
            server.change { $0.requests = [] }
            let added = try await source.add([VCard(Array(lines.joined(separator: "\r\n").utf8))]).references
            // The second card is put once, because the server is known.
            #expect(server.asked().count { $0.hasPrefix("PUT") } == 2 - index)
            let vCard = try await source.vCard(#require(added.first))
            let card = Card(vCard)
            #expect(card.name.full == "Doe, John")
            #expect(card.nicknames.map(\.name) == ["Al", "Bob"])
            #expect(card.links.map(\.content) == [.uri("https://example.com/a,b")])
            #expect(try vCard.data(of: #require(card.media.first))?.count == 8)
            #expect(vCard.properties.contains { $0.name == "X-LIST" && $0.text == "a,b" })
        }
    }

    @Test("A card that was put is added, also if the server does not let anybody read it back", arguments: [403, 503])
    func unreadable(status: Int) async throws {
        let path = FakeDAVServer.book + "a.vcf"
        server.answers { request in
            let isLook = request.method == "PROPFIND" && request.url.path(percentEncoded: false) == path
            return isLook ? DAVResponse(status: status) : nil
        }
        let added = try await account.open().add([VCard(card("Ada", uid: "a", "URL:https://example.com/a,b"))])
        #expect(added.references == [CardReference(path)])
    }

    @Test("A card that a server has cut, and does not take without bare commas, is not left there in part")
    func cutAndRefused() async throws {
        server.change { $0.cutsAtCommas = true }
        refuse("a\\,b", DAVResponse(status: 400))
        let error = try await error(adding: card("Ada", uid: "a", "URL:https://example.com/a,b"))
        #expect((error.cause as? UnaddedCards)?.refused.map(\.name) == ["Ada"])
        #expect(server.change { $0.books[FakeDAVServer.book]?.isEmpty } == true)
    }

    @Test("If the server goes away after it has cut an edited card, the edit waits, and the whole card is put later")
    func cutEdit() async throws {
        server.change { state in
            state.cutsAtCommas = true
            state.set("a.vcf", card("Ada", uid: "a"))
        }
        let source = try await account.loaded()
        let reference = CardReference(FakeDAVServer.book + "a.vcf")
        let original = try await source.vCard(reference)
        let text = original.string.replacing("END:VCARD", with: "URL:https://example.com/a,b\r\nEND:VCARD")
        server.answers { request in
            guard request.method == "PUT", request.text.contains("a\\,b") else { return nil }
            throw KithError(.offline, "The server is away.")
        }
        let saved = try await source.save(VCard(Array(text.utf8)), editedFrom: original, as: reference)
        #expect(!saved.isSent)
        server.answers { _ in nil }
        let faults = try await source.contents().faults
        #expect(faults.isEmpty, "\(faults)")
        let stored = Card(try await source.vCard(reference))
        #expect(stored.links.map(\.content) == [.uri("https://example.com/a,b")])
    }

    @Test("A file name that another card on the server has is not used") func takenName() async throws {
        server.change { $0.set("grace.vcf", card("Ada", uid: "a")) }
        let source = account.open()
        let added = try await source.add([VCard(card("Grace", uid: "grace"))]).references
        #expect(added == [CardReference("/ada/friends/grace-2.vcf")])
        #expect(try await source.contents().names == ["Ada", "Grace"])
    }

    @Test("A card that the server does not accept is reported", arguments: [(403, "forbidden"), (207, "refused")])
    func notTaken(status: Int, expected: String) async throws {
        server.answers { $0.method == "PUT" ? DAVResponse(status: status) : nil }
        let told = await code { _ = try await account.open().add([VCard(card("Ada", uid: "a"))]) }
        #expect(told == KithError.Code(rawValue: expected))
    }

    /// What the server refuses a card with whose text contains `word`.
    private func refuse(_ word: String, _ response: DAVResponse) {
        server.answers { request in
            let body = request.text
            return request.method == "PUT" && body.contains(word) ? response : nil
        }
    }

    private func error(adding cards: [UInt8]...) async throws -> KithError {
        let cards = try cards.map { try VCard($0) }
        do {
            _ = try await account.open().add(cards)
        } catch let error as KithError { return error }
        throw KithError(.invalid, "It was added.")
    }

    @Test(
        "A refused card does not stop others, and is reported with the server's message",
        arguments: [
            (400, "Bad vCard\u{1B}[2J\nmore", "Bad vCard[2J."), (400, "<html><p>No", "version 3.0."),
            (415, "", "version 3.0."),
            (
                412, #"<error xmlns="DAV:"><supported-address-data xmlns="urn:ietf:params:xml:ns:carddav"/></error>"#,
                "supported-address-data."
            ),
            (
                207,
                #"<multistatus xmlns="DAV:"><response><href>/g</href><status>HTTP/1.1 403 No</status>"#
                    + "<responsedescription>No EMAIL here.</responsedescription></response></multistatus>",
                "(status 403): No EMAIL here."
            ),
            (
                415, #"<error xmlns="DAV:"><message xmlns="http://sabredav.org/ns">No FN</message><other/></error>"#,
                "No FN."
            ), (403, "", "/ada/friends/g.vcf."), (500, "", "asked again later."),
        ])
    func refused(status: Int, body: String, words: String) async throws {
        refuse("Grace", DAVResponse(status: status, body: Data(body.utf8)))
        let error = try await error(
            adding: card("Ada", uid: "a"), card("Grace", uid: "g"), card("Edsger", uid: "e"))
        #expect(error.sentence.hasPrefix("2 of 3 cards were added. “Grace” was not added: dav.example.com"))
        #expect(error.sentence.hasSuffix(words))
        #expect(try await account.open().contents().names == ["Ada", "Edsger"])
    }

    @Test("All refused cards are in the cause of the error, with the cards that were added or left out")
    func allRefused() async throws {
        refuse("Hopper", DAVResponse(status: 400, body: Data("No.".utf8)))
        server.change { $0.set("e.vcf", card("Edsger", uid: "e")) }
        let error = try await error(
            adding: card("Grace Hopper", uid: "g"), card("Ada", uid: "a"), card("Edsger", uid: "e", "NOTE:x"),
            card("Ed Hopper", uid: "h"))
        #expect(error.sentence.hasSuffix("1 other was not added either."), "\(error.sentence)")
        let cause = try #require(error.cause as? UnaddedCards)
        #expect(cause.refused.map(\.name) == ["Grace Hopper", "Ed Hopper"])
        #expect(cause.refused.allSatisfy { $0.reason.hasSuffix("(status 400): No.") }, "\(cause.refused)")
        #expect(cause.added.references == [CardReference("/ada/friends/a.vcf")])
        #expect(cause.added.differing.map { Card($0).name.full } == ["Edsger"])
        #expect(!cause.isStopped)
    }

    @Test("A card without a full name gets the one that servers require", arguments: ["3.0", "4.0"])
    func fullName(version: String) async throws {
        let source = account.open()
        let parts = [
            ("N:Lovelace;Ada;;;", "Ada Lovelace"), ("ORG:Brown\\, Jones;Sales", "Brown\\, Jones"),
            ("EMAIL:a@example.com", "a@example.com"),
        ]
        for (index, (line, name)) in parts.enumerated() {
            let text = "BEGIN:VCARD\r\nVERSION:\(version)\r\nUID:\(index)\r\n\(line)\r\nEND:VCARD\r\n"
            let vCard = try VCard(Array(text.utf8))
            let added = try await source.add([vCard]).references
            let put = try await source.vCard(#require(added.first)).string
            let full = "FN\(version == "4.0" ? ";DERIVED=TRUE" : ""):\(name)\r\n"
            #expect(put == text.replacing("END:VCARD", with: "\(full)END:VCARD"))
            let again = try await source.add([vCard])
            #expect(again == AddedCards())
        }
    }

    @Test("If the server becomes unreachable meanwhile, the progress is reported", arguments: [503, 401, 507])
    func brokenOff(status: Int) async throws {
        refuse("Grace", DAVResponse(status: status))
        let error = try await error(
            adding: card("Ada", uid: "a"), card("Grace", uid: "g"), card("Edsger", uid: "e"))
        #expect(error.sentence.hasPrefix("1 of 3 cards were added. “Grace” was not added: "))
        #expect(try await account.open().contents().names == ["Ada"])
    }

    @Test("A card without a uid gets one that is the same each time", arguments: ["3.0", "4.0"])
    func uid(version: String) async throws {
        let bytes = Array("BEGIN:VCARD\r\nVERSION:\(version)\r\nUID:\r\nFN:Ada\r\nEND:VCARD\r\n".utf8)
        let source = account.open()
        let added = try await source.add([VCard(bytes)]).references
        let vCard = try await source.vCard(#require(added.first))
        let uid = try #require(Card(vCard).uid)
        #expect(uid.firstMatch(of: /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) != nil)
        #expect(String(decoding: vCard.bytes, as: UTF8.self).replacing(uid, with: "").utf8.elementsEqual(bytes))
        #expect(try await source.add([VCard(bytes)]).references == [])
        #expect(try await source.add([VCard(card("Ada", uid: nil))]).references.count == 1)
    }

    @Test("A card in UTF-16 is uploaded in UTF-8") func utf16() async throws {
        let text = String(decoding: card("Zoë 🦋", uid: "z"), as: UTF8.self)
        let source = account.open()
        _ = try await source.add([VCard(Array(#require(text.data(using: .utf16))))])
        #expect(server.change { $0.books[FakeDAVServer.book]?.values.map(\.bytes) } == [Array(text.utf8)])
    }

    @Test("A card in another charset is converted to UTF-8 and uploaded") func charset() async throws {
        let text =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:z\r\nFN:Z\r\nN;CHARSET=ISO-8859-1:Müller;Zoë\r\nNOTE:Ä \r\nX-A:1\r\nEND:VCARD\r\n"
        _ = try await account.open().add([VCard(Array(#require(text.data(using: .isoLatin1))))])
        // Version 3.0 is in UTF-8 unless it says otherwise.
        let expected = text.replacing(";CHARSET=ISO-8859-1:", with: ":")
        let bytes = server.change { $0.books[FakeDAVServer.book]?.values.first?.bytes } ?? []
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("Only a card that cannot be converted to UTF-8 is refused") func noUTF8() async throws {
        var bytes = Array(String(decoding: card("Ada?", uid: "z"), as: UTF8.self).utf16).flatMap {
            [UInt8($0 >> 8), UInt8($0 & 0xFF)]
        }
        let mark = try #require(bytes.firstIndex(of: UInt8(ascii: "?")))
        // Half a character.
        bytes.replaceSubrange(mark - 1...mark, with: [0xD8, 0x3E])
        let error = try await error(adding: bytes, card("Grace", uid: "g"))
        #expect(error.code == .refused && error.sentence.contains("UTF-8"))
        #expect(try await account.open().contents().names == ["Grace"])
    }
}
