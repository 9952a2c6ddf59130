import Foundation
import KithCards
import Testing

@Suite("Reading a vCard's properties") struct ReadingTests {
    // MARK: Quoted-printable

    @Test("Soft line breaks of quoted-printable join lines that do not begin with white space")
    func softBreaks() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=91=20=C3=", "=91;caf=C3=A9;;;",
            "LABEL;WORK;ENCODING=QUOTED-PRINTABLE:Cresent moon drive=0D=0A=", "Albaney, New York  12345", "TEL:1")
        #expect(try card["N"].components == [["Ñ Ñ"], ["café"], [""], [""], [""]])
        #expect(try card["LABEL"].text == "Cresent moon drive\nAlbaney, New York  12345")
        #expect(try card["TEL"].text == "1")
    }

    @Test("A soft line break inside a line break or a character is not part of the text")
    func softBreakWithinCode() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "NOTE;ENCODING=QUOTED-PRINTABLE:empty=0D=", "=0A", "FN;QUOTED-PRINTABLE;CHARSET=utf-8:J=C3=",
            "=B6rg=20=", "")
        #expect(try card["NOTE"].text == "empty\n")
        #expect(try card["FN"].text == "Jörg ")
        #expect(card.properties.count == 3)
    }

    @Test("A soft line break that is also folded leaves no white space in the text")
    func softBreakWithFold() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=91=C3=91=", " =C3=91=",
            " =C3=91", "TITLE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=91=", " =C3=91",
            "ROLE;ENCODING=QUOTED-PRINTABLE:one of=", " them")
        #expect(try card["NOTE"].text == "ÑÑÑÑ")
        #expect(try card["TITLE"].text == "ÑÑ")
        // Here the blank is a word's end: there are others in the text, and not each line begins with one.
        #expect(try card["ROLE"].text == "one of them")
    }

    @Test("A soft break before the end of the card does not swallow the end")
    func softBreakBeforeEnd() throws {
        let card = try WrittenCard.read("VERSION:2.1", "NOTE;ENCODING=QUOTED-PRINTABLE:cut off=")
        #expect(try card["NOTE"].text == "cut off")
    }

    @Test(
        "Only properties that declare quoted-printable are decoded as such",
        arguments: ["URL:http://example.com/?a=", "NOTE:1=31"])
    func equalsElsewhere(line: String) throws {
        let card = try WrittenCard.read("VERSION:2.1", line, "TEL:1")
        #expect(card.properties[1].text == line.split(separator: ":", maxSplits: 1)[1])
        #expect(try card["TEL"].text == "1")
    }

    // MARK: Folds

    @Test("A fold inside a UTF-8 character is removed")
    func foldWithinLetter() throws {
        let bytes = Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:J".utf8) + [0xC3] + Array("\r\n ".utf8) + [0xB6]
        let card = try VCard(bytes + Array("rg\r\nEND:VCARD\r\n".utf8))
        #expect(try card["FN"].text == "Jörg")
    }

    @Test("A value may begin on the line after its name: the blank that folds it is no part of it")
    func foldAtTheColon() throws {
        let card = try WrittenCard.read("VERSION:4.0", "KEY;VALUE=uri:", " https://kite.example/key")
        #expect(try card["KEY"].text == "https://kite.example/key")
        let older = try WrittenCard.read("VERSION:2.1", "NOTE;QUOTED-PRINTABLE:", " K=C3=A4se=", "\tbrot")
        #expect(try older["NOTE"].text == "Käsebrot")
    }

    @Test("Folds in names and parameters, with tabs, and with white space only are removed")
    func foldsAnywhere() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "item1", " .TEL;TY", "\tPE=HO", " ME:1", " ", " 23", "FN:Ada", "  Lovelace")
        #expect(try card["TEL"].group == "item1")
        #expect(try card["TEL"].parameters["TYPE"] == ["HOME"])
        #expect(try card["TEL"].text == "123")
        #expect(try card["FN"].text == "Ada Lovelace")
    }

    @Test("Lines with a doubled line end are joined")
    func doubledLineEnds() throws {
        let card = try WrittenCard.read("VERSION:3.0", "", "NOTE:This is", "", "  folded", "", "TEL:1", "")
        #expect(try card["NOTE"].text == "This is folded")
        #expect(try card["TEL"].text == "1")
    }

    // MARK: Escapes and structure

    @Test("Escapes of 3.0 and 4.0 are resolved, including Google's of colons and quotes", arguments: ["3.0", "4.0"])
    func escapes(version: String) throws {
        let card = try WrittenCard.read(
            "VERSION:\(version)", "URL:http\\://www.ibm.com", "NOTE:a\\nb\\Nc\\, d\\; \\\"e\\\" \\\\n C:\\dir\\")
        #expect(try card["URL"].text == "http://www.ibm.com")
        #expect(try card["NOTE"].text == "a\nb\nc, d; \"e\" \\n C:\\dir\\")
    }

    @Test("Commas and semicolons separate a structured value unless they are escaped")
    func structure() throws {
        let card = try WrittenCard.read(
            "VERSION:4.0", "N:Stevenson;John;Philip,Paul;Dr.;Jr.,M.D.", "ORG:A\\, B\\; C;Unit", "CATEGORIES:a,b\\,c,,d")
        #expect(try card["N"].components == [["Stevenson"], ["John"], ["Philip", "Paul"], ["Dr."], ["Jr.", "M.D."]])
        #expect(try card["ORG"].components == [["A, B; C"], ["Unit"]])
        #expect(try card["CATEGORIES"].list == ["a", "b,c", "", "d"])
    }

    @Test("A property whose name has a blank is reported as such, and a line of prose is not")
    func blankInName() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "FN:Ada", "X-GOOGLE TALK;TYPE=WORK:gtalk.ada", "call her: later", "X-rays are no name")
        #expect(card.faults.map(\.line) == [4, 5, 6])
        #expect(card.faults.map { $0.sentence.contains("its name has a blank") } == [true, false, false])
    }

    @Test("Commas of version 2.1 separate nothing, and its quoted-printable has no escaped line breaks")
    func oldStructure() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "ORG:Company, The;TheDepartment", "N:Do\\;e;John;;;",
            "NOTE;QUOTED-PRINTABLE:C:\\new=0D=0Aline")
        #expect(try card["ORG"].components == [["Company, The"], ["TheDepartment"]])
        #expect(try card["N"].components[0] == ["Do;e"])
        #expect(try card["NOTE"].text == "C:\\new\nline")
    }

    @Test("Control characters are removed from texts, and the vertical tab is a line break")
    func controlCharacters() throws {
        let card = try WrittenCard.read("VERSION:3.0", "NOTE:a\u{0}b\u{B}c\td\u{1B}\u{7F}e", "FN:Ada\r Lovelace\u{0}")
        #expect(try card["NOTE"].text == "ab\nc\tde")
        #expect(try card["FN"].text == "Ada\n Lovelace")
        #expect(try Array(card["NOTE"].rawValue) == Array("a\u{0}b\u{B}c\td\u{1B}\u{7F}e".utf8))
    }

    // MARK: Names, groups, parameters

    @Test("Parameters without names in version 2.1 are types or encodings")
    func bareParameters() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "TEL;CELL;PREF:1", "NOTE;QUOTED-PRINTABLE:=41", "PHOTO;URL:http://x")
        #expect(try card["TEL"].parameters["TYPE"] == ["CELL", "PREF"])
        #expect(try card["NOTE"].parameters["ENCODING"] == ["QUOTED-PRINTABLE"])
        #expect(try card["NOTE"].text == "A")
        #expect(try card["PHOTO"].parameters["VALUE"] == ["URL"])
    }

    @Test("Quotes, lists and RFC 6868 escapes in parameters are resolved")
    func parameters() throws {
        let card = try WrittenCard.read(
            "VERSION:4.0", "TEL;VALUE=uri;TYPE=\"work,voice\";type=home;PREF=1:tel:+1-418-656-9254;ext=102",
            "ADR;LABEL=\"^'Rue: 1;^n,x^^^'\";X=a,\"b,c\" ; Y = z :;;1", "X-A;B=5\":c:d", "NOTE;LANGUAGE=:x")
        let tel = try card["TEL"]
        #expect(tel.parameters["TYPE"] == ["work", "voice", "home"])
        #expect(tel.parameters["PREF"] == ["1"])
        #expect(tel.text == "tel:+1-418-656-9254;ext=102")
        let address = try card["ADR"].parameters
        #expect(address["LABEL"] == ["\"Rue: 1;\n,x^\""])
        #expect(address["X"] == ["a", "b,c"])
        #expect(address["Y"] == ["z"])
        #expect(address.map(\.name) == ["LABEL", "X", "Y"])
        // A quote that is not closed is a letter.
        #expect(try card["X-A"].parameters["B"] == ["5\""])
        #expect(try card["X-A"].text == "c:d")
        #expect(try card["NOTE"].parameters["LANGUAGE"] == [""])
    }

    @Test("Groups connect properties, and names are compared without case")
    func groups() throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "item1.ADR;type=HOME:;;x", "item1.x-ablabel:_$!<Home>!$_", "x-Own:1", "tel:2")
        #expect(card.properties.map(\.group) == [nil, "item1", "item1", nil, nil])
        #expect(card.properties.map(\.knownName) == [.version, .adr, .xABLabel, nil, .tel])
        #expect(card.properties.map(\.name) == ["VERSION", "ADR", "X-ABLABEL", "X-OWN", "TEL"])
        #expect(try card["X-ABLABEL"].text == "_$!<Home>!$_")
    }

    @Test("Every known name is recognised", arguments: VCard.PropertyName.allCases)
    func names(name: VCard.PropertyName) throws {
        let card = try WrittenCard.read("VERSION:4.0", "\(name.rawValue.lowercased()):1", "\(name.rawValue)X:2")
        #expect(card.properties[1].knownName == name)
        #expect(card.properties[1].name == name.rawValue)
        #expect(card.properties[2].knownName == nil)
    }

    @Test("Lines that are not properties are kept but not read")
    func strayLines() throws {
        let bytes = WrittenCard.bytes(
            "VERSION:3.0", "no colon", "two words: of text", ":", " orphan", "", "FN:Ada", "also stray")
        let card = try VCard(bytes)
        #expect(card.properties.map(\.name) == ["VERSION", "FN"])
        #expect(card.bytes == bytes)
        // The indented line belongs to the one before it.
        #expect(card.faults.map(\.line) == [3, 4, 5, 9])
    }

    @Test(
        "Trap: a value is broken without a fold, and its rest disappears – the line of the rest is a fault",
        arguments: [
            ["VERSION:3.0", "NOTE:She likes", "red wine", "TEL:1"],
            ["VERSION:3.0", "ADR:;;Ring 1", "1010 Wien;;;;", "TEL:1"],
            ["VERSION:2.1", "NOTE;ENCODING=QUOTED-PRINTABLE:K=C3=A4se", "und Brot", "TEL:1"],
        ])
    func brokenValue(lines: [String]) throws {
        let card = try VCard((["BEGIN:VCARD"] + lines + ["END:VCARD"]).flatMap { ($0 + "\r\n").utf8 })
        #expect(card.faults.map(\.line) == [4])
        #expect(card.faults.allSatisfy { $0.sentence.hasPrefix("The line is no property") })
        #expect(try card["TEL"].text == "1")
    }

    @Test("Of many lines that are not properties, the first eight are faults, and the last of these counts the others")
    func manyStrayLines() throws {
        let stray = Array(repeating: "stray", count: 20)
        let card = try VCard((["BEGIN:VCARD", "BDAY:20230230"] + stray + ["END:VCARD"]).flatMap { ($0 + "\n").utf8 })
        #expect(card.faults.map(\.line) == Array(2...10))
        #expect(card.faults.last?.sentence.hasPrefix("The line and 12 more below it") == true)
    }

    // MARK: What is not there

    @Test("Cards without FN, N, UID or VERSION are cards", arguments: ["TEL:1", "VERSION:3.0", ""])
    func missing(line: String) throws {
        #expect(try WrittenCard.read(line).properties.count == (line.isEmpty ? 0 : 1))
    }

    @Test("Without a known VERSION, the version follows from the card's syntax")
    func inferredVersion() throws {
        #expect(try WrittenCard.read("TEL;CELL:1").version == .v2_1)
        #expect(try WrittenCard.read("TEL;TYPE=CELL:1").version == .v3_0)
        #expect(try WrittenCard.read("NOTE;ENCODING=QUOTED-PRINTABLE:=41").version == .v2_1)
        #expect(try WrittenCard.read("VERSION:9.9", "TEL:1").version == .v3_0)
        #expect(try WrittenCard.read("TEL:1", "version: 4.0 ").version == .v4_0)
    }

    @Test("Birthdays without a year are given as they are written", arguments: ["--0203", "--02-03", "---03"])
    func birthdays(day: String) throws {
        #expect(try WrittenCard.read("VERSION:4.0", "BDAY:\(day)")["BDAY"].text == day)
    }
}
