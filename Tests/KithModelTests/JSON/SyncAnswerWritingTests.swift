import Foundation
import KithModel
import Testing

@Suite("An answer is written as Codable reads it") struct SyncAnswerWritingTests {
    @Test(
        "The decoder reads every answer back, whatever its texts and numbers are", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var maker = AnswerMaker(random: SplitMix64(seed: seed))
        let answer = maker.answer()
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: answer.json) == answer)
        // What older decoders were sent says the same.
        let encoded = try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(answer))
        #expect(try JSONDecoder().decode(FieldValue.self, from: answer.json) == encoded)
    }

    @Test(
        "A minimal answer lacks exactly the members that have their default, and is read as the whole one",
        arguments: 0..<200 as Range<UInt64>)
    func minimal(seed: UInt64) throws {
        var maker = AnswerMaker(random: SplitMix64(seed: seed))
        let answer = maker.answer()
        let short = answer.json(isMinimal: true)
        #expect(try SyncAnswer(json: short) == answer)
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: short) == answer)
        let defaults: Fields = [
            "outcomes": .array([]), "records": .array([]), "feeds": .array([]), "lost": .array([]),
            "more": .flag(false),
        ]
        let whole = try JSONDecoder().decode(Fields.self, from: answer.json)
        #expect(try JSONDecoder().decode(Fields.self, from: short) == whole.filter { defaults[$0.key] != $0.value })
    }

    @Test("Integers are written with all their digits", arguments: 0..<64) func integers(bits: Int) {
        let largest: Int64 = .max >> bits
        for integer in [largest, largest / 10 * 10, -largest, -largest - 1] {
            var json = JSONWriter()
            json.integer(integer)
            #expect(String(decoding: json.bytes, as: UTF8.self) == "\(integer)")
        }
    }

    @Test("Characters with escapes are written with them", arguments: 0..<0x80 as Range<UInt8>)
    func escapes(byte: UInt8) throws {
        var json = JSONWriter()
        let text = "a\(Character(Unicode.Scalar(byte)))b"
        json.text(text)
        #expect(try JSONDecoder().decode([String].self, from: Data("[".utf8 + json.bytes + "]".utf8)) == [text])
        #expect(!json.bytes.contains { $0 < 0x20 })
    }

    /// Texts are searched eight bytes at a time, so every place of a special byte counts.
    @Test("Characters are written with their escapes at any place", arguments: 0..<20)
    func places(_ place: Int) throws {
        let plain = String(repeating: "a", count: place)
        for rest in ["", "b", "cdefghi", "jklmnopqrstuvwxyz"] {
            for inner in ["", "\"", "\\", "\n", "\"\"", "\u{1}é", "\u{7F}", "é", "🥛\"🥛"] {
                var json = JSONWriter()
                json.array([plain + inner + rest, inner + plain, "next"]) { $0.text($1) }
                let read = try JSONDecoder().decode([String].self, from: Data(json.bytes))
                #expect(read == [plain + inner + rest, inner + plain, "next"])
            }
        }
    }
}

/// Makes answers of all shapes from a seed.
private struct AnswerMaker {
    var random: SplitMix64

    mutating func answer() -> SyncAnswer {
        let records = several { FeedRecord(feed: $0.id(), change: $0.change()) }
        return SyncAnswer(
            account: id(), time: time(), epoch: text(), device: one([.recognised, .copied, .forgotten]),
            acknowledged: Acknowledgement(number: integer(), hash: text()),
            outcomes: several { maker in
                MutationOutcome(
                    number: maker.integer(), result: maker.one([.applied, .superseded, .rejected]),
                    code: maker.one([nil, .deleted]), detail: maker.one([nil, maker.text()]))
            },
            records: records, feeds: several { $0.feed(repeating: records) }, lost: several { $0.id() },
            token: SyncToken(rawValue: text()), more: one([true, false]), kind: one([nil, "identified"]))
    }

    private mutating func feed(repeating pushed: [FeedRecord]) -> FeedChanges {
        var records = several { $0.change() }
        for index in records.indices where records[index].fields == nil { records[index].fields = [:] }
        let page = RecordPage(
            after: one([nil, id()]), through: one([nil, id()]),
            columns: Dictionary(grouping: records, by: \.collection).map {
                RecordPage.Columns(collection: $0, records: $1)
            })
        return FeedChanges(
            feed: id(), changes: repeated(pushed) + several { $0.change() }, page: one([nil, page]),
            isComplete: one([true, false]), digest: one([nil, FeedDigest(bits: random.next())]))
    }

    /// As after a push: changes of feeds are also among the records. Some are those of another state, or of another feed.
    private mutating func repeated(_ records: [FeedRecord]) -> [RecordChange] {
        records.map { record in
            var change = record.change
            if one([true, false]) { change.fields = one([nil, [:], ["title": .text(text())]]) }
            return change
        }
    }

    private mutating func change() -> RecordChange {
        let fields: Fields = [
            "title": .text(text()), "count": .integer(integer()), "ticked": .flag(one([true, false])),
            text(): one([.null, .number(1.5), .number(-2.25e-7), .integer(integer()), .text(text())]),
            "deep": .object([text(): .array([.null, .text(text()), .object([:]), .array([])])]),
        ]
        return RecordChange(
            collection: one([.items, .lists]), id: id(), sequence: integer(), modified: time(),
            fields: one([nil, fields, [:]]))
    }

    private mutating func several<Value>(_ make: (inout AnswerMaker) -> Value) -> [Value] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in make(&self) }
    }

    private mutating func one<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func id<Record>() -> RecordID<Record> {
        RecordID(UUID(high: random.next(), low: random.next()))
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random))
    }

    private mutating func integer() -> Int64 { one([0, 1, 9, 10, -1, .max, .min, 1_790_000_000_000]) }

    private mutating func text() -> String {
        one(["", "Tea", "ü\u{1F6D2} سلمى", "\"\\/\n\r\t\u{8}\u{C}\u{1}\u{7F}\u{2028}", "null", "e\u{301}"])
    }
}
