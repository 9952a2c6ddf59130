import Foundation
import KithCommand
import KithCards
import Testing

@Suite("A stream of cards") struct CardStreamTests {
    private let folder = Folder()

    private func stream(
        _ text: String, batch: Int = CardStream.batch, largestJSContact: Int = CardStream.largestJSContact
    ) throws -> CardStream {
        let file = try FileHandle(forReadingFrom: URL(filePath: folder.write(text, to: "cards")))
        return try CardStream(file, named: "cards", batch: batch, largestJSContact: largestJSContact)
    }

    private func card(_ number: Int) -> String { "BEGIN:VCARD\r\nFN:Person \(number)\r\nEND:VCARD\r\n" }

    @Test("arrives in batches, with all cards in order and faults with their lines in the file") func batches() throws {
        // More than is read at once.
        let count = 60_000
        let text = (0..<count).map(card).joined() + "BEGIN:VCARD\r\nFN:Cut off"
        var stream = try stream("\n" + text, batch: 1_000_000)
        var batches: [CardStream.Batch] = []
        while let batch = try stream.next() { batches.append(batch) }
        #expect(batches.count > 1)
        #expect(batches.allSatisfy { $0.cards.count < count })
        let cards = (0..<count).map(card) + ["BEGIN:VCARD\r\nFN:Cut off"]
        #expect(batches.flatMap(\.cards).map { String(decoding: $0.bytes, as: UTF8.self) } == cards)
        #expect(batches.flatMap(\.faults).map(\.place) == [3 * count + 2])
    }

    @Test("recognises JSContact, and reads a limited amount of it at once") func jsContact() throws {
        let text = "\n [" + #"{"@type":"Card","version":"1.0","uid":"a","name":{"full":"Ada"}}"# + "]"
        var whole = try stream(text)
        #expect(try whole.next()?.cards.map { Card($0).name.full } == ["Ada"])
        #expect(try whole.next()?.cards == nil)
        var tooLarge = try stream(text, largestJSContact: text.utf8.count - 1)
        let failure = #expect(throws: Failure.self) { try tooLarge.next() }
        #expect(failure?.status == .faults && failure?.code == "tooLarge")
    }

    @Test("Trap: JSContact with many combining marks takes minutes to read – it is refused, and the line is named")
    func combiningMarks() throws {
        for marks in ["\u{327}\u{301}", #"\u0327\u0301"#].map({ String(repeating: $0, count: 50_000) }) {
            let text = "[\n" + #"{"@type":"Card","version":"1.0","uid":"a","\#(marks)":1}"# + "]"
            var stream = try stream(text)
            let batch = try #require(try stream.next())
            #expect(batch.cards.isEmpty && batch.faults.count == 1)
            #expect(batch.faults.first?.reason.contains("Line 2 has more than 64 combining marks in a row") == true)
        }
    }

    @Test("Trap: JSONDecoder also reads UTF-16, in which the marks are other bytes – JSContact is in UTF-8")
    func otherEncodings() throws {
        let marks = String(repeating: "\u{327}\u{301}", count: 50_000)
        let text = #"[{"@type":"Card","version":"1.0","uid":"a","\#(marks)":1}]"#
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16] {
            let data = try #require(text.data(using: encoding))
            let path = try folder.write("", to: "cards")
            try data.write(to: URL(filePath: path))
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            var stream = try CardStream(file, named: "cards", format: .jscontact)
            let batch = try #require(try stream.next())
            #expect(batch.cards.isEmpty && batch.faults.map(\.place) == [1])
            #expect(batch.faults.first?.reason == "It is not JSON in UTF-8. Save the file in UTF-8.")
        }
    }

    @Test("is empty for an empty file") func empty() throws {
        var stream = try stream("")
        #expect(try stream.next()?.cards == [])
        #expect(try stream.next()?.cards == nil)
    }
}
