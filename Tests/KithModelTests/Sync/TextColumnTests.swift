import Foundation
import KithModel
import Testing

@Suite("The texts of a page") struct TextColumnTests {
    static let texts: [String?] = [nil, "", "Tea", "Größe 🥛", nil, String(repeating: "long ", count: 100), "a\0b", nil]

    @Test("keep each text, empty ones, and those that are missing") func kept() {
        let column = TextColumn(Self.texts)
        #expect(column.count == Self.texts.count)
        #expect(column.texts == Self.texts)
        for (index, text) in Self.texts.enumerated() {
            #expect(column.withUTF8(at: index) { Array($0) } == text.map { Array($0.utf8) })
        }
    }

    @Test("are equal if all of them are") func equality() {
        #expect(TextColumn(["a", "bc"]) != TextColumn(["ab", "c"]))
        #expect(TextColumn(["a", nil]) != TextColumn(["a", ""]))
        #expect(TextColumn(["a", nil]) == ["a", nil])
    }

    @Test("are read from an answer as JSONDecoder reads them, also with escapes", arguments: [false, true])
    func answer(escapes: Bool) throws {
        let encoder = JSONEncoder()
        if !escapes { encoder.outputFormatting = .withoutEscapingSlashes }
        let texts = Self.texts + (escapes ? ["\"quoted\"", "back\\slash", "two\nlines", "a/b"] : [])
        let ids = Data(repeating: 1, count: 16 * texts.count)
        let page = RecordPage(
            after: nil, through: nil,
            columns: [
                .init(
                    collection: .items, ids: ids, sequences: texts.indices.map { Int64($0) },
                    modified: texts.map { _ in Timestamp(milliseconds: 1) },
                    fields: ["title": .texts(TextColumn(texts))])
            ])
        var answer = JSONReaderTests.answer
        answer.feeds[0].page = page
        #expect(try SyncAnswer(json: encoder.encode(answer)) == answer)
    }
}
