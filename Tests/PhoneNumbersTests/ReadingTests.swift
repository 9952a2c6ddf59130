import KithModel
import PhoneNumbers
import Testing

/// A number as written, the region that it is dialled in, and what must come out.
typealias Written = (text: String, region: String?, e164: String?)

@Suite("Reading a number") struct ReadingTests {
    private let parser = LibPhoneNumber()

    private func expect(_ written: Written, sourceLocation: SourceLocation = #_sourceLocation) {
        let number = parser.e164(written.text, in: written.region.flatMap(Region.init))
        #expect(number?.text == written.e164, sourceLocation: sourceLocation)
    }

    private func parse(_ text: String, _ region: String?) -> PhoneNumber {
        parser.parse(text, in: region.flatMap(Region.init))
    }

    @Test("All details of a number")
    func all() {
        #expect(
            parse("0664 / 12 34 56", "AT")
                == PhoneNumber(
                    original: "0664 / 12 34 56", e164: E164("+43664123456"), national: "0664 123456",
                    international: "+43 664 123456", kind: .mobile, isValid: true))
    }

    @Test("The plan determines each kind")
    func kinds() {
        let kinds: [(String, PhoneNumber.Kind)] = [
            ("+43 664 123456", .mobile), ("+43 1 5331234", .fixedLine), ("+1 201-555-0123", .fixedLineOrMobile),
            ("+1 800 234 5678", .tollFree), ("+1 900 234 5678", .premiumRate), ("+43 810 123456", .sharedCost),
            ("+44 56 1234 5678", .voip), ("+44 70 1234 5678", .personal), ("+44 7640 123456", .pager),
            ("+44 55 1234 5678", .company), ("+61 2 9999 9999", .fixedLine), ("+49 177 99 1234567", .voicemail),
        ]
        for (text, kind) in kinds {
            #expect(parse(text, nil).kind == kind, "\(text)")
            #expect(parse(text, nil).isValid, "\(text)")
        }
    }

    @Test("Trap: Normalising a phone number twice corrupts it – in its own type it reads as itself wherever one is")
    func twice() throws {
        for text in ["0664 123456", "01 5331234", "0049 30 123456", "+39 06 6981 2345", "+54 9 11 2345 6789"] {
            let once = try #require(parser.e164(text, in: Region("AT")))
            for region in ["AT", "US", "IT", "AR", "BR", "RU", "ZZ", nil] {
                #expect(parser.e164(once.text, in: region.flatMap(Region.init)) == once)
            }
        }
    }

    @Test("Trap: Leading zeros – Italy keeps them")
    func italy() {
        expect(("06 6981 2345", "IT", "+390669812345"))
        expect(("+39 06 6981 2345", "AT", "+390669812345"))
        expect(("312 345 6789", "IT", "+393123456789"))
        expect(("0549 886377", "SM", "+3780549886377"))
        #expect(parse("+390669812345", "AT").national == "06 6981 2345")
    }

    @Test("Leading zeros: a prefix that is not part of the number is removed, even after a country code")
    func nationalPrefix() {
        expect(("0664 123456", "AT", "+43664123456"))
        expect(("+43 (0) 664 123456", "US", "+43664123456"))
        expect(("8 (912) 345-67-89", "RU", "+79123456789"))
        expect(("06 20 123 4567", "HU", "+36201234567"))
    }

    @Test("Trap: Brazil's ninth digit – an old mobile number is read as what it has become")
    func brazil() {
        for text in ["+55 11 96123-4567", "+55 11 6123-4567", "(11) 6123-4567", "011 6123-4567", "0055 11 61234567"] {
            #expect(parser.e164(text, in: Region("BR"))?.text == "+5511961234567", "\(text)")
        }
        #expect(parse("(11) 8123-4567", "BR").kind == .mobile)
        // Neither a fixed line nor trunk radio gets one, nor a number that has it already.
        expect(("(11) 2345-6789", "BR", "+551123456789"))
        expect(("(11) 7012-3456", "BR", "+551170123456"))
        expect(("(11) 96123-4567", "BR", "+5511961234567"))
    }

    @Test("Trap: Argentina's 9 – it is dialled from abroad, and 15 at home")
    func argentina() {
        for text in ["011 15-2345-6789", "+54 9 11 2345-6789", "+54 11 15 2345 6789", "0054 9 11 23456789"] {
            #expect(parser.e164(text, in: Region("AR"))?.text == "+5491123456789", "\(text)")
        }
        expect(("011 2345-6789", "AR", "+541123456789"))
        #expect(parse("+5491123456789", nil).national == "011 15-2345-6789")
    }

    @Test("Mexico's old 1 is removed")
    func mexico() {
        expect(("+52 1 222 123 4567", nil, "+522221234567"))
        expect(("222 123 4567", "MX", "+522221234567"))
    }

    @Test("Trap: “00” and “011” prefixes")
    func internationalPrefixes() {
        expect(("00 43 664 1234567", "DE", "+436641234567"))
        expect(("011 43 664 1234567", "US", "+436641234567"))
        expect(("0011 43 664 1234567", "AU", "+436641234567"))
        expect(("8 10 43 664 1234567", "RU", "+436641234567"))
        // Written in Europe, carried to America, or read before the region is known.
        expect(("0043 664 1234567", "US", "+436641234567"))
        expect(("0043 664 1234567", nil, "+436641234567"))
        expect(("00 12", nil, nil))
    }

    @Test("Trap: Extensions – they are no part of the number")
    func extensions() {
        for text in [
            "0664 123456 ext. 12", "0664 123456 x12", "0664 123456,,12", "0664 123456;12", "+43 664 123456;ext=12",
            "tel:+43-664-123456;ext=12", "0664 123456 #12", "0664 123456 ext ١٢",
        ] {
            let number = parse(text, "AT")
            #expect(number.e164?.text == "+43664123456", "\(text)")
            #expect(number.extension == "12", "\(text)")
            #expect(number.national == "0664 123456 ext. 12", "\(text)")
        }
        #expect(parse("0664 123456", "AT").extension == nil)
    }

    @Test("Trap: Letters in numbers – digits where the plan knows the number, a note otherwise")
    func letters() {
        expect(("1-800-FLOWERS", "US", "+18003569377"))
        expect(("1 800 flowers", "US", "+18003569377"))
        expect(("0664 1234567 (Mama)", "AT", "+436641234567"))
        expect(("0664 1234567 Büro", "AT", "+436641234567"))
        expect(("Tel. 0664 1234567", "AT", "+436641234567"))
        expect(("Ada", "AT", nil))
    }

    @Test("Trap: Short codes – they are no number to be found by", arguments: ["112", "911", "46645", "22833"])
    func shortCodes(code: String) {
        for region in ["AT", "US", "DE", "BR", "IN"] {
            let number = parse(code, region)
            #expect(number.e164 == nil, "\(region)")
            #expect(number.kind == .short, "\(region)")
            #expect(number.national == code && number.international == code)
        }
        #expect(parse(code, nil).e164 == nil)
    }

    @Test("Short codes: the plan contains some of them, and also numbers of the same length")
    func knownShortCodes() {
        #expect(parse("112", "AT").isValid)
        #expect(parse("911", "US").isValid)
        #expect(!parse("60999", "AT").isValid)
        #expect(parse("60999", "AT").kind == .short)
        #expect(parse("40123", "AC").e164?.text == "+24740123")
        #expect(parse("12345", "AC").e164?.text == "+24712345", "Ascension's numbers have five digits.")
        // With a country code it is somebody's number, known or not.
        #expect(parse("+43 60999", "AT").e164?.text == "+4360999")
    }

    @Test("A network command is not a number", arguments: ["*100#", "#31#0664123456", " *#06#"])
    func serviceCodes(text: String) {
        #expect(parse(text, "AT").e164 == nil)
        #expect(parse(text, "AT").kind == .short)
    }

    @Test("A number that the plan does not know is kept, and matched by its E.164 form")
    func unknownNumbers() {
        for text in ["+43 999 123 456 78", "0043 999 123 456 78", "0999 12345678"] {
            let number = parse(text, "AT")
            #expect(number.e164?.text == "+4399912345678", "\(text)")
            #expect(number.kind == .unknown && !number.isValid)
        }
    }

    @Test("A number without its area code cannot be dialled from everywhere")
    func localNumbers() {
        expect(("234-5678", "US", nil))
        expect(("2345-6789", "AR", nil))
        #expect(parse("234-5678", "US").national == "234-5678")
    }

    @Test("Other digits, spaces and invisible marks")
    func otherCharacters() {
        expect(("٠٦٦٤ ١٢٣٤٥٦", "AT", "+43664123456"))
        expect(("۰۶۶۴۱۲۳۴۵۶", "AT", "+43664123456"))
        expect(("०६६४१२३४५६", "AT", "+43664123456"))
        expect(("＋４３（６６４）１２３４５６", nil, "+43664123456"))
        expect(("\u{202A}+43 664 123456\u{202C}", nil, "+43664123456"))
        expect(("0664\u{202F}12\u{A0}34\u{2009}56", "AT", "+43664123456"))
        expect(("0664–12‑34—56", "AT", "+43664123456"))
    }

    @Test("A tel: URI is read with its parameters")
    func uris() {
        expect(("tel:+43-664-123456", nil, "+43664123456"))
        expect(("TEL:0664%20123456", "AT", "+43664123456"))
        expect(("tel:863-1234;phone-context=+1-914", "AT", "+19148631234"))
        expect(("tel:0664123456;phone-context=+43", nil, "+43664123456"))
        expect(("tel:+43664123456;isub=12;rn=+49301;npdi", nil, "+43664123456"))
        // A number of a company's own network means nothing elsewhere.
        expect(("tel:5331234;phone-context=example.com", "AT", nil))
        #expect(parse("tel:7042;phone-context=example.com", "AT").national == "7042")
    }

    @Test("Trap: Escapes of a tel: URI hide many combining marks, which take minutes to compare – that is no number")
    func combiningMarks() {
        expect(("tel:0664;x=" + String(repeating: "%CC%A7%CC%81", count: 50_000), "AT", nil))
    }

    @Test("Without a region only numbers with a country code have an E.164 form")
    func noRegion() {
        expect(("+43 664 123456", nil, "+43664123456"))
        expect(("0664 123456", nil, nil))
        expect(("0664 123456", "ZZ", nil))
        expect(("+43 664 123456", "ZZ", "+43664123456"))
    }

    @Test("The same text read for another region is another number")
    func regionChanges() {
        let texts = ["0664 123456", "030 123456", "+43 664 123456"]
        let read = { (region: String) in texts.map { parser.e164($0, in: Region(region))?.text } }
        #expect(read("AT") == ["+43664123456", "+4330123456", "+43664123456"])
        #expect(read("DE") == ["+49664123456", "+4930123456", "+43664123456"])
    }

    @Test(
        "Text that is not a number is kept unchanged",
        arguments: ["", " ", "+", "++", "1", "-", "(", "ask Bo", "0", "\u{0}", "a@b.example", "+0 12 34 56"])
    func noNumbers(text: String) {
        let number = parse(text, "AT")
        #expect(number.e164 == nil && number.original == text && !number.isValid)
    }

    @Test("Very long texts are handled quickly")
    func longTexts() {
        expect((String(repeating: "0664 ", count: 100_000), "AT", nil))
        expect((String(repeating: "1", count: 250), "AT", nil))
        expect((String(repeating: "(", count: 249) + "1", "AT", nil))
    }
}
