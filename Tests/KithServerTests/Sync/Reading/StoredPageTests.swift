import Foundation
import KithModel
import KithServer
import Testing

@Suite("A page has the fields as they are stored") struct StoredPageTests {
    private static func uuid(_ number: UInt64) -> UUID { UUID(high: 0x0190_0000_0000_7000, low: number) }

    private static func row(_ number: UInt64, _ text: String, collection: RecordCollection = .items) -> SQLRow {
        SQLRow([
            .id(FeedID(uuid(0))), .id(RecordID<Never>(uuid(number))), .text(collection.rawValue),
            .integer(Int64(number) * 10), .time(Timestamp(milliseconds: Int64(number))), .text(text),
        ])
    }

    /// The records of `page` as a device reads them from JSON.
    private static func read(_ page: RecordPage) throws -> [RecordChange] {
        let answer = SyncAnswer(
            account: AccountID(uuid(1)), time: Timestamp(milliseconds: 0), epoch: "e", device: .recognised,
            acknowledged: .none, outcomes: [], records: [],
            feeds: [FeedChanges(feed: FeedID(uuid(0)), changes: [], page: page, isComplete: true)], lost: [],
            token: SyncToken(rawValue: "t"), more: false)
        return try #require(try SyncAnswer(json: answer.json).feeds[0].page).records
    }

    @Test("Records of any fields arrive as they were stored", arguments: 0..<200 as Range<UInt64>)
    func records(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let values: [FieldValue] = [
            "", "Tea", "a \"quoted\" \\ line\nand \u{1} more", "日本 🧃", 0, -7, .integer(.max), true, false, .number(2.5),
            [], [:],
            ["a", 1, [true]], ["key, with: {signs}": "}]\"", "list": [1, ["x": "\\\""]]],
        ]
        let names = ["title", "count", "a \"name\"", "größe", "x"]
        var page = StoredPage()
        var stored: [RecordChange] = []
        for number in 1...UInt64.random(in: 1...20, using: &random) {
            var fields: Fields = [:]
            for name in names where random.next() % 2 == 0 { fields[name] = values.randomElement(using: &random) }
            let collection: RecordCollection = random.next() % 3 == 0 ? .lists : .items
            try page.append(Self.row(number, StoredText.text(fields), collection: collection))
            stored.append(
                RecordChange(
                    collection: collection, id: RecordID(Self.uuid(number)), sequence: Int64(number) * 10,
                    modified: Timestamp(milliseconds: Int64(number)), fields: fields))
        }
        #expect(page.last == stored.last?.id)
        let read = try Self.read(try page.page(after: nil, through: page.last))
        #expect(read == stored.filter { $0.collection == .items } + stored.filter { $0.collection == .lists })
    }

    @Test("A single value can be read without decoding the others")
    func single() throws {
        var page = StoredPage()
        for (number, text) in [#"{"title":"Tea"}"#, "{}", #"{"count":2,"title":"Milk"}"#].enumerated() {
            try page.append(Self.row(UInt64(number), text))
        }
        let columns = try page.page(after: nil, through: nil).columns[0]
        #expect(columns.isWellFormed)
        #expect((0..<3).map { columns.fields["title"]?[$0] } == ["Tea", .null, "Milk"])
        #expect((0..<3).map { columns.fields["count"]?[$0] } == [.null, .null, 2])
    }

    @Test(
        "A stored text that is damaged is refused, and no other record is changed by it",
        arguments: [
            "", "{", "}", "[]", "{]", #"{"title"}"#, #"{"title":}"#, #"{"title":"Tea}"#, #"{"title":"Tea" "a":1}"#,
            #"{title:"Tea"}"#, #"{"a":[1}"#, #"{"a":"\"}"#, #"{"a":1]}"#,
        ])
    func damaged(text: String) throws {
        var page = StoredPage()
        #expect(throws: ServerError.self) { try page.append(Self.row(1, text)) }
    }
}
