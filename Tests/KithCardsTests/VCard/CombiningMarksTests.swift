import KithCards
import Testing

/// Swift takes minutes to compare a text with so many combining marks. Without the rule, each of these tests does too.
@Suite("Trap: A card has many combining marks in a row – it is read with the first of them, and the lines are named")
struct CombiningMarksTests {
    private static let marks = String(repeating: "\u{327}\u{301}", count: 50_000)
    private static let first = String(repeating: "\u{327}\u{301}", count: 32)

    /// The card with these lines, and the lines with faults.
    private func read(_ lines: [String]) throws -> (card: VCard, faults: [Int]) {
        let text = (["BEGIN:VCARD"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
        let (cards, faults) = VCardReader.cards(in: Array(text.utf8))
        let card = try #require(cards.first)
        #expect(cards.count == 1 && card.bytes == Array(text.utf8))
        #expect(faults.allSatisfy { $0.sentence.contains("has more than 64 combining marks in a row") })
        // What the rest of the library makes of the card has no long run either.
        var applied = card
        applied.apply(Card(card))
        #expect(applied.bytes == card.bytes)
        _ = JSContact(card)
        return (card, faults.map(\.line))
    }

    private func text(_ card: VCard, _ name: VCard.PropertyName) -> String? {
        card.properties.first { $0.knownName == name }?.text
    }

    @Test("In values, names and parameters")
    func everywhere() throws {
        let (card, faults) = try read([
            "VERSION:4.0", "UID:\(Self.marks)", "FN:Ann \(Self.marks)", "N:\(Self.marks);\(Self.marks)",
            "EMAIL;TYPE=\(Self.marks):ann@x.example", "TEL;\(Self.marks)=1:+436641234567", "X-\(Self.marks):a",
            "EMAIL:\(Self.marks)@x.example",
        ])
        #expect(faults == [3, 4, 5, 9])
        #expect(text(card, .fn)?.utf8.elementsEqual("Ann \(Self.first)".utf8) == true)
        #expect(text(card, .email) == "ann@x.example" && text(card, .tel) == "+436641234567")
        let name = try #require(card.properties.first { $0.knownName == .n })
        #expect(name.components.map { $0.map(\.unicodeScalars.count) } == [[64], [64]])
    }

    @Test("On folded lines and in quoted-printable")
    func encoded() throws {
        let folded = repeatElement(String(repeating: "\u{327}\u{301}", count: 16), count: 3_000)
        let card = try read(["VERSION:3.0", "FN:Ann", "NOTE:\(folded.joined(separator: "\r\n "))"])
        #expect(card.faults == [4] && text(card.card, .note)?.unicodeScalars.count == 64)
        let quoted = String(repeating: "=CC=A7=CC=81", count: 50_000)
        let old = try read(["VERSION:2.1", "FN:Ann", "NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:\(quoted)"])
        #expect(old.faults == [4] && text(old.card, .note)?.unicodeScalars.count == 64)
    }

    @Test("In a media type, and behind the escapes of a URI and of JSON")
    func escaped() throws {
        let escapes = String(repeating: "%CC%A7%CC%81", count: 50_000)
        let json = String(repeating: #"\u0327\u0301"#, count: 50_000)
        let (card, faults) = try read([
            "VERSION:4.0", "FN:Ann", "SOCIALPROFILE:x-apple:\(escapes)", "PHOTO:data:image/\(Self.marks);base64,AAAA",
            #"JSPROP;JSPTR=example:{"\#(json)":1}"#,
        ])
        #expect(faults == [5] && text(card, .fn) == "Ann")
    }
}
