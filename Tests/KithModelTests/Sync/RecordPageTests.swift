import Foundation
import KithModel
import Testing

@Suite("Record pages") struct RecordPageTests {
    private static func record(_ number: UInt64, _ fields: Fields) -> RecordChange {
        RecordChange(
            collection: .items, id: RecordID(uuid(number)), sequence: Int64(number) * 10,
            modified: Timestamp(milliseconds: Int64(number)), fields: fields)
    }

    private static func rows(_ columns: RecordPage.Columns) -> [RecordChange] {
        (0..<columns.count).map { columns.record(at: $0) }
    }

    static let records = [
        record(1, ["title": "Tea", "count": 2, "ticked": true, "mixed": 1, "number": 2.5]),
        record(2, ["title": "Milk", "mixed": "one", "nested": ["a": [1, .null]]]),
        record(3, ["count": .integer(.max), "ticked": false, "mixed": false, "number": 3.5]),
        record(4, [:]),
    ]

    @Test("Columns contain the records, with nulls and mixed types, also after encoding and decoding")
    func roundTrip() throws {
        let columns = RecordPage.Columns(collection: .items, records: Self.records)
        #expect(columns.isWellFormed)
        #expect(columns.count == 4)
        #expect(Self.rows(columns) == Self.records)
        let page = RecordPage(after: RecordID(uuid(0)), through: nil, columns: [columns])
        let travelled = try JSONDecoder().decode(RecordPage.self, from: JSONEncoder().encode(page))
        #expect(travelled == page)
        #expect(travelled.columns.flatMap(Self.rows) == Self.records)
    }

    @Test("A column with one type is read as that type")
    func types() throws {
        let columns = RecordPage.Columns(collection: .items, records: Self.records)
        #expect(columns.fields["title"] == .texts(["Tea", "Milk", nil, nil]))
        #expect(columns.fields["count"] == .integers([2, nil, .max, nil]))
        #expect(columns.fields["ticked"] == .flags([true, nil, false, nil]))
        #expect(columns.fields["mixed"] == .values([1, "one", false, .null]))
        #expect(columns.fields["number"] == .values([2.5, .null, 3.5, .null]))
    }

    @Test("A page without records is well formed, and so is a column with only nulls")
    func empty() throws {
        let columns = RecordPage.Columns(collection: .items, records: [])
        #expect(columns.isWellFormed && columns.count == 0)
        let nulls = RecordPage.Columns(collection: .items, records: [Self.record(1, ["title": .null])])
        let travelled = try JSONDecoder().decode(RecordPage.Columns.self, from: JSONEncoder().encode(nulls))
        #expect(travelled == nulls)
        #expect(Self.rows(travelled) == [Self.record(1, [:])])
    }

    @Test("Any mixture of values is preserved", arguments: 0..<100 as Range<UInt64>)
    func mixtures(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let values: [FieldValue] = [.null, 0, 1, true, false, "", "1", "true", 2.5, [], [:], ["a": .null]]
        let palette = values.shuffled(using: &random).prefix(.random(in: 1...3, using: &random))
        let records = (1...6 as ClosedRange<UInt64>).map {
            Self.record($0, ["field": palette.randomElement(using: &random) ?? .null].filter { $0.value != .null })
        }
        let columns = RecordPage.Columns(collection: .items, records: records)
        let travelled = try JSONDecoder().decode(RecordPage.Columns.self, from: JSONEncoder().encode(columns))
        #expect(Self.rows(travelled) == records)
    }

    @Test("A page with columns of different lengths is malformed")
    func malformed() {
        let good = RecordPage.Columns(collection: .items, records: Self.records)
        let breaks: [(inout RecordPage.Columns) -> Void] = [
            { $0.ids.removeLast() }, { $0.ids.append(contentsOf: [UInt8](repeating: 0, count: 16)) },
            { $0.sequences.removeLast() }, { $0.sequences.append(1) }, { $0.modified.removeLast() },
            { $0.fields["title"] = .texts(["Tea"]) }, { $0.fields["new"] = .values([]) }, { $0.ids = Data() },
        ]
        for damage in breaks {
            var bad = good
            damage(&bad)
            #expect(!bad.isWellFormed)
        }
    }

    @Test(
        "An invalid page cannot be read",
        arguments: [
            #""ids":"*","fields":{}"#, #""ids":[1],"fields":{}"#, #""ids":"""#, #""ids":"","fields":{"title":{}}"#,
        ])
    func unreadable(part: String) {
        let json = #"{"collection":"item","sequences":[],"modified":[],"# + part + "}"
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RecordPage.Columns.self, from: Data(json.utf8))
        }
    }
}
