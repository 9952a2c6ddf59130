import KithCards
import Testing

@Suite("Streams of vCards") struct StreamTests {
    private static func kinds(_ text: String) -> [String] {
        VCardReader.elements(in: Array(text.utf8)).map { element in
            switch element {
            case .card(let card): "card \(card.line)"
            case .fault(let fault): "fault \(fault.line)"
            case .between: "between"
            }
        }
    }

    @Test("Consecutive cards are read, with and without text between them")
    func several() {
        #expect(
            Self.kinds("BEGIN:VCARD\nEND:VCARD\nBEGIN:vCard\nend:vcard\n\nx\nBEGIN:VCARD\nEND:VCARD") == [
                "card 1", "card 3", "between", "card 7",
            ])
    }

    @Test("Cards that follow each other without a line end are separated")
    func joined() {
        #expect(Self.kinds("BEGIN:VCARD\nFN:a\nEND:VCARDBEGIN:VCARD\nFN:b\nEND:VCARD") == ["card 1", "card 3"])
    }

    @Test("White space around BEGIN and END is ignored")
    func blanks() throws {
        let card = try VCard(Array("  BEGIN : VCARD \t\r\nFN:Ada\r\nEND:VCARD  \r\n".utf8))
        #expect(try card["FN"].text == "Ada")
    }

    @Test("LF, CR LF, CR CR LF and CR end lines", arguments: ["\n", "\r\n", "\r\r\n", "\r"])
    func lineEnds(lineEnd: String) throws {
        let card = try WrittenCard.read(
            "VERSION:3.0", "NOTE:one", " two", "", "TEL:1", "PHOTO;ENCODING=b:/9j/", " 4A==", lineEnd: lineEnd)
        #expect(card.properties.map(\.name) == ["VERSION", "NOTE", "TEL", "PHOTO"])
        #expect(try card["NOTE"].text == "onetwo")
        #expect(try card["PHOTO"].data == [0xFF, 0xD8, 0xFF, 0xE0])
        let second = WrittenCard.bytes("FN:x", lineEnd: lineEnd)
        #expect(VCardReader.cards(in: card.bytes + second).cards.map(\.line) == [1, 10])
    }

    @Test("A single CR in a card with other line ends does not end a line")
    func strayCR() throws {
        let card = try VCard(Array("BEGIN:VCARD\nVERSION:3.0\nNOTE:one\rTEL:two\nEND:VCARD\n".utf8))
        #expect(card.properties.map(\.text) == ["3.0", "one\nTEL:two"])
    }

    @Test("Folding loses no CR of a value")
    func manyCRs() throws {
        for count in [1, 70, 74, 75, 76, 150, 300] {
            let value = "a" + String(repeating: "\r", count: count) + "é" + String(repeating: "\r", count: count) + "b"
            var card = try VCard(Array("BEGIN:VCARD\nVERSION:3.0\nNOTE:\(value)\nEND:VCARD\n".utf8))
            card.setParameters(["LABEL": ["x"]], at: 1)
            #expect(try card["NOTE"].text == value.replacing("\r", with: "\n"), "\(count)")
        }
    }

    // MARK: Faults

    @Test("A card without END is read up to the next one or the end of the stream, with a fault")
    func unclosed() throws {
        let text = "BEGIN:VCARD\nFN:a\nEND:VCARD\nBEGIN:VCARD\nFN:b\nBEGIN:VCARD\nFN:c\nEND:VCARD\nBEGIN:VCARD\nFN:d"
        #expect(Self.kinds(text) == ["card 1", "card 4", "fault 4", "card 6", "card 9", "fault 9"])
        let (cards, faults) = VCardReader.cards(in: Array(text.utf8))
        #expect(try cards.map { try $0["FN"].text } == ["a", "b", "c", "d"])
        #expect(String(decoding: cards[1].bytes, as: UTF8.self) == "BEGIN:VCARD\nFN:b\n")
        #expect(faults.allSatisfy { $0.bytes.isEmpty && $0.sentence.contains("END:VCARD") })
    }

    @Test("Each of many cards without END is read")
    func manyUnclosed() {
        let text = (0..<50).map { "BEGIN:VCARD\nFN:\($0)\n" }.joined()
        let (cards, faults) = VCardReader.cards(in: Array(text.utf8))
        #expect(cards.map { $0.properties.map(\.text) } == (0..<50).map { ["\($0)"] })
        #expect(faults.map(\.line) == (0..<50).map { 2 * $0 + 1 })
    }

    @Test("A card without END with a nested AGENT without END is read with what exists of both")
    func unclosedAgent() throws {
        let card = try VCard(Array("BEGIN:VCARD\nFN:a\nAGENT:\nBEGIN:VCARD\nFN:b".utf8))
        #expect(card.properties.map(\.name) == ["FN", "AGENT"])
        #expect(try card["AGENT"].card?["FN"].text == "b")
    }

    @Test("A nested card without AGENT does not take properties of the outer card")
    func nestedWithoutAgent() throws {
        let inner = "BEGIN:VCARD\nFN:inner\nTEL:2\nEND:VCARD\n"
        let text = "BEGIN:VCARD\nFN:outer\n\(inner)TEL:1\nEND:VCARD\n"
        #expect(Self.kinds(text + inner) == ["card 1", "card 9"])
        let card = try VCard(Array(text.utf8))
        #expect(card.properties.map(\.text) == ["outer", "1"])
        #expect(card.bytes == Array(text.utf8))
        // Also within an AGENT, and right before the END.
        let agent = try VCard(Array("BEGIN:VCARD\nAGENT:\n\(text)TEL:0\n\(inner)END:VCARD\n".utf8))
        #expect(agent.properties.map(\.name) == ["AGENT", "TEL"])
        #expect(try agent["AGENT"].card?.properties.map(\.text) == ["outer", "1"])
    }

    @Test("A soft line break before a nested card does not swallow its BEGIN")
    func softBreakBeforeNested() throws {
        let card = try WrittenCard.read(
            "VERSION:2.1", "NOTE;ENCODING=QUOTED-PRINTABLE:cut=", "BEGIN:VCARD", "FN:inner", "END:VCARD", "TEL:1")
        #expect(card.properties.map(\.text) == ["2.1", "cut", "1"])
    }

    @Test(
        "A card without END does not enclose the next one: every combination of them is read")
    func unclosedBeforeOthers() {
        let card = "BEGIN:VCARD\nFN:x\nEND:VCARD\n"
        let cut = "BEGIN:VCARD\nFN:cut\n"
        #expect(Self.kinds(cut + card) == ["card 1", "fault 1", "card 3"])
        #expect(Self.kinds(cut + card + cut) == ["card 1", "fault 1", "card 3", "card 6", "fault 6"])
        #expect(Self.kinds(cut + "BEGIN:VCARD\nEND:VCARDBEGIN:VCARD\nEND:VCARD\n").count { $0.hasPrefix("card") } == 3)
        // What follows the inner card is larger than a card may be.
        let rest = String(repeating: "x", count: 100)
        let elements = VCardLaws.read(Array((cut + card + rest).utf8), limit: 60)
        #expect(elements.map { if case .card = $0 { true } else { false } } == [true, false, true, false])
    }

    @Test("A card may consist of BEGIN only")
    func onlyBegin() throws {
        var card = try VCard(Array("BEGIN:VCARD".utf8))
        #expect(card.properties.isEmpty && card.faults.count == 1)
        card.append("FN", .text("Ada"))
        #expect(try VCard(card.bytes)["FN"].text == "Ada")
        #expect(String(decoding: card.bytes, as: UTF8.self) == "BEGIN:VCARD\r\nFN:Ada\r\nEND:VCARD\r\n")
    }

    @Test("An edit of a card without END adds END to it and to a nested card without one")
    func editingUnclosed() throws {
        var card = try VCard(Array("BEGIN:VCARD\nFN:a\nAGENT:\nBEGIN:VCARD\nFN:b".utf8))
        card.append("TEL", .text("1"))
        #expect(card.properties.map(\.name) == ["FN", "AGENT", "TEL"])
        #expect(try card["AGENT"].card?["FN"].text == "b")
        card.setValue(.text("c"), at: 0)
        #expect(try VCard(card.bytes) == card && card.faults.isEmpty && card.closed == card)
        #expect(
            String(decoding: card.bytes, as: UTF8.self)
                == "BEGIN:VCARD\nFN:c\nAGENT:\nBEGIN:VCARD\nFN:b\nEND:VCARD\nTEL:1\nEND:VCARD\n")
        #expect(try VCard(Array("BEGIN:VCARD\nFN:a".utf8)).closed.bytes == Array("BEGIN:VCARD\nFN:a\nEND:VCARD\n".utf8))
    }

    @Test("The END of a nested card may end the stream, without a line end")
    func lastEnd() throws {
        var card = try VCard(Array("BEGIN:VCARD\nAGENT:BEGIN:VCARD\nFN:a\nEND:VCARD".utf8))
        #expect(try card["AGENT"].card?.properties.map(\.text) == ["a"] && card.faults.count == 1)
        #expect(card.closed.bytes == card.bytes + Array("\nEND:VCARD\n".utf8))
        card.append("TEL", .text("1"))
        #expect(card.properties.map(\.name) == ["AGENT", "TEL"])
    }

    @Test("An AGENT that loses its separator does not swallow the nested card")
    func agentBeforeNested() throws {
        var card = try WrittenCard.read("AGENT:", "FN:x", "BEGIN:VCARD", "FN:inner", "END:VCARD", "TEL:1")
        card.remove(at: 1)
        #expect(card.properties.map(\.text) == ["", "1"])
        card = try WrittenCard.read("AGENT:x", "BEGIN:VCARD", "FN:inner", "END:VCARD", "TEL:1")
        card.setValue(.text(""), at: 0)
        #expect(card.properties.map(\.text) == ["", "1"])
    }

    @Test("An indented line after BEGIN is a fault with its line, and the card is read")
    func indented() throws {
        let text = "\nBEGIN:VCARD\n FN:lost\nTEL:1\nEND:VCARD\n"
        #expect(Self.kinds(text) == ["between", "card 2", "fault 3"])
        #expect(try VCardReader.cards(in: Array(text.utf8)).cards[0]["TEL"].text == "1")
        #expect(Self.kinds("BEGIN:VCARD\n \t\nFN:x\nEND:VCARD\n") == ["card 1"])
    }

    @Test(
        "An impossible date is a fault with its line, and stays text",
        arguments: [
            ("BDAY:2023-02-30", true), ("BDAY:20230431", true), ("item1.ANNIVERSARY;X=1:--1301", true),
            ("BDAY:1900-02-29", true), ("BDAY:2000-02-29", false), ("BDAY:--0229", false), ("BDAY:---31", false),
            ("BDAY;VALUE=text:2023-02-30", false), ("BDAY:circa 1800", false), ("NOTE:2023-02-30", false),
        ])
    func impossibleDays(line: String, isFault: Bool) throws {
        let text = "BEGIN:VCARD\nVERSION:4.0\n\(line)\nEND:VCARD\n"
        #expect(Self.kinds(text) == ["card 1"] + (isFault ? ["fault 3"] : []))
        let card = try VCard(Array(text.utf8))
        #expect(card.faults.allSatisfy { $0.sentence.contains("calendar") })
        if isFault { #expect(Card(card).anniversaries.map(\.day) == [.text(card.properties[1].text)]) }
    }

    @Test("An END without BEGIN is a fault with its line, and other cards are read")
    func strayEnd() {
        #expect(
            Self.kinds("FN:a\nEND:VCARD\nBEGIN:VCARD\nEND:VCARD\nEND:VCARD\n") == [
                "between", "fault 2", "card 3", "fault 5",
            ])
    }

    @Test("A card beyond the size limit is a fault, and the next one is read")
    func tooLarge() {
        let large = WrittenCard.bytes("NOTE:" + String(repeating: "x", count: 200))
        let small = WrittenCard.bytes("FN:Ada")
        let elements = VCardLaws.read(large + small, limit: 100)
        #expect(elements.flatMap(\.bytes) == large + small)
        guard case .fault(let fault) = elements.first else {
            Issue.record("\(elements)")
            return
        }
        #expect(fault.line == 1 && fault.bytes.count == 100 && fault.sentence.contains("100"))
        #expect(elements.count { if case .card = $0 { true } else { false } } == 1)
        #expect(VCardLaws.read(large, limit: large.count).count == 1)
    }

    @Test("A card with too many properties is a fault")
    func tooManyProperties() {
        func card(_ count: Int) -> [UInt8] {
            Array(("BEGIN:VCARD\n" + String(repeating: "A:\n", count: count) + "END:VCARD\n").utf8)
        }
        let most = VCard.Limits.properties
        let (cards, faults) = VCardReader.cards(in: card(most) + card(most + 1) + card(1))
        #expect(cards.map(\.properties.count) == [most, 1])
        #expect(faults.map(\.line) == [most + 3])
    }

    @Test("Cards that are nested too deeply are a fault")
    func tooDeep() {
        func card(_ depth: Int) -> String {
            let begin = "BEGIN:VCARD\n"
            return begin + String(repeating: "AGENT:\n" + begin, count: depth)
                + String(repeating: "END:VCARD\n", count: depth + 1)
        }
        let most = VCard.Limits.nesting
        #expect(
            Self.kinds(card(most) + card(most + 1) + card(0)) == [
                "card 1", "fault \(most * 3 + 3)", "card \(most * 6 + 8)",
            ])
    }

    @Test(
        "Further parts of a value and further parameters beyond the limits use no memory")
    func bounds() throws {
        let most = VCard.Limits.parts
        let card = try WrittenCard.read(
            "VERSION:3.0", "N:" + String(repeating: ";", count: most + 9),
            "X" + (0..<300).map { ";A\($0)=\($0)" }.joined() + ":1")
        #expect(try card["N"].components.count == most)
        #expect(try card["N"].components.last == [String(repeating: ";", count: 10)])
        #expect(try card["X"].parameters.count == VCard.Limits.parameters)
    }

    @Test(
        "Memory contains at most one card of the maximum size",
        arguments: [UInt8(ascii: "x"), UInt8(ascii: "\n"), UInt8(ascii: "\r")])
    func boundedPieces(filling: UInt8) {
        // What is between cards comes in stretches, however long it is and whether there are lines in it or not.
        var largest = 0
        var total = 0
        var reader = VCardReader(limit: 1_000)
        let note = { (element: VCardReader.Element) in
            largest = max(largest, element.bytes.count)
            total += element.bytes.count
        }
        for _ in 0..<20 {
            reader.feed([UInt8](repeating: filling, count: 50_000), note)
            reader.feed(Array("\nBEGIN:VCARD\nNOTE:".utf8) + [UInt8](repeating: UInt8(ascii: "y"), count: 30_000), note)
        }
        reader.finish(note)
        #expect(total == 20 * 80_018)
        #expect(largest <= 65 * 1024)
    }

    @Test("A reader can be used again after it has finished")
    func reuse() {
        var reader = VCardReader()
        var lines: [Int] = []
        for _ in 0..<2 {
            reader.feed(WrittenCard.bytes("FN:Ada")) { if case .card(let card) = $0 { lines.append(card.line) } }
            reader.finish { _ in }
        }
        #expect(lines == [1, 1])
    }

    @Test("If the body throws, only the current element is lost")
    func throwing() throws {
        struct Stop: Error {}
        var reader = VCardReader()
        let bytes = WrittenCard.bytes("FN:a") + WrittenCard.bytes("FN:b")
        #expect(throws: Stop.self) { try reader.feed(bytes) { _ in throw Stop() } }
        var lines: [Int] = []
        reader.finish { if case .card(let card) = $0 { lines.append(card.line) } }
        #expect(lines == [4])
    }

    @Test(
        "Text that is not exactly one card is an error with a reason",
        arguments: [
            ("", "no card"), ("BEGIN:VCARD\nEND:VCARD\nBEGIN:VCARD\nEND:VCARD\n", "2 cards"),
            ("BEGIN:VCARD\nEND:VCARD\nEND:VCARD\n", "BEGIN:VCARD"),
        ])
    func notOne(text: String, words: String) {
        let fault = #expect(throws: VCardFault.self) { try VCard(Array(text.utf8)) }
        #expect(fault?.sentence.contains(words) == true)
        #expect(fault?.description.hasPrefix("Line ") == true)
    }
}
