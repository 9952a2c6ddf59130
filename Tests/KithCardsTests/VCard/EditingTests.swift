import KithCards
import Testing

@Suite("Editing vCards") struct EditingTests {
    /// The card as text, for pictures in the source.
    private static func text(_ card: VCard) -> String {
        String(decoding: card.bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    // MARK: Whole cards

    @Test("A new card is written in the syntax of 4.0")
    func version4() {
        var card = VCard(version: .v4_0)
        card.append("FN", .text("Zoë; “Z”, \\ Doe\nSecond"))
        card.append("N", .components([["Doe"], ["Zoë"], ["A,B", "C;D"], [], []]))
        card.append(
            "TEL", .plain("tel:+1-555;ext=1"), parameters: ["VALUE": ["uri"], "TYPE": ["work", "a,b"]], group: "item1")
        card.append("CATEGORIES", .list(["a", "b,c"]))
        card.append("PHOTO", .data([0xFF, 0xD8, 0xFF, 0xE0], mediaType: "image/jpeg"))
        #expect(
            Self.text(card) == """
                BEGIN:VCARD
                VERSION:4.0
                FN:Zoë\\; “Z”\\, \\\\ Doe\\nSecond
                N:Doe;Zoë;A\\,B,C\\;D;;
                item1.TEL;VALUE=uri;TYPE=work,"a,b":tel:+1-555;ext=1
                CATEGORIES:a,b\\,c
                PHOTO:data:image/jpeg;base64,/9j/4A==
                END:VCARD

                """)
    }

    @Test("A new card is written in the syntax of 3.0")
    func version3() {
        var card = VCard(version: .v3_0)
        card.append("NOTE", .text(String(repeating: "zwölf Boxkämpfer ", count: 6)))
        card.append("PHOTO", .data([0xFF, 0xD8, 0xFF, 0xE0], mediaType: "image/jpeg"), parameters: ["VALUE": ["uri"]])
        #expect(
            Self.text(card) == """
                BEGIN:VCARD
                VERSION:3.0
                NOTE:zwölf Boxkämpfer zwölf Boxkämpfer zwölf Boxkämpfer zwölf Boxkä
                 mpfer zwölf Boxkämpfer zwölf Boxkämpfer\u{20}
                PHOTO;ENCODING=b;TYPE=JPEG:/9j/4A==
                END:VCARD

                """)
    }

    @Test("A new card is written in the syntax of 2.1")
    func version2() {
        var card = VCard(version: .v2_1)
        card.append("FN", .text("Ada, C:\\new; x=1"))
        card.append("N", .components([["Doe;"], ["Zoë"], ["A", "B"]]))
        card.append("TEL", .plain("1"), parameters: ["TYPE": ["CELL", "URL", "büro"], "LANGUAGE": ["en"]])
        card.append("NOTE", .text("one\ntwo= "))
        card.append("PHOTO", .data([UInt8](repeating: 7, count: 60), mediaType: "image/gif"))
        #expect(
            Self.text(card) == """
                BEGIN:VCARD
                VERSION:2.1
                FN:Ada, C:\\\\new; x=1
                N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Doe\\;;Zo=C3=AB;A,B
                TEL;CELL;TYPE=URL;TYPE=büro;LANGUAGE=en:1
                NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:one=0D=0Atwo=3D=20
                PHOTO;ENCODING=BASE64;GIF:
                 BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH
                 BwcHBwcH

                END:VCARD

                """)
    }

    // MARK: One property

    @Test("A changed value keeps its name, its group and its parameters as they are written, and the card's line end")
    func changedValue() throws {
        var card = try WrittenCard.read(
            "VERSION:2.1", "stray",
            "Item1.fn;LANGUAGE=en ; encoding=QUOTED-PRINTABLE;Charset=ISO-8859-1;x-A=\"b\":J=F6=", "rg",
            "TEL;CELL:1", lineEnd: "\n")
        card.setValue(.text("Ada"), at: 1)
        #expect(
            Self.text(card)
                == "BEGIN:VCARD\nVERSION:2.1\nstray\nItem1.fn;LANGUAGE=en;x-A=\"b\":Ada\nTEL;CELL:1\nEND:VCARD\n")
        card.setValue(.text("Æ"), parameters: ["TYPE": ["home"]], at: 2)
        #expect(Self.text(card).hasSuffix("\nTEL;home;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=86\nEND:VCARD\n"))
    }

    @Test("Changed parameters leave those that did not change, and the value, as they are written")
    func changedParameters() throws {
        var card = try WrittenCard.read(
            "VERSION:3.0", "TEL;type=CELL;Pref=1;type=pref:a\\:", " b", "PHOTO;ENCODING=b;TYPE=JPEG:/9j/", " 4A==",
            lineEnd: "\r\r\n")
        var parameters = card.properties[1].parameters
        parameters["PREF"] = []
        parameters["LABEL"] = ["x \"y\""]
        card.setParameters(parameters, at: 1)
        card.setParameters(["TYPE": ["PNG"], "ENCODING": ["8BIT"]], at: 2)
        let lines =
            ["BEGIN:VCARD", "VERSION:3.0", "TEL;type=CELL;type=pref;LABEL=\"x ^'y^'\":a\\:b"]
            + ["PHOTO;ENCODING=b;TYPE=PNG:/9j/", " 4A==", "END:VCARD", ""]
        #expect(String(decoding: card.bytes, as: UTF8.self) == lines.joined(separator: "\r\r\n"))
    }

    @Test("Content after an unterminated soft line break is a separate line")
    func afterSoftBreak() throws {
        var card = try WrittenCard.read("VERSION:2.1", "NOTE;QUOTED-PRINTABLE:cut off=")
        card.append("TEL", .plain("1"))
        #expect(try card["NOTE"].text == "cut off")
        #expect(try card["TEL"].text == "1")
    }

    @Test("Content after unterminated base64 does not become a part of it")
    func afterBase64() throws {
        var card = try WrittenCard.read("VERSION:2.1", "KEY;BASE64:", " AAAA", "TEL:1", "stray")
        card.remove(at: 2)
        #expect(try card["KEY"].data == [0, 0, 0])
        #expect(card.properties.count == 2)
    }

    @Test("A folded line has at most 75 bytes, and no character is split", arguments: [VCard.Version.v3_0, .v4_0])
    func widths(version: VCard.Version) {
        for length in 60..<160 {
            var card = VCard(version: version)
            card.append(
                "NOTE", .text(String(repeating: "x", count: length % 7) + String(repeating: "日😀é", count: length / 9)))
            let lines = card.bytes.split(separator: UInt8(ascii: "\n"))
            #expect(lines.allSatisfy { $0.count <= 76 && String(validating: $0, as: UTF8.self) != nil })
        }
    }

    // MARK: Nothing breaks out of its line

    @Test(
        "No name, group or parameter can inject a line", arguments: VCard.Version.allCases,
        [
            "A:b\r\nX:1", "END", "begin", "", "\"", "é", "a.b", "x;y=z", "AGENT", "\nEND:VCARD\n", "^n",
            "QUOTED-PRINTABLE",
        ])
    func injection(version: VCard.Version, text: String) throws {
        var card = VCard(version: version)
        card.append(text, .plain("VCARD"), parameters: ["TYPE": [text, text], "X-\(text)": [text]], group: text)
        card.append(text, .plain("BEGIN:VCARD"))
        card.append("NOTE", .text(text), parameters: [text: [text]])
        let again = try VCard(card.bytes)
        #expect(again == card && again.content == card.content)
        #expect(card.properties.count == 4)
        let before = card.properties.map(\.text)
        card.setGroup(text, at: 3)
        #expect(card.properties.map(\.text) == before && card.properties[3].name == "NOTE")
        #expect(try VCard(card.bytes) == card)
        #expect(card.bytes.split(separator: UInt8(ascii: "\n")).last == Array("END:VCARD\r".utf8)[...])
    }

    @Test("Parameter values are read as they were written", arguments: [VCard.Version.v3_0, .v4_0])
    func parameterValues(version: VCard.Version) {
        for seed in 0..<200 as Range<UInt64> {
            var dice = CardDice(seed: seed)
            let text = dice.text().filter { $0 != "\0" && $0 != "\r\n" }
            var card = VCard(version: version)
            card.append("NOTE", .text(""), parameters: ["LABEL": [text, "x"], "TYPE": ["y"]])
            let trimmed = text.trimmingPrefix { $0 == " " || $0 == "\t" }
            if trimmed == text { #expect(card.properties[1].parameters["LABEL"] == [text, "x"], "seed \(seed)") }
            #expect(card.properties[1].parameters["TYPE"] == ["y"])
        }
    }

    @Test(
        "Trap: a property called END or BEGIN, held apart by a parameter or a group alone, never ends the card",
        arguments: ["END;X=1:VCARD", "a.END:VCARD", "BEGIN;X=1:VCARD", "END;CHARSET=\u{E4}:VCARD"])
    func cardsOwnNames(_ line: String) throws {
        let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\n\(line)\r\nEND:VCARD\r\n"
        // As Latin-1, so that it is not in UTF-8.
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        var card = try VCard(bytes)
        let index = try #require(card.properties.indices.last)
        card.setParameters(VCard.Parameters(), at: index)
        card.setGroup(nil, at: index)
        #expect(try VCard(card.bytes).properties.count == 3)
        let recoded = try #require(try VCard(bytes).inUTF8)
        #expect(try VCard(recoded.bytes).properties.count == 3)
    }
}
