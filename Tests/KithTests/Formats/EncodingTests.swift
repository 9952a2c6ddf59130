import Foundation
import Kith
import KithModel
import Testing

@Suite("The bytes of a list file") struct EncodingTests {
    private static func text(in format: ListFormat) -> String {
        let items = [
            ItemDraft(title: "Crème brûlée 🔥", count: 3), ItemDraft(title: "漢字", isTicked: true),
            ItemDraft(title: "Tea"),
        ]
        return String(decoding: format.write(ListDocument(items: items)), as: UTF8.self)
    }

    @Test("Are read as UTF-8 and UTF-16 with a mark, and as UTF-8 without", arguments: ListFormat.allCases)
    func encodings(format: ListFormat) throws {
        let text = Self.text(in: format)
        let plain = try format.read(Data(text.utf8))
        let bigEndian: [UInt8] = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let littleEndian: [UInt8] = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let variants: [Data] = [
            Data([0xEF, 0xBB, 0xBF] + Array(text.utf8)), Data([0xFE, 0xFF] + bigEndian),
            Data([0xFF, 0xFE] + littleEndian),
        ]
        #expect(plain.items.count == 3)
        for variant in variants { #expect(try format.read(variant) == plain) }
    }

    @Test("May end lines in CR, LF or both", arguments: ListFormat.allCases)
    func lineEnds(format: ListFormat) throws {
        let text = Self.text(in: format)
        let plain = text.replacing("\r\n", with: "\n")
        let expected = try format.read(Data(text.utf8))
        for end in ["\n", "\r", "\r\n"] {
            #expect(try format.read(Data(plain.replacing("\n", with: end).utf8)) == expected)
        }
    }

    @Test("That are not UTF-8 make only their own line a fault", arguments: ["\n", "\r", "\r\n"])
    func invalidLine(end: String) throws {
        let lines: [[UInt8]] = [Array("Milk".utf8), [], [0x43, 0x61, 0x66, 0xE9], Array("Tea".utf8)]
        let bytes = Data(lines.joined(separator: Array(end.utf8)))
        let document = try ListFormat.text.read(bytes)
        #expect(document.items.map(\.title) == ["Milk", "Tea"])
        let fault = ListDocument.Fault(line: 3, text: "Caf\u{FFFD}", reason: "The line has bytes that are not UTF-8.")
        #expect(document.faults == [fault])
        #expect(try ListFormat.markdown.read(bytes).faults.contains { $0.line == 3 })
    }

    @Test("Are read as Windows-1252 on request", arguments: ListFormat.allCases)
    func windows1252(format: ListFormat) throws {
        let items = [ItemDraft(title: "Käse – 2 €", count: 3), ItemDraft(title: "Crème brûlée", isTicked: true)]
        let text = String(decoding: format.write(ListDocument(items: items)), as: UTF8.self)
        let signs: [Unicode.Scalar: UInt8] = ["€": 0x80, "–": 0x96]
        let bytes = Data(text.unicodeScalars.map { signs[$0] ?? UInt8(truncatingIfNeeded: $0.value) })
        #expect(try format.read(bytes, in: .windows1252) == ListDocument(items: items))
        #expect(try format.read(bytes).items.isEmpty)
    }

    @Test("Name half a UTF-16 character by its line")
    func loneSurrogate() throws {
        let units: [UInt16] = Array("Milk\nT".utf16) + [0xD83D] + Array("\nTea\n".utf16)
        let bytes = Data([0xFE, 0xFF]) + Data(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        let document = try ListFormat.text.read(bytes)
        #expect(document.items.map(\.title) == ["Milk", "Tea"])
        #expect(document.faults.map(\.line) == [2])
        #expect(try ListFormat.text.read(bytes.dropLast()).faults.map(\.line) == [2, 3])
    }

    @Test("Of a picture or of UTF-16 without a byte order mark are refused", arguments: ListFormat.allCases)
    func noText(format: ListFormat) {
        for bytes in [Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]), Data([77, 0, 105, 0])] {
            let failure = #expect(throws: ListFormat.Failure.self) { try format.read(bytes) }
            #expect(failure?.code == .notText)
            #expect(failure?.sentence.contains("UTF-8") == true)
            #expect(failure?.sentence.contains("UTF-16") == (bytes.first == 77))
        }
    }

    @Test("Beyond the limit are refused, with its number", arguments: ListFormat.allCases)
    func tooLarge(format: ListFormat) {
        let bytes = Data(repeating: UInt8(ascii: "a"), count: ListFormat.byteLimit + 1)
        let failure = #expect(throws: ListFormat.Failure.self) { try format.read(bytes) }
        #expect(failure?.code == .tooLarge)
        #expect(failure?.sentence.contains("64 MiB") == true)
    }

    @Test("May contain exactly as many items as a list", arguments: [.text, .icalendar, .json] as [ListFormat])
    func tooMany(format: ListFormat) throws {
        let (start, item, end) =
            switch format {
            case .text, .csv: ("", "a\n", "")
            case .markdown: ("", "- a\n", "")
            case .icalendar: ("BEGIN:VCALENDAR\n", "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\n", "END:VCALENDAR\n")
            case .json: ("[", "\"a\",\n", "\"a\"]")
            }
        #expect(ListFormat.itemLimit == Limits.records)
        func file(of count: Int) -> Data {
            Data((start + String(repeating: item, count: format == .json ? count - 1 : count) + end).utf8)
        }
        #expect(try format.read(file(of: ListFormat.itemLimit)).items.count == ListFormat.itemLimit)
        let failure = #expect(throws: ListFormat.Failure.self) { try format.read(file(of: ListFormat.itemLimit + 1)) }
        #expect(failure?.code == .tooMany)
        #expect(failure?.sentence.contains("200000 items") == true)
    }

    @Test("Give a limited number of faults, and the number of further ones")
    func faultLimit() throws {
        let document = try ListFormat.markdown.read(Data(String(repeating: "prose\n", count: 1_500).utf8))
        #expect(document.faults.count == ListFormat.faultLimit)
        #expect(document.faults.last?.line == 1_000)
        #expect(document.faults.last?.reason.contains("501 more") == true)
    }

    @Test("Show a limited part of a faulty line")
    func shownText() throws {
        let long = String(repeating: "🔥", count: 501)
        let document = try ListFormat.text.read(Data("\(long)\nTea".utf8))
        #expect(document.items.map(\.title) == ["Tea"])
        #expect(document.faults.map(\.line) == [1])
        #expect(document.faults.first?.text == String(repeating: "🔥", count: ListFormat.shownCharacters) + "…")
        #expect(document.faults.first?.reason.contains("501") == true)
    }
}
