import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

/// Which of the cards that are to be added are there already.
@Suite("Adding cards loses nobody", .timeLimit(.minutes(15))) struct CardSimilarityTests {
    private static let local: [SourceKind] = [.file, .folder]
    private static let accounts = SourceKind.all.filter { !local.contains($0) }

    @Test("Trap: a template was copied, uid and all – its people are all added, each once", arguments: local)
    func copiedTemplate(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("anna", card("Anna", uid: "t"))
            let cards = try [
                card("Bert", uid: "t"), card("Anna", uid: "t", "TEL:1"), card("Cleo", uid: "t"), card("Bert", uid: "t"),
            ].map { try VCard($0) }
            let added = try await shop.source.add(cards).references
            let contents = try await shop.source.contents()
            #expect(contents.names == ["Anna", "Bert", "Cleo"])
            #expect(added == [try contents.reference("Bert"), try contents.reference("Cleo")])
            #expect(try await shop.source.add(cards).references == [])
            #expect(try await shop.reopened().add(cards).references == [])
            for name in contents.names {
                #expect(Card(try await shop.source.vCard(contents.reference(name))).name.full == name)
            }
        }
    }

    @Test(
        "An account, which takes a uid once, adds the others and names the one that it cannot have", arguments: accounts
    )
    func copiedTemplateInAccount(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("anna", card("Anna", uid: "t"))
            let cards = try [card("Bert", uid: "t"), card("Cleo", uid: "c")].map { try VCard($0) }
            let error = await #expect(throws: KithError.self) { try await shop.source.add(cards) }
            #expect(error?.code == .refused)
            #expect(error?.sentence.contains("“Bert”") == true)
            #expect(try await shop.source.contents().names == ["Anna", "Cleo"])
        }
    }

    @Test("Trap: uids that look alike, composed and decomposed, are two people's", arguments: local)
    func composed(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            let cards = try [card("One", uid: "zo\u{EB}"), card("Other", uid: "zoe\u{308}")].map { try VCard($0) }
            let added = try await shop.source.add(cards).references
            #expect(Set(added).count == 2)
            let contents = try await shop.reopened().contents()
            #expect(contents.names == ["One", "Other"])
            for name in contents.names {
                #expect(Card(try await shop.source.vCard(contents.reference(name))).name.full == name)
            }
        }
    }

    @Test(
        "Trap: a card with a known uid and name has other content, and is left out in silence – it is reported",
        arguments: SourceKind.all)
    func differing(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("anna", card("Anna", uid: "a", "TEL:1"))
            let other = try VCard(card("Anna", uid: "a", "TEL:2"))
            let cards = try [VCard(card("Anna", uid: "a", "TEL:1")), other, VCard(card("Bert", uid: "b", "TEL:1"))]
            let added = try await shop.source.add(cards)
            let contents = try await shop.source.contents()
            #expect(added.references == [try contents.reference("Bert")])
            #expect(added.differing.map { Card($0).phones.map(\.number) } == [["2"]])
            // In one import, too.
            let again = try VCard(card("Bert", uid: "b", "TEL:2"))
            #expect(try await shop.source.add([again, other]).differing.count == 2)
        }
    }

    @Test("References stay the same: the uid, and a number if it is repeated") func references() async throws {
        try await SourceKind.file.withWorkshop { shop in
            try await shop.put("a", card("A", uid: "u"))
            try await shop.put("b", card("B", uid: "u"))
            #expect(try await shop.source.contents().entries.map(\.reference.name) == ["uid:u", "2:uid:u"])
        }
    }

    @Test(
        "SHA-256 is that of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 100_000),
                "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee"
            ),
        ])
    func digest(text: String, hex: String) { #expect(SHA256(Array(text.utf8)[...]).hex == hex) }
}
