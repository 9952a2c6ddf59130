import KithCards
import Testing

@Suite("Embedded data in vCards") struct EmbeddingTests {
    static let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 2, 3, 4, 5, 6, 7]
    // "/9j/4AAB AgMEBQYH"

    @Test("Base64 of version 2.1 ends at its empty line, and a separate property follows")
    func oldManner() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "PHOTO;TYPE=JPEG;ENCODING=BASE64:", " /9j/4AAB", " AgMEBQYH", "", "TEL:1")
        #expect(try card["PHOTO"].data == Self.bytes)
        #expect(try card["PHOTO"].isEmbedded)
        #expect(try card["TEL"].text == "1")
    }

    @Test("Base64 without its empty line, or without its blanks, ends where a property begins")
    func carelessOldManner() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "PHOTO;BASE64;JPEG:", "/9j/4AAB", "AgMEBQYH", "LOGO;ENCODING=BASE64:/9j/4AAB", "AgMEBQYH",
            "KEY;ENCODING=BASE64:",
            "    /9j/4AAB", "    AgMEBQYH", "", "", "TEL:1")
        for name in ["PHOTO", "LOGO", "KEY"] { #expect(try card[name].data == Self.bytes) }
        #expect(card.properties.count == 5)
        // The empty lines go with the key.
        var shorter = card
        shorter.remove(at: 3)
        #expect(String(decoding: shorter.bytes, as: UTF8.self).hasSuffix("AgMEBQYH\r\nTEL:1\r\nEND:VCARD\r\n"))
    }

    @Test("Parameters without names may say that it is base64", arguments: ["JPEG;B", "b;JPEG", "BASE64;JPEG"])
    func bareParameter(parameters: String) throws {
        let card = try WrittenCard.read("VERSION:3.0", "PHOTO;\(parameters):/9j/4AABAgMEBQYH", "TEL:1")
        #expect(try card["PHOTO"].data == Self.bytes)
        #expect(try card["PHOTO"].isEmbedded && card["PHOTO"].parameters["TYPE"] == ["JPEG"])
    }

    @Test("Base64 of version 3.0 is folded", arguments: ["b", "B", "BASE64", "base64"])
    func newerManner(encoding: String) throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "PHOTO;ENCODING=\(encoding);TYPE=JPEG:/9j/4A", " ABAgMEBQYH", "TEL:1")
        #expect(try card["PHOTO"].data == Self.bytes)
        #expect(try card["TEL"].text == "1")
    }

    @Test(
        "A data: URI of version 4.0 tells the media type",
        arguments: [
            "PHOTO:data:image/jpeg;base64,/9j/4AABAgMEBQYH", "PHOTO:DATA:image/jpeg;BASE64,/9j/4AABAgMEBQYH",
            "PHOTO:data:image/jpeg\\;base64\\,/9j/4AABAgMEBQYH",
            "PHOTO:data:image/jpeg,%ff%D8%FF%E0%00%01%02%03%04%05%06%07",
        ])
    func dataURI(line: String) throws {
        let photo = try WrittenCard.read("VERSION:4.0", line)["PHOTO"]
        #expect(photo.isEmbedded)
        #expect(photo.embedded?.mediaType == "image/jpeg")
        #expect(photo.data == Self.bytes)
    }

    @Test(
        "A data: URI without a media type and its semicolon is base64, if its content is",
        arguments: [
            ("PHOTO;TYPE=PNG:data:base64\\,/9j/4AABAgMEBQYH", EmbeddingTests.bytes),
            ("PHOTO:data:base64,/9j/4AAB\r\n AgMEBQYH", EmbeddingTests.bytes),
            ("PHOTO:data:base64,not base64!", Array("not base64!".utf8)),
        ])
    func base64Alone(line: String, data: [UInt8]) throws {
        let vCard = try WrittenCard.read("VERSION:3.0", line)
        let photo = try vCard["PHOTO"]
        #expect(photo.isEmbedded)
        #expect(photo.data == data)
        #expect(VCard(vCard, version: .v4_0).properties.contains { $0.name == "PHOTO" && $0.data == data })
    }

    @Test("Base64 in a data: URI may be percent-encoded, and a URI without a media type is text")
    func codes() throws {
        let card = try WrittenCard.read(
            "VERSION:4.0", "KEY:data:;base64,%2F9j%2F4A%3D%3D", "LOGO:data:,a%20b", "PHOTO:data:image/png;base64,x")
        #expect(try card["KEY"].data == [0xFF, 0xD8, 0xFF, 0xE0])
        #expect(try card["KEY"].embedded?.mediaType == nil)
        #expect(try card["LOGO"].data == Array("a b".utf8))
        #expect(try card["PHOTO"].data == nil)
    }

    @Test("Base64 without padding is read, and invalid base64 gives nothing")
    func filling() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "KEY;ENCODING=b:/9j/4A", "LOGO;ENCODING=b:x", "PHOTO:http://example.com")
        #expect(try card["KEY"].data == [0xFF, 0xD8, 0xFF, 0xE0])
        #expect(try card["LOGO"].data == nil)
        #expect(try card["PHOTO"].data == nil)
        #expect(try !card["PHOTO"].isEmbedded)
    }

    @Test(
        "Trap: a conversion drops a photo that is cut off or goes on after its end – it keeps what can be read",
        arguments: [("/9j/4AABA", 6), ("/9j/4A==AgMEBQYH", 4), ("/9j/4B=A", 4), ("x", 0)])
    func damaged(base64: String, size: Int) throws {
        let card = try WrittenCard.read("VERSION:3.0", "FN:Ada", "PHOTO;ENCODING=b;TYPE=JPEG:\(base64)", "TEL:1")
        let sentence = "PHOTO is damaged or cut off: \(size) bytes could be read. Replace it."
        #expect(card.faults.map(\.description) == ["Line 4: \(sentence)"])
        let newer = VCard(card, version: .v4_0)
        let bytes = newer.properties.first { $0.knownName == .photo }?.data
        #expect(bytes == (size > 0 ? Array(Self.bytes.prefix(size)) : nil))
        #expect(newer.faults.isEmpty)
        let uri = try WrittenCard.read("VERSION:4.0", "PHOTO:data:image/jpeg;base64,\(base64)")
        #expect(uri.faults.map(\.description) == ["Line 3: \(sentence)"])
    }

    @Test("Whole base64 and other texts are no faults, and a text that is not base64 stays as it is")
    func undamaged() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "PHOTO;ENCODING=b:/9j/", " 4A==", "KEY;ENCODING=b:/9j/4A", "LOGO;ENCODING=b:",
            "NOTE;ENCODING=b:Hello", "ROLE:Data: a=b, c=d")
        #expect(card.faults.isEmpty)
        #expect(try card["NOTE"].text == "Hello")
    }

    // MARK: Cards in cards

    @Test(
        "A nested card of version 2.1 is the value of AGENT",
        arguments: [["AGENT:", "BEGIN:VCARD"], ["item1.AGENT;TYPE=x:", "", "BEGIN:VCARD"], ["AGENT:BEGIN:VCARD"]])
    func nested(start: [String]) throws {
        let inner = [
            "VERSION:2.1", "N:Friday;Fred", "AGENT:", "BEGIN:VCARD", "FN:Innermost", "END:VCARD", "TEL:2", "END:VCARD",
        ]
        let lines = ["BEGIN:VCARD", "VERSION:2.1", "FN:Ada"] + start + inner + ["TEL:1", "END:VCARD"]
        let bytes = lines.flatMap { ($0 + "\r\n").utf8 }
        let card = try VCard(bytes)
        #expect(card.properties.map(\.name) == ["VERSION", "FN", "AGENT", "TEL"])
        #expect(try card["TEL"].text == "1")
        let agent = try #require(try card["AGENT"].card)
        #expect(agent.properties.map(\.name) == ["VERSION", "N", "AGENT", "TEL"])
        #expect(try agent["AGENT"].card?.properties.map(\.text) == ["Innermost"])
        #expect(card.bytes == bytes)
    }

    @Test("A nested card of version 3.0 is text")
    func escaped() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "AGENT:BEGIN:VCARD\\nFN:Susan Thomas\\nTEL:+1-919-555-", " 1234\\nEND:VCARD\\n",
            "AGENT:BEGIN:VCARD",
            " \\nFN:Ben\\nEND:VCARD\\n", "TEL:1")
        #expect(
            card.properties.compactMap { $0.card?.properties.map(\.text) } == [
                ["Susan Thomas", "+1-919-555-1234"], ["Ben"],
            ])
        #expect(try card["TEL"].text == "1")
    }

    @Test("Content that is not a card is not read as one")
    func noCard() throws {
        #expect(try WrittenCard.read("VERSION:3.0", "AGENT;VALUE=uri:CID:x")["AGENT"].card == nil)
    }
}
