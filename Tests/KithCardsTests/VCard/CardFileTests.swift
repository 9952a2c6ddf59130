import KithCards
import Testing

@Suite("vCard files of real programs") struct CardFileTests {
    @Test(
        "Every export of the corpus is read completely, and written unchanged byte for byte",
        .enabled(if: !CardFile.corpus.isEmpty, Corpora.absence),
        arguments: CardFile.corpus)
    func corpus(file: CardFile) throws {
        let others = try Self.check(file).filter { if case .card = $0 { false } else { true } }
        // Line by line all of them are nothing but cards. One has a photo and a name that its program has cut off.
        let expected =
            file.name == "John_Doe_ANDROID.vcf"
            ? ["Line 52: PHOTO is damaged or cut off: 876 bytes", "Line 82: ORG has bytes that are no letters"] : []
        #expect(others.count == expected.count, "\(others)")
        for (other, part) in zip(others, expected) { #expect("\(other)".contains(part)) }
    }

    @Test(
        "Every sample of the project is read, written unchanged byte for byte, and equal when read again",
        arguments: CardFile.samples)
    func samples(file: CardFile) throws {
        let elements = try Self.check(file)
        #expect(elements.contains { if case .card = $0 { true } else { false } })
    }

    @Test("The laws hold for earlier finds of the fuzzer", arguments: CardFile.found)
    func found(file: CardFile) {
        #expect(VCardFuzzing.broken(by: file.bytes) == nil)
    }

    @Test(
        "The values in the corpus are read as its programs meant them",
        .enabled(if: !CardFile.corpus.isEmpty, Corpora.absence))
    func meaning() throws {
        func cards(_ name: String) throws -> [VCard] {
            VCardReader.cards(in: try #require(CardFile.corpus.first { $0.name == name }).bytes).cards
        }
        let android = try cards("John_Doe_ANDROID.vcf")
        #expect(android.count == 6)
        #expect(try android[3]["N"].text == "Ñ Ñ Ñ Ñ Ñ Ñ Ñ Ñ Ñ Ñ Ñ;;;;")
        // Cut off by its program, in the midst of a letter.
        let whole = String(repeating: "Ñ", count: 44)
        let organizations = android[5].properties.filter { $0.knownName == .org }.map(\.text)
        #expect(organizations == [whole, whole + "\u{FFFD}", whole])
        let iPhone = try cards("John_Doe_IPHONE.vcf")[0]
        #expect(try iPhone["PHOTO"].data?.prefix(4) == [0xFF, 0xD8, 0xFF, 0xE0])
        #expect(try iPhone["PHOTO"].data?.suffix(2) == [0xFF, 0xD9])
        #expect(try iPhone["N"].components == [["Doe"], ["John"], ["Richter", "James"], ["Mr."], ["Sr."]])
        let outlook = try cards("John_Doe_MS_OUTLOOK.vcf")[0]
        #expect(try outlook["N"].components == [["Doe"], ["John"], ["Richter,James"], ["Mr."], ["Sr."]])
        #expect(try outlook["PHOTO"].data?.suffix(2) == [0xFF, 0xD9])
        #expect(try outlook["LABEL"].text == "Cresent moon drive\nAlbaney, New York  12345")
        let older = try cards("outlook-2003.vcf")[0]
        #expect(try older["KEY"].data?.count == 805)
        #expect(try older["NOTE"].text == "This is the note field!!\nSecond line\n\nThird line is empty\n")
        #expect(try older["EMAIL"].text == "jdoe@hotmail.com")
        let evolution = try cards("John_Doe_EVOLUTION.vcf")[0]
        #expect(try evolution["X-AIM"].text == "johnny5@aol.com")
        #expect(try cards("John_Doe_GMAIL.vcf")[0]["URL"].text == "http://www.ibm.com")
        #expect(try cards("rfc2426-example.vcf").map { try $0["FN"].text } == ["Frank Dawson", "Tim Howes"])
        #expect(try cards("rfc6350-example.vcf")[0]["BDAY"].text == "--0203")
    }

    /// Checks that the file is untouched, and each card in it the same when it is written and read again.
    @discardableResult
    private static func check(_ file: CardFile) throws -> [VCardReader.Element] {
        let elements = VCardReader.elements(in: file.bytes)
        #expect(elements.flatMap(\.bytes) == file.bytes)
        for case .card(let card) in elements {
            let again = try VCard(card.bytes)
            #expect(again == card && again.content == card.content)
        }
        return elements
    }
}
