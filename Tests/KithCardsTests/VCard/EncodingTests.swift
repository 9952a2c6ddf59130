import Foundation
import KithCards
import Testing

@Suite("The encodings of vCards") struct EncodingTests {
    private static let text = "\u{FEFF}BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Zoë 日本 😀\r\nNOTE:a\\nb\r\nEND:VCARD\r\n"

    @Test(
        "UTF-16 is read with a byte order mark and without, and stays UTF-16", arguments: [true, false], [true, false])
    func utf16(isBigEndian: Bool, hasMark: Bool) throws {
        let units = (hasMark ? Self.text : String(Self.text.unicodeScalars.dropFirst())).utf16
        let bytes = units.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        let elements = VCardReader.elements(in: bytes)
        #expect(elements.flatMap(\.bytes) == bytes)
        var card = try VCard(bytes)
        #expect(try card["FN"].text == "Zoë 日本 😀")
        #expect(card.bytes == Array(bytes.dropFirst(hasMark ? 2 : 0)))
        #expect(try card["FN"].bytes.count == "FN:Zoë 日本 😀\r\n".utf16.count * 2)
        card.setValue(.text("Æ"), at: 1)
        #expect(try VCard(card.bytes)["FN"].text == "Æ")
        #expect(card.bytes.count == bytes.count - (hasMark ? 2 : 0) - "Zoë 日本 😀".utf16.count * 2 + 2)
    }

    @Test("Unpaired surrogates of UTF-16 and an odd byte at the end are preserved")
    func brokenUTF16() throws {
        let halves: [UInt16] = [0xD83D, 0x0041, 0xDE00, 0xDE00, 0xD83D, 0xD83D, 0xDE00, 0xFFFF, 0x0000]
        let units = Array("BEGIN:VCARD\nFN:".utf16) + halves + Array("\nEND:VCARD\n".utf16)
        let bytes: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0x0D]
        let elements = VCardReader.elements(in: bytes)
        #expect(elements.flatMap(\.bytes) == bytes)
        #expect(elements.last == .between([0x0D]))
        // The mark, the card, its fault, and the odd byte.
        #expect(elements.count == 4)
        #expect(elements.count { if case .fault = $0 { true } else { false } } == 1)
    }

    @Test("A UTF-8 byte order mark is not part of a card, at the start or between cards")
    func utf8Mark() throws {
        let one = Array("\u{FEFF}BEGIN:VCARD\nFN:Ada\nEND:VCARD\n".utf8)
        let elements = VCardReader.elements(in: one + one)
        #expect(elements.map { if case .card = $0 { true } else { false } } == [false, true, false, true])
        #expect(elements.flatMap(\.bytes) == one + one)
    }

    @Test("Latin-1 and Windows-1252 are recognised without a named charset")
    func latin1() throws {
        func card(_ value: [UInt8]) throws -> VCard {
            try VCard(Array("BEGIN:VCARD\nVERSION:3.0\nFN:".utf8) + value + Array("\nEND:VCARD\n".utf8))
        }
        #expect(try card([0x4A, 0xF6, 0x72, 0x67])["FN"].text == "Jörg")
        #expect(try card([0x80, 0x20, 0x93, 0x61, 0x94])["FN"].text == "€ “a”")
        // 0x81 is nothing in Windows-1252.
        #expect(try card([0x81, 0xE9])["FN"].text == "\u{81}é")
        #expect(try card([0x81, 0x80])["FN"].text == "\u{81}€")
        // A letter of UTF-8 beside a cut one: this is UTF-8 with a flaw.
        #expect(try card([0xC3, 0xB6, 0xC3])["FN"].text == "ö\u{FFFD}")
        #expect(try card([0x4A, 0xF6, 0x3B, 0xE9])["FN"].components == [["Jö"], ["é"]])
    }

    @Test(
        "The charset that a property names is decoded",
        arguments: [
            ("ISO-8859-1", "J=F6rg"), ("utf-8", "J=C3=B6rg"), ("Windows-1252", "J=F6rg"), ("ISO-8859-2", "J=F6rg"),
        ])
    func charset(name: String, written: String) throws {
        let card = try WrittenCard.read("VERSION:2.1", "FN;CHARSET=\(name);ENCODING=QUOTED-PRINTABLE:\(written)")
        #expect(try card["FN"].text == "Jörg")
    }

    @Test("Japanese, Russian and Chinese charsets are decoded, even if a second byte is a backslash")
    func farCharsets() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "FN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=83\\=8E=A6;=95\\",
            "N;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE:=E1=CE=CE=C1",
            "ORG;CHARSET=GB2312;ENCODING=QUOTED-PRINTABLE:=D6=D0")
        #expect(try card["FN"].components == [["ソ示"], ["表"]])
        #expect(try card["N"].text == "Анна")
        #expect(try card["ORG"].text == "中")
    }

    @Test("An unknown charset is guessed, and is one fault of the card")
    func unknownCharset() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "FN;CHARSET=X-OWN;ENCODING=QUOTED-PRINTABLE:J=F6rg", "N;CHARSET=:=",
            "NOTE;CHARSET=X-OWN:x", "TITLE;CHARSET=HZ-GB-2312:~{<:Ky~}")
        #expect(try card["FN"].text == "Jörg")
        #expect(try card["N"].text == "=")
        #expect(card.faults.map(\.line) == [3, 6])
        #expect(zip(card.faults, ["X-OWN", "HZ-GB-2312"]).allSatisfy { $0.sentence.contains($1) })
        #expect(try WrittenCard.read("FN;CHARSET=UTF-8:x", "N;CHARSET=\"utf8\":x", "TEL;CHARSET=:1").faults.isEmpty)
    }

    @Test(
        "Every charset that the system can read is read by the names that programs have for it",
        arguments: [
            ("EUC-JP", "=C5=EC=B5=FE", "東京"), ("x-euc-jp", "=C5=EC=B5=FE", "東京"),
            ("Windows-31J", "=93=8C=8B=9E=87=40", "東京①"), ("x-sjis", "=93=8C=8B=9E\\~", "東京\\~"),
            ("TIS-620", "=E4=B7=C2", "ไทย"), ("Big5-HKSCS", "=AD=BB=B4=E4", "香港"),
            ("macintosh", "J=9Arg", "Jörg"), ("x-mac-roman", "J=9Arg", "Jörg"), ("EUC-KR", "=C7=D1", "한"),
            ("ks_c_5601-1987", "=C7=D1", "한"), ("Big5", "=A4=A4", "中"), ("gb18030", "=D6=D0", "中"),
            ("iso-8859-15", "=A4", "€"), ("iso8859_5", "=B0", "А"), ("windows-1251", "=C0", "А"),
            ("ISO-2022-JP", "=1B$BEl5~=1B(B", "東京"), ("cp850", "=94", "ö"), ("windows-874", "=E4=B7=C2", "ไทย"),
            ("UTF-7", "+AOk-", "é"), ("\"EUC-JP\"", "=C5=EC", "東"),
        ])
    func charsetsOfTheSystem(name: String, written: String, text: String) throws {
        let card = try WrittenCard.read("VERSION:2.1", "FN;CHARSET=\(name);ENCODING=QUOTED-PRINTABLE:\(written)")
        #expect(try card["FN"].text == text)
        #expect(card.faults.isEmpty)
    }

    @Test(
        "Invalid bytes of a charset become one replacement character, and the rest is read",
        arguments: [
            ("EUC-JP", "=C5=EC=A9=FE=B5=FE", "東\u{FFFD}京"), ("EUC-JP", "=C5=EC=C5a", "東\u{FFFD}a"),
            ("SHIFT_JIS", "=93=8C=FF=8B=9E", "東\u{FFFD}京"), ("TIS-620", "=E4=FE=B7", "ไ\u{FFFD}ท"),
            ("EUC-JP", "=C5=EC=C5", "東\u{FFFD}"), ("ISO-8859-2", "=E1=E9", "áé"),
            ("windows-1252", "=81=F6", "\u{81}ö"),
        ])
    func undecodable(name: String, written: String, text: String) throws {
        let card = try WrittenCard.read("VERSION:2.1", "FN;CHARSET=\(name);ENCODING=QUOTED-PRINTABLE:\(written)")
        #expect(try card["FN"].text == text)
        #expect(card.faults.map(\.line) == (text.contains("\u{FFFD}") ? [3] : []))
        #expect(card.faults.allSatisfy { $0.sentence.hasPrefix("FN has bytes that are no letters of its charset.") })
    }

    @Test("Bytes that are not UTF-8 in a card in UTF-8 are a fault; U+FFFD as written and a folded letter are none")
    func notUTF8() throws {
        let cut = try Self.card(
            Array("FN:Jörg \u{FFFD}".utf8), Array("NOTE:caf".utf8) + [0xC3], Array("TITLE:Caf".utf8) + [0xC3],
            [0x20, 0xA9], Array("ORG;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=F6rg".utf8), version: "2.1")
        #expect(cut.faults.map(\.line) == [4, 7])
        #expect(try cut["TITLE"].text == "Café" && cut["NOTE"].text == "caf\u{FFFD}")
        let old = try Self.card(Self.latin("FN:Jörg Müller"), Array("NOTE;CHARSET=UTF-8:caf".utf8) + [0xC3])
        #expect(old.faults.map(\.line) == [4])
    }

    // MARK: What names no charset

    private static func card(_ lines: [UInt8]..., version: String = "3.0") throws -> VCard {
        let start = Array("BEGIN:VCARD\nVERSION:\(version)\n".utf8)
        return try VCard(start + lines.flatMap { $0 + [0x0A] } + Array("END:VCARD\n".utf8))
    }

    private static func latin(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    @Test("Properties without a charset share one that is recognised from the whole card")
    func oneCharset() throws {
        // A value that could be either is read as the others are.
        let old = try Self.card(Self.latin("FN:Jörg Müller"), Self.latin("NOTE;LABEL=ä:Ã¶"), Self.latin("ä.X-Ä:1"))
        #expect(try old["FN"].text == "Jörg Müller")
        #expect(try old["NOTE"].text == "Ã¶" && old["NOTE"].parameters["LABEL"] == ["ä"])
        #expect(old.properties[3].group == "ä" && old.properties[3].name == "X-Ä")
        // A value that was cut off within a letter is not Latin-1.
        let cut = try Self.card(Array("FN:Jörg Müller".utf8), Array("NOTE:caf".utf8) + [0xC3])
        #expect(try cut["NOTE"].text == "caf\u{FFFD}")
        // Quoted-printable without a charset belongs to it, and what names one does not.
        let printable = try Self.card(
            Array("N;ENCODING=QUOTED-PRINTABLE:J=F6rg;M=FCller".utf8), Self.latin("NOTE:Ã¶"),
            Array("TITLE;CHARSET=UTF-8:äöü".utf8), version: "2.1")
        #expect(try printable["NOTE"].text == "Ã¶" && printable["TITLE"].text == "äöü")
        #expect(try printable["N"].components == [["Jörg"], ["Müller"]])
    }

    @Test(
        "An edit of a card in Windows-1252 is written in it, and changes no other property", arguments: ["2.1", "3.0"])
    func editingLatin1(version: String) throws {
        var card = try Self.card(Self.latin("FN:Jörg"), Self.latin("NOTE;LABEL=ä:x"), version: version)
        card.append("TITLE", .text("Käse für 3 €"))
        #expect(try card["TITLE"].text == "Käse für 3 €")
        #expect(version == "2.1" || card.bytes.contains(0x80))
        // Letters that it has not, and those that would look like UTF-8, name their charset.
        card.append("ROLE", .text("日本"))
        card.append("ORG", .components([["Ã¶Ã¶Ã¶Ã¶"]]))
        card.setParameters(["LABEL": ["é"]], at: 2)
        #expect(try card["ROLE"].text == "日本" && card["ORG"].text == "Ã¶Ã¶Ã¶Ã¶" && card["FN"].text == "Jörg")
        #expect(try card["NOTE"].parameters["LABEL"] == ["é"] && card["ROLE"].parameters["CHARSET"] == ["UTF-8"])
        #expect(try VCard(card.bytes).content == card.content)
        #expect(String(validating: card.bytes, as: UTF8.self) == nil)
        // No parameter can name one: then the card becomes UTF-8.
        card.setParameters(["LABEL": ["日本"]], at: 2)
        #expect(try card["NOTE"].parameters["LABEL"] == ["日本"] && card["FN"].text == "Jörg")
        #expect(String(validating: card.bytes, as: UTF8.self) != nil)
    }

    @Test("Text keeps its meaning when an edit removes the letters that identified Windows-1252")
    func removingLatin1() throws {
        var card = try Self.card(Self.latin("FN:Jörg Müller"), Self.latin("NOTE:Ã¶"), Self.latin("TITLE:x"))
        card.remove(at: 1)
        #expect(try card["NOTE"].text == "Ã¶")
        card = try Self.card(
            Self.latin("FN:Jörg Müller"), Array("N;ENCODING=QUOTED-PRINTABLE:J=F6rg".utf8), version: "2.1")
        let recoded = try #require(card.inUTF8)
        #expect(try recoded["N"].text == "Jörg" && recoded["FN"].text == "Jörg Müller")
    }

    @Test("Converting a card to UTF-8 includes the property names of nested cards")
    func recodingAgent() throws {
        var card = try Self.card(
            Self.latin("AGENT;LABEL=üü:BEGIN:VCARD"), Array("FN:Ben".utf8), Array("END:VCARD".utf8),
            Self.latin("FN:Jörg"))
        card.append("TEL", .text("1"), parameters: ["LABEL": ["日"]])
        #expect(card.properties.map(\.text).suffix(2) == ["Jörg", "1"])
        #expect(try card["AGENT"].parameters["LABEL"] == ["üü"] && card["TEL"].parameters["LABEL"] == ["日"])
    }

    @Test("A UTF-8 card with invalid bytes keeps its meaning when an edit removes the letters that identified UTF-8")
    func removingUTF8() throws {
        var card = try Self.card(
            Self.latin("TITLE:aö"), Array("FN:Jörg".utf8), Array("NOTE;ENCODING=QUOTED-PRINTABLE:=F6=C3=B6".utf8),
            Self.latin("TEL;LABEL=ä:1"), Array("ORG:Kite, München und Ötz".utf8), version: "2.1")
        let title = try card["TITLE"].text
        #expect(try card["FN"].text == "Jörg" && card["NOTE"].text == "\u{FFFD}ö")
        let label = try card["TEL"].parameters["LABEL"]
        card.setValue(.text("x"), at: 5)
        #expect(try card["FN"].text == "Jörg" && card["NOTE"].text == "\u{FFFD}ö" && card["TITLE"].text == title)
        #expect(try card["TEL"].parameters["LABEL"] == label && VCard(card.bytes).content == card.content)
    }

    @Test("A parameter that must lose letters of its name does not become the charset")
    func almostCharset() throws {
        var card = try Self.card(Self.latin("N;ÿCHARSET=Windows-125\":Bürk"), Self.latin("ÿÿ:1"), version: "2.1")
        card.setValue(.text("日本"), at: 1)
        #expect(try card["N"].text == "日本" && card["N"].parameters["CHARSET"] == ["UTF-8"])
    }

    @Test("Invalid base64 is read in the same way in any charset of the card")
    func brokenBase64() throws {
        var card = try Self.card(
            Self.latin("N;ENCODING=b:Noë;Bü"), Self.latin("PHOTO;ENCODING=b:AAAA\u{97}"), Self.latin("FN:Jörg"))
        let texts = card.properties.map(\.text)
        #expect(texts.last == "Jörg" && texts.dropLast().last == "AAAA—")
        card.append("TEL", .text("1"), parameters: ["LABEL": ["日"]])
        #expect(card.properties.map(\.text) == texts + ["1"])
    }

    @Test("Base64 of a text is decoded as text, not as embedded data")
    func base64Texts() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "NOTE;ENCODING=B:SMOkdHRlLCBoYXR0ZQ==", "N;ENCODING=b;CHARSET=EUC-JP:xezF7Dui",
            "FN;BASE64:SvZyZw==", "URL;ENCODING=BASE64:aHR0cDovL3gu", " b3Jn", "TITLE;ENCODING=b:x",
            "X-A;ENCODING=b:AAAA")
        #expect(try card["NOTE"].text == "Hätte, hatte")
        #expect(try card["N"].components[0] == ["東東"])
        #expect(try card["FN"].text == "Jörg")
        #expect(Card(card).links.map(\.content) == [.uri("http://x.org")])
        #expect(try card["TITLE"].text == "x")
        #expect(try !card["NOTE"].isEmbedded && card["X-A"].isEmbedded)
        var same = card
        same.apply(Card(card))
        #expect(same == card)
        same.setValue(.text("new"), at: 1)
        #expect(try same["NOTE"].text == "new")
    }
}
