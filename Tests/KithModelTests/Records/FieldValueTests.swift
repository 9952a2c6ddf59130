import Foundation
import KithModel
import Testing

@Suite("Field values") struct FieldValueTests {
    private static func read(_ json: String) throws -> FieldValue {
        try JSONDecoder().decode(FieldValue.self, from: Data(json.utf8))
    }

    @Test(
        "JSON values are read as their types",
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("0", 0), ("1", 1), ("-5", -5), ("2.5", 2.5),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), (#""""#, ""),
            (#""1""#, "1"), (#""é\n""#, "é\n"), ("[]", []), ("{}", [:]),
            (#"{"a":[null,true,{"b":"c"}]}"#, ["a": [.null, true, ["b": "c"]]]),
        ] as [(String, FieldValue)])
    func reading(json: String, value: FieldValue) throws {
        #expect(try Self.read(json) == value)
        #expect(try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test("Invalid JSON values and numbers that are too large are refused", arguments: ["1e999", "tru", "[1", "\"a"])
    func refusing(json: String) {
        #expect(throws: DecodingError.self) { try Self.read(json) }
    }

    private static func nested(_ depth: Int, _ inner: String = "") -> String {
        String(repeating: "[", count: depth) + inner + String(repeating: "]", count: depth)
    }

    @Test("A value with the deepest allowed nesting is read anywhere in a message")
    func nesting() throws {
        let value = try Self.read(Self.nested(Limits.nesting, "1"))
        #expect(CanonicalForm.text(value) == Self.nested(Limits.nesting, "1"))
        let record = RecordChange(
            collection: .items, id: RecordID(uuid(1)), sequence: 1, modified: Timestamp(milliseconds: 0),
            fields: ["newer": value])
        let columns = RecordPage.Columns(collection: .items, records: [record])
        let feed = FeedChanges(
            feed: FeedID(uuid(2)), changes: [record],
            page: RecordPage(after: nil, through: nil, columns: [columns]), isComplete: false)
        let answer = SyncAnswer(
            account: AccountID(uuid(3)), time: record.modified, epoch: "", device: .recognised, acknowledged: .none,
            outcomes: [], records: [FeedRecord(feed: feed.feed, change: record)], feeds: [feed], lost: [],
            token: SyncToken(rawValue: ""), more: false)
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: JSONEncoder().encode(answer)) == answer)
    }

    @Test("Trap: A small request with deep nesting blocks the reader", arguments: [20, 100, 500, 100_000])
    func tooDeep(depth: Int) {
        // Read to its end, each of these values costs as much as its path is long.
        let values = Array(repeating: "1", count: 2_000).joined(separator: ",")
        #expect(throws: DecodingError.self) { try Self.read(Self.nested(depth, values)) }
    }

    @Test("Values are equal if their bytes are: two spellings of é are two values")
    func spelling() {
        let (short, long) = ("\u{E9}", "e\u{301}")
        #expect(FieldValue.text(short) == .text(short))
        #expect(FieldValue.text(short) != .text(long))
        #expect(FieldValue.array([.text(short)]) != .array([.text(long)]))
        #expect(FieldValue.object([short: 1]) != .object([long: 1]))
        #expect(FieldValue.object([short: 1]) == .object([short: 1]))
    }
}
