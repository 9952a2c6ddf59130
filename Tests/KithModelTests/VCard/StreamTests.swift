import KithModel
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

    @Test("Several cards are read one after the other, with and without text between")
    func several() {
        #expect(
            Self.kinds("BEGIN:VCARD\nEND:VCARD\nBEGIN:vCard\nend:vcard\n\nx\nBEGIN:VCARD\nEND:VCARD") == [
                "card 1", "card 3", "between", "card 7",
            ])
    }

    @Test("Cards that were put together without a line end between them are told apart")
    func joined() {
        #expect(Self.kinds("BEGIN:VCARD\nFN:a\nEND:VCARDBEGIN:VCARD\nFN:b\nEND:VCARD") == ["card 1", "card 3"])
    }

    @Test("Blanks around BEGIN and END are passed over")
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

    @Test("A CR alone within a card of other line ends does not end a line")
    func strayCR() throws {
        let card = try VCard(Array("BEGIN:VCARD\nVERSION:3.0\nNOTE:one\rTEL:two\nEND:VCARD\n".utf8))
        #expect(card.properties.map(\.text) == ["3.0", "one\nTEL:two"])
    }

    // MARK: Faults

    @Test("A card without END is a fault with its line, and stops no other")
    func unclosed() throws {
        let text = "BEGIN:VCARD\nFN:a\nEND:VCARD\nBEGIN:VCARD\nFN:b\nBEGIN:VCARD\nFN:c\nEND:VCARD\nBEGIN:VCARD\nFN:d"
        #expect(Self.kinds(text) == ["card 1", "fault 4", "card 6", "fault 9"])
        let faults = VCardReader.cards(in: Array(text.utf8)).faults
        #expect(
            faults.map { String(decoding: $0.bytes, as: UTF8.self) } == ["BEGIN:VCARD\nFN:b\n", "BEGIN:VCARD\nFN:d"])
        #expect(faults.allSatisfy { $0.sentence.contains("END:VCARD") })
    }

    @Test("An END without BEGIN is a fault with its line, and stops no card")
    func strayEnd() {
        #expect(
            Self.kinds("FN:a\nEND:VCARD\nBEGIN:VCARD\nEND:VCARD\nEND:VCARD\n") == [
                "between", "fault 2", "card 3", "fault 5",
            ])
    }

    @Test("A card that is larger than it may be is a fault, and the next one is read")
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

    @Test("A card with more properties than it may have is a fault")
    func tooManyProperties() {
        func card(_ count: Int) -> [UInt8] {
            Array(("BEGIN:VCARD\n" + String(repeating: "A:\n", count: count) + "END:VCARD\n").utf8)
        }
        let most = VCard.Limits.properties
        let (cards, faults) = VCardReader.cards(in: card(most) + card(most + 1) + card(1))
        #expect(cards.map(\.properties.count) == [most, 1])
        #expect(faults.map(\.line) == [most + 3])
    }

    @Test("Cards that are nested deeper than they may be are a fault")
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
        "A value with more parts than are told apart, and a property with more parameters than are read, take no more")
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
        "Memory holds no more than the largest card",
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

    @Test("A reader that has finished begins anew")
    func reuse() {
        var reader = VCardReader()
        var lines: [Int] = []
        for _ in 0..<2 {
            reader.feed(WrittenCard.bytes("FN:Ada")) { if case .card(let card) = $0 { lines.append(card.line) } }
            reader.finish { _ in }
        }
        #expect(lines == [1, 1])
    }

    @Test("A body that throws loses nothing but the element that it was called with")
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
        "What is not one card says what is wrong",
        arguments: [
            ("", "no card"), ("BEGIN:VCARD\nEND:VCARD\nBEGIN:VCARD\nEND:VCARD\n", "2 cards"),
            ("BEGIN:VCARD\n", "END:VCARD"),
        ])
    func notOne(text: String, words: String) {
        let fault = #expect(throws: VCardFault.self) { try VCard(Array(text.utf8)) }
        #expect(fault?.sentence.contains(words) == true)
        #expect(fault?.description.hasPrefix("Line 1: ") == true)
    }
}
