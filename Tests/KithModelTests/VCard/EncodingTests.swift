import Foundation
import KithModel
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

    @Test("Half characters of UTF-16 and an odd byte at the end come back as they were")
    func brokenUTF16() throws {
        let halves: [UInt16] = [0xD83D, 0x0041, 0xDE00, 0xDE00, 0xD83D, 0xD83D, 0xDE00, 0xFFFF, 0x0000]
        let units = Array("BEGIN:VCARD\nFN:".utf16) + halves + Array("\nEND:VCARD\n".utf16)
        let bytes: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0x0D]
        let elements = VCardReader.elements(in: bytes)
        #expect(elements.flatMap(\.bytes) == bytes)
        #expect(elements.last == .between([0x0D]))
        #expect(elements.count == 3)
    }

    @Test("The byte order mark of UTF-8 is no part of a card, at the start and between cards")
    func utf8Mark() throws {
        let one = Array("\u{FEFF}BEGIN:VCARD\nFN:Ada\nEND:VCARD\n".utf8)
        let elements = VCardReader.elements(in: one + one)
        #expect(elements.map { if case .card = $0 { true } else { false } } == [false, true, false, true])
        #expect(elements.flatMap(\.bytes) == one + one)
    }

    @Test("Latin-1 and Windows-1252 are read where no charset is named")
    func latin1() throws {
        func card(_ value: [UInt8]) throws -> VCard {
            try VCard(Array("BEGIN:VCARD\nVERSION:3.0\nFN:".utf8) + value + Array("\nEND:VCARD\n".utf8))
        }
        #expect(try card([0x4A, 0xF6, 0x72, 0x67])["FN"].text == "Jörg")
        #expect(try card([0x80, 0x20, 0x93, 0x61, 0x94])["FN"].text == "€ “a”")
        // 0x81 is nothing in Windows-1252.
        #expect(try card([0x81, 0xE9])["FN"].text == "\u{81}é")
        // A letter of UTF-8 beside a cut one: this is UTF-8 with a flaw.
        #expect(try card([0xC3, 0xB6, 0xC3])["FN"].text == "ö\u{FFFD}")
        #expect(try card([0x4A, 0xF6, 0x3B, 0xE9])["FN"].components == [["Jö"], ["é"]])
    }

    @Test(
        "The charset that a property names is undone",
        arguments: [
            ("ISO-8859-1", "J=F6rg"), ("utf-8", "J=C3=B6rg"), ("Windows-1252", "J=F6rg"), ("ISO-8859-2", "J=F6rg"),
        ])
    func charset(name: String, written: String) throws {
        let card = try WrittenCard.read("VERSION:2.1", "FN;CHARSET=\(name);ENCODING=QUOTED-PRINTABLE:\(written)")
        #expect(try card["FN"].text == "Jörg")
    }

    @Test("Japanese, Russian and Chinese charsets are undone, also where a letter's second byte is a backslash")
    func farCharsets() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "FN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=83\\=8E=A6;=95\\",
            "N;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE:=E1=CE=CE=C1",
            "ORG;CHARSET=GB2312;ENCODING=QUOTED-PRINTABLE:=D6=D0")
        #expect(try card["FN"].components == [["ソ示"], ["表"]])
        #expect(try card["N"].text == "Анна")
        #expect(try card["ORG"].text == "中")
    }

    @Test("A charset that nobody knows is read as what it looks like")
    func unknownCharset() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "FN;CHARSET=X-OWN;ENCODING=QUOTED-PRINTABLE:J=F6rg", "N;CHARSET=:=")
        #expect(try card["FN"].text == "Jörg")
        #expect(try card["N"].text == "=")
    }
}
